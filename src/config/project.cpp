#include "config/project.hpp"

#include "base/error.hpp"
#include "config/document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace cadre::config {

namespace fs = std::filesystem;

namespace {

/// Not a limit that a project meets: it keeps a wrong folder from costing minutes.
constexpr std::size_t kMaxFiles = 10'000;

void add_files(const fs::path& folder, bool known_names_only, std::vector<fs::path>& files)
{
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (found.size() >= kMaxFiles) break;
        const fs::path& path = it->path();
        if (!is_configuration(path.filename().string()) || !it->is_regular_file(error)) continue;
        // a name of ours, not a folder's: `teams/` says nothing about a file in a project that is itself called teams
        if (known_names_only && !kind_by_name(path.filename())) continue;
        found.push_back(path);
    }
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
}

std::string_view folder_of(FileKind kind)
{
    switch (kind) {
    case FileKind::team: return "teams";
    case FileKind::agent: return "agents";
    case FileKind::workflow: return "workflows";
    default: return "config";
    }
}

}  // namespace

fs::path find_project(const fs::path& from)
{
    std::error_code error;
    const fs::path start = fs::absolute(from, error).lexically_normal();
    for (fs::path folder = start;; folder = folder.parent_path()) {
        if (fs::is_regular_file(folder / "cadre.yaml", error)) return folder;
        if (folder == folder.parent_path()) return start;
    }
}

std::optional<fs::path> find_home(const Environment& environment)
{
    if (const auto chosen = environment("CADRE_HOME")) return *chosen;
    if (const auto home = environment("HOME")) return fs::path(*home) / ".multi-agent";
    return std::nullopt;
}

std::vector<fs::path> files_of(const fs::path& folder)
{
    std::vector<fs::path> files;
    add_files(folder, true, files);
    for (const char* inner : {"teams", "agents", "workflows"}) add_files(folder / inner, false, files);
    for (const char* inner : {"config", "agents/config"}) add_files(folder / inner, true, files);
    return files;
}

bool is_part_of_project(const fs::path& folder)
{
    const std::string name = folder.filename().string();
    return name == "teams" || name == "agents" || name == "workflows" || name == "config";
}

std::optional<fs::path> find_file(FileKind kind, std::string_view name, const fs::path& project,
                                  const std::optional<fs::path>& home)
{
    // a name is a name: nothing that leads out of the folder
    if (name.empty() || name.find_first_of("/\\") != name.npos || name.starts_with('.')) return std::nullopt;
    std::error_code error;
    for (const auto& root : {std::optional(project), home}) {
        if (!root) continue;
        for (const char* extension : {".yaml", ".yml", ".json"}) {
            const fs::path file = *root / folder_of(kind) / (std::string(name) + extension);
            if (fs::is_regular_file(file, error)) return file;
        }
    }
    return std::nullopt;
}

std::optional<std::string> read_file(const fs::path& file, const std::string& shown, Findings& findings,
                                     std::size_t limit)
{
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
        findings.error(shown, {}, fs::exists(file, error) ? "is not a file" : "does not exist");
        return std::nullopt;
    }
    std::ifstream stream(file, std::ios::binary);
    std::string text(limit + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.is_open() || stream.bad()) {
        findings.error(shown, {}, "cannot be read; check its permissions");
        return std::nullopt;
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit) {
        findings.error(shown, {}, fmt::format("has more than {} bytes; split it", limit));
        return std::nullopt;
    }
    return text;
}

}  // namespace cadre::config
