#include "cli/init_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/output.hpp"
#include "cli/schema_verb.hpp"
#include "cli/starter.hpp"
#include "cli/write_file.hpp"
#include "config/file_kind.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchemas = ".cadre/schemas";

/// Every repository has one, so ours is added to it.
bool is_added_to(const fs::path& file)
{
    std::error_code error;
    return file.filename() == ".gitignore" && fs::is_regular_file(file, error);
}

/// `/.env` and `.env/` mean the same to us as `.env`.
std::string_view pattern_of(std::string_view line)
{
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '/')) line.remove_suffix(1);
    if (line.starts_with('/')) line.remove_prefix(1);
    return line;
}

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// The text with those lines of `wanted` at its end that it does not have.
std::string with_lines(std::string text, std::string_view wanted)
{
    std::set<std::string> there;
    for (const std::string_view line : lines_of(text)) there.emplace(pattern_of(line));
    for (const std::string_view line : lines_of(wanted)) {
        if (there.contains(std::string(pattern_of(line)))) continue;
        if (!text.empty() && !text.ends_with('\n')) text += '\n';
        text += std::string(line) + "\n";
    }
    return text;
}

/// The folder as one word for a shell, which `check` does not take for an option.
std::string shell_word(const fs::path& folder)
{
    std::string path = folder.string();
    if (path.starts_with('-')) path.insert(0, "./");
    const bool plain = std::ranges::all_of(path, [](unsigned char c) {
        return std::isalnum(c) || c >= 0x80 ||
               std::string_view("/._-+,@%:=").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain && !path.empty()) return path;
    std::string quoted = "'";
    for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

[[noreturn]] void refuse(const fs::path& path, std::string_view why)
{
    throw Error(Code::conflict,
                fmt::format("{} {}, and nothing was changed; choose an empty folder", path.string(), why));
}

/// What we make lies below the folder, whatever links somebody put there.
void expect_real_folders(const fs::path& folder, const fs::path& below)
{
    fs::path path = folder;
    for (const fs::path& name : below) {
        path /= name;
        std::error_code error;
        const auto type = fs::symlink_status(path, error).type();
        if (type == fs::file_type::not_found) return;
        if (type != fs::file_type::directory) refuse(path, "is no folder of its own");
    }
}

/// All or nothing: a project that is half somebody else's helps nobody.
void expect_free(const fs::path& folder)
{
    std::vector<fs::path> files{kSchemas};
    for (const StarterFile& file : starter_files()) files.emplace_back(file.path);
    for (const fs::path& file : files) {
        expect_real_folders(folder, file.parent_path());
        std::error_code error;
        if (fs::exists(fs::symlink_status(folder / file, error)) && !is_added_to(folder / file))
            refuse(folder / file, "is already there");
    }
}

}  // namespace

int init(const Args& args, Output& output)
{
    const fs::path folder = args.find("dir").value_or(".");
    expect_free(folder);
    std::vector<std::string> written;
    for (const StarterFile& file : starter_files()) {
        const fs::path path = folder / file.path;
        make_folder(path.parent_path());
        const std::string before = is_added_to(path) ? file_text(path) : "";
        const std::string after = is_added_to(path) ? with_lines(before, file.text) : std::string(file.text);
        if (after == before) continue;  // somebody's, and has all that we want
        write_file(path, after);
        written.emplace_back(file.path);
    }
    write_schemas(config::file_entities(), folder / kSchemas);  // what the first line of each file points to

    written.push_back(std::string(kSchemas) + "/");

    std::string text;
    if (output.json) {
        JsonWriter json(text);
        json.begin_object().field("folder", folder.string()).key("files").begin_array();
        for (const std::string& path : written) json.value(path);
        json.end_array().end_object();
        text += "\n";
    } else if (!output.quiet) {
        for (const std::string& path : written) text += fmt::format("{}\n", printable((folder / path).string()));
        text += fmt::format("\nNext: cadre check {}\n", printable(shell_word(folder)));
    }
    output.print(text);
    return 0;
}

}  // namespace cadre::cli
