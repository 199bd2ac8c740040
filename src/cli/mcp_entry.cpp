#include "cli/mcp_entry.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "cli/here.hpp"
#include "config/contents.hpp"
#include "home/project/project.hpp"
#include "storage/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

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
    const fs::path file = project / "config" / "mcp_servers.yaml";
    const std::string entry = entry_text(name, words);
    std::error_code error;
    const bool exists = fs::exists(file, error);
    if (exists) {
        const auto names = names_in(project, file);
        if (std::ranges::find(names, name) != names.end())
            throw Error(Code::conflict, fmt::format("{} has a server {} already", file.string(), name));
    }
    const std::string before = exists ? storage::find_file(file).value_or("") : "mcpServers:\n";
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

}  // namespace cadre::cli
