#include "cli/init_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/output.hpp"
#include "cli/schema_verb.hpp"
#include "cli/starter.hpp"
#include "cli/write_file.hpp"
#include "config/file_kind.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchemas = ".cadre/schemas";

/// All or nothing: a project that is half somebody else's helps nobody.
void expect_free(const fs::path& folder)
{
    for (const StarterFile& file : starter_files()) {
        std::error_code error;
        if (fs::exists(fs::symlink_status(folder / file.path, error)))
            throw Error(Code::conflict,
                        fmt::format("{} is already there, and nothing was changed; choose an empty folder",
                                    (folder / file.path).string()));
    }
}

}  // namespace

int init(const Args& args, Output& output)
{
    const fs::path folder = args.find("dir").value_or(".");
    expect_free(folder);
    for (const StarterFile& file : starter_files()) {
        make_folder((folder / file.path).parent_path());
        write_file(folder / file.path, file.text);
    }
    write_schemas(config::file_entities(), folder / kSchemas);  // what the first line of each file points to

    std::string text;
    if (output.json) {
        JsonWriter json(text);
        json.begin_object().field("folder", folder.string()).key("files").begin_array();
        for (const StarterFile& file : starter_files()) json.value(file.path);
        json.end_array().end_object();
        text += "\n";
    } else if (!output.quiet) {
        for (const StarterFile& file : starter_files())
            text += fmt::format("{}\n", printable((folder / file.path).string()));
        text += fmt::format("\nNext: cadre check {}\n", printable(folder.string()));
    }
    output.print(text);
    return 0;
}

}  // namespace cadre::cli
