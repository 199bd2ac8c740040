#include "cli/init_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "cli/new_files.hpp"
#include "cli/output.hpp"
#include "cli/schema_verb.hpp"
#include "cli/shell_word.hpp"
#include "cli/starter.hpp"
#include "config/file_kind.hpp"
#include "config/project.hpp"
#include "home/project/conversation_team.hpp"
#include "home/project/trust.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchemas = ".cadre/schemas";

/// Every repository has one, so ours is added to it.
bool is_added_to(const fs::path& file)
{
    std::error_code error;
    return file.filename() == ".gitignore" && fs::symlink_status(file, error).type() == fs::file_type::regular;
}

/// `/.env` and `.env/` mean the same to us as `.env`.
std::string_view pattern_of(std::string_view line)
{
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '/')) line.remove_suffix(1);
    if (line.starts_with('/')) line.remove_prefix(1);
    return line;
}

std::vector<std::string_view> lines_in(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// Those lines of `wanted` that the text does not have, to be put at its end.
std::string missing_lines(std::string_view text, std::string_view wanted)
{
    std::set<std::string_view> there;
    for (const std::string_view line : lines_in(text)) there.insert(pattern_of(line));
    std::string missing;
    for (const std::string_view line : lines_in(wanted))
        if (!there.contains(pattern_of(line))) missing += fmt::format("{}\n", line);
    const bool needs_break = !missing.empty() && !text.empty() && !text.ends_with('\n');
    return (needs_break ? "\n" : "") + missing;
}

/// To a file of somebody's, which stays as it was when that fails.
void append(const fs::path& file, std::string_view text)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    std::ofstream stream(file, std::ios::binary | std::ios::app);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (stream) return;
    if (!error) fs::resize_file(file, size, error);
    throw Error(Code::unavailable, fmt::format("cannot write {}", file.string()));
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
        if (type != fs::file_type::directory) refuse(path, "is not a folder of its own");
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

/// All or nothing again: nobody has to clean up after us. Returns what was written, as people are told it.
std::vector<std::string> write_project(const fs::path& folder)
{
    expect_free(folder);
    NewFiles made;
    std::vector<std::string> written;
    std::vector<std::pair<fs::path, std::string>> additions;
    for (const StarterFile& file : starter_files()) {
        const fs::path path = folder / file.path;
        if (is_added_to(path)) {
            const std::string missing = missing_lines(file_text(path), file.text);
            if (missing.empty()) continue;
            additions.emplace_back(path, missing);
        } else {
            made.folder(path.parent_path());
            made.file(path, file.text);
        }
        written.emplace_back(file.path);
    }
    made.whole_folder(folder / kSchemas);
    write_schemas(config::file_entities(), folder / kSchemas);  // what the first line of each file points to
    written.push_back(std::string(kSchemas) + "/");
    for (const auto& [path, text] : additions) append(path, text);  // last, as somebody's file is not ours to take away
    made.keep();
    return written;
}

/// A team that comes with Cadre, as a file to be changed. Returns what was written.
std::vector<std::string> write_team(const fs::path& folder, const std::string& name)
{
    if (name != "conversation")
        throw Error(Code::invalid, in_quotes(name) + " does not come with Cadre; the team that does is conversation");
    const fs::path file = "teams/conversation.yaml";
    expect_real_folders(folder, file.parent_path());
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder / file, error))) refuse(folder / file, "is already there");
    NewFiles made;
    made.folder((folder / file).parent_path());
    made.file(folder / file, home::conversation_team_file());
    made.keep();
    return {file.string()};
}

/// As `check` takes it, and not for an option.
std::string as_argument(const fs::path& folder)
{
    const std::string path = folder.string();
    return shell_word(path.starts_with('-') ? "./" + path : path);
}

}  // namespace

int init(const Args& args, Output& output)
{
    const fs::path folder = args.find("dir").value_or(".");
    if (folder.empty())
        throw Error(Code::invalid, "the folder's name is empty; name one, or leave it out for the current folder");
    const SharedFiles shared;
    const bool is_new = config::files_of(folder).empty();
    const auto team = args.find("team");
    const std::vector<std::string> written = team ? write_team(folder, *team) : write_project(folder);
    if (is_new) home::adopt(place_here(), folder);  // what was there before somebody else may have written
    std::string text;
    if (output.json) {
        JsonWriter json(text);
        json.begin_object().field("folder", folder.string()).key("files").begin_array();
        for (const std::string& path : written) json.value(path);
        json.end_array().end_object();
        text += "\n";
    } else if (!output.quiet) {
        for (const std::string& path : written) text += fmt::format("{}\n", printable((folder / path).string()));
        const std::string there = printable(as_argument(folder));
        text += fmt::format("\nNext: cadre check {}\n", there);
        if (!team)
            text += fmt::format("Then: {}cadre run \"How do I resume a task?\"\n",
                                there == "." ? "" : fmt::format("cd {} && ", there));
    }
    output.print(text);
    return 0;
}

}  // namespace cadre::cli
