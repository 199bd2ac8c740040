#include "cli/mcp_entry.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "cli/here.hpp"
#include "config/contents.hpp"
#include "config/place.hpp"
#include "home/project/project.hpp"
#include "net/process_spawn.hpp"
#include "storage/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEmptyFile = "mcpServers:\n";

bool is_url(std::string_view word)
{
    return word.starts_with("http://") || word.starts_with("https://");
}

/// A JSON string is a YAML one too.
std::string quoted_text(std::string_view text)
{
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string entry_text(const std::string& name, const std::vector<std::string>& words)
{
    std::string text = fmt::format("  {}:\n", name);
    if (words.size() == 1 && is_url(words[0])) return text + fmt::format("    url: {}\n", quoted_text(words[0]));
    text += fmt::format("    command: {}\n", quoted_text(words[0]));
    if (words.size() == 1) return text;
    text += "    args: [";
    for (std::size_t i = 1; i < words.size(); ++i) text += (i > 1 ? ", " : "") + quoted_text(words[i]);
    return text + "]\n";
}

void expect_program(const fs::path& project, const std::string& program)
{
    if (program.find('/') == program.npos) {
        net::find_program({.argv = {program}});
        return;
    }
    std::error_code error;
    const fs::path file = project / program;  // as it will be started
    if (!fs::is_regular_file(file, error))
        throw Error(Code::not_found, fmt::format("there is no program {}", file.lexically_normal().string()));
    if (::access(file.c_str(), X_OK) != 0)
        throw Error(Code::invalid,
                    fmt::format("{} is not executable; make it so: chmod +x", file.lexically_normal().string()));
}

/// Lines of the entry that begins there: it, and what is indented more.
std::string without_entry(std::string_view text, std::size_t line)
{
    std::string rest;
    std::optional<std::size_t> indent;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view one = text.substr(0, size);
        text.remove_prefix(size);
        const std::size_t first = one.find_first_not_of(" \t\r\n");
        if (number == line) indent = first;
        else if (indent && first != one.npos && first <= *indent) indent.reset();
        if (!indent) rest += one;
    }
    return rest;
}

std::vector<std::string> names_in(const fs::path& project, const fs::path& file)
{
    const config::Contents contents = home::Project(place_here(), project).read(file);
    std::vector<std::string> names;
    for (const auto& server : contents.servers) names.push_back(server.value.name);
    return names;
}

}  // namespace

fs::path add_server(const fs::path& project, const std::string& name, const std::vector<std::string>& words)
{
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    if (!is_name)
        throw Error(Code::invalid,
                    fmt::format("a server's name is made of letters, digits, _ and -, not {}", in_quotes(name)));
    if (!is_url(words[0])) expect_program(project, words[0]);
    const fs::path file = project / "config" / "mcp_servers.yaml";
    const std::string entry = entry_text(name, words);
    std::error_code error;
    const bool exists = fs::exists(file, error);
    if (exists) {
        const auto names = names_in(project, file);
        if (std::ranges::find(names, name) != names.end())
            throw Error(Code::conflict, fmt::format("{} has a server {} already", file.string(), name));
    }
    const std::string before = exists ? storage::find_file(file).value_or("") : std::string(kEmptyFile);
    const std::string text = before + (before.ends_with('\n') ? "" : "\n") + entry;

    fs::create_directories(file.parent_path(), error);
    const fs::path draft = file.parent_path() / (".mcp_servers.draft.yaml");
    std::ofstream(draft) << text;
    std::vector<std::string> now;
    try {
        now = names_in(project, draft);
    } catch (const Error&) {
        // of another form: what was added is no server there
    }
    if (std::ranges::find(now, name) == now.end()) {
        fs::remove(draft, error);
        throw Error(Code::invalid,
                    fmt::format("{} has a form of its own; put this under its mcpServers:\n{}", file.string(), entry));
    }
    fs::rename(draft, file, error);
    if (error) throw Error(Code::unavailable, fmt::format("cannot write {}: {}", file.string(), error.message()));
    return file;
}

fs::path remove_server(const fs::path& project, const std::string& name)
{
    const home::Project here(place_here(), project);
    const config::Placed<model::framework::MCPServer>* found = nullptr;
    for (const auto& server : here.contents().servers)
        if (server.value.name == name) found = &server;
    if (!found) throw Error(Code::not_found, fmt::format("there is no server {}", in_quotes(name)));
    const fs::path file = found->file->path;
    const config::Found place = config::find(found->file->document->value, found->file->document->root, found->path);
    std::vector<std::string> wanted = names_in(project, file);
    std::erase(wanted, name);
    const std::string rest = without_entry(storage::find_file(file).value_or(""), place.place->key.line);

    std::error_code error;
    if (rest == kEmptyFile && here.is_projects(file)) {
        fs::remove(file, error);
        return file;
    }
    const fs::path draft = file.parent_path() / (".mcp_servers.draft" + file.extension().string());
    std::ofstream(draft) << rest;
    bool is_right = false;
    try {
        is_right = here.is_projects(file) && names_in(project, draft) == wanted;
    } catch (const Error&) {
        // of another form: more is gone than it
    }
    if (!is_right) {
        fs::remove(draft, error);
        throw Error(Code::invalid, fmt::format("server {} stands in {}, line {}; remove it there", name, file.string(),
                                               place.place->key.line));
    }
    fs::rename(draft, file, error);
    if (error) throw Error(Code::unavailable, fmt::format("cannot write {}: {}", file.string(), error.message()));
    return file;
}

}  // namespace cadre::cli
