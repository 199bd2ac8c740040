#include "config/project.hpp"

#include "base/error.hpp"
#include "config/document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <system_error>
#include <utility>

namespace cadre::config {

namespace fs = std::filesystem;

namespace {

/// Not a limit that a project meets: it keeps a wrong folder from costing minutes.
constexpr std::size_t kMaxFiles = 10'000;
constexpr int kMaxDepthBelow = 16;

void add_files(const fs::path& folder, bool known_names_only, std::vector<fs::path>& files)
{
    std::error_code error;
    std::vector<fs::path> found;
    fs::directory_iterator it(folder, error);
    // whoever reads the folder in place of its files is told why that does not work
    if (std::error_code none;
        error && fs::exists(fs::symlink_status(folder, none)) && !fs::is_regular_file(folder, none))
        found.push_back(folder);
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
        if (found.size() >= kMaxFiles) break;
        const fs::path& path = it->path();
        if (!is_configuration(path.filename().string())) continue;  // what is no file but is called so is told about
        // a name of ours, not a folder's: `teams/` says nothing about a file in a project that is itself called teams
        if (known_names_only && !kind_by_name(path.filename())) continue;
        found.push_back(path);
    }
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
}

/// Those in which projects may be, in the order of their names.
std::vector<fs::path> folders_in(const fs::path& folder)
{
    std::vector<fs::path> folders;
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
        std::error_code none;
        const std::string name = it->path().filename().string();
        if (name.starts_with('.') || name == "node_modules") continue;
        if (!it->is_symlink(none) && it->is_directory(none)) folders.push_back(it->path());
    }
    std::ranges::sort(folders);
    return folders;
}

/// A folder that is called teams may be a project all the same.
bool has_parts(const fs::path& folder)
{
    std::error_code error;
    return std::ranges::any_of(std::array{"teams", "agents", "workflows"},
                               [&](const char* part) { return fs::is_directory(folder / part, error); });
}

/// Of something that is there and is no file that can be read.
std::string why_not(const fs::path& path)
{
    std::error_code error;
    switch (fs::status(path, error).type()) {
    case fs::file_type::not_found: return "the link leads to nothing";
    case fs::file_type::directory:
        if (fs::directory_iterator(path, error); error) return error.message();
        return "it is not a file but a folder";
    case fs::file_type::none:
    case fs::file_type::unknown: return error ? error.message() : "it is not a file";
    default: return "it is not a file";
    }
}

}  // namespace

std::optional<fs::path> find_project_file(const fs::path& folder)
{
    std::error_code error;
    for (const std::string_view extension : kExtensions)
        if (fs::path file = folder / fmt::format("cadre{}", extension); fs::is_regular_file(file, error)) return file;
    // what is called so and cannot be read is told by whoever reads it: its budget must not be passed over
    for (const std::string_view extension : kExtensions)
        if (fs::path file = folder / fmt::format("cadre{}", extension); fs::exists(fs::symlink_status(file, error)))
            return file;
    return std::nullopt;
}

fs::path find_project(const fs::path& from)
{
    std::error_code error;
    const fs::path start = fs::absolute(from, error).lexically_normal();
    for (fs::path folder = start;; folder = folder.parent_path()) {
        if (find_project_file(folder)) return folder;
        if (folder == folder.parent_path()) return start;
    }
}

std::optional<fs::path> find_home(const Environment& environment)
{
    if (const auto chosen = environment("CADRE_HOME")) return *chosen;
    return find_default_home(environment);
}

std::optional<fs::path> find_default_home(const Environment& environment)
{
    if (const auto home = environment("HOME")) return fs::path(*home) / ".multi-agent";
    return std::nullopt;
}

std::vector<fs::path> files_of(const fs::path& folder)
{
    std::vector<fs::path> files;
    add_files(folder, true, files);
    const auto project_file = find_project_file(folder);
    std::erase_if(files, [&](const fs::path& file) {
        return project_file && file != *project_file && kind_by_name(file.filename()) == FileKind::project;
    });
    for (const char* inner : {"teams", "agents", "workflows"}) add_files(folder / inner, false, files);
    for (const char* inner : {"config", "agents/config"}) add_files(folder / inner, true, files);
    return files;
}

ProjectsBelow projects_below(const fs::path& folder, std::size_t max_folders)
{
    ProjectsBelow found;
    std::deque<std::pair<fs::path, int>> waiting{{folder, 0}};  // with their depth
    for (std::size_t seen = 0; !waiting.empty(); ++seen) {
        if (seen == max_folders) {
            found.complete = false;
            break;
        }
        const auto [here, depth] = std::move(waiting.front());
        waiting.pop_front();
        if (depth > 0 && find_project_file(here)) found.projects.push_back(here);
        if (depth == kMaxDepthBelow) continue;
        for (fs::path& inner : folders_in(here)) waiting.emplace_back(std::move(inner), depth + 1);
    }
    std::ranges::sort(found.projects);
    return found;
}

bool is_below(const fs::path& path, const fs::path& folder)
{
    const fs::path top = folder.has_filename() ? folder : folder.parent_path();  // `home/` and `home` are one
    return std::mismatch(top.begin(), top.end(), path.begin(), path.end()).first == top.end();
}

fs::path project_around(const fs::path& folder)
{
    fs::path project = find_project(folder);
    if (find_project_file(project)) return project;
    const fs::path around = folder.parent_path();
    const fs::path name = folder.filename();
    if (name == "config" && around.filename() == "agents") return around.parent_path();
    const bool is_part = name == "teams" || name == "agents" || name == "workflows" || name == "config";
    return is_part && !has_parts(folder) ? around : project;
}

std::optional<fs::path> find_file(FileKind kind, std::string_view name, const fs::path& project,
                                  const std::optional<fs::path>& home)
{
    // a name is a name: nothing that leads out of the folder
    if (name.empty() || name.find_first_of("/\\") != name.npos || name.starts_with('.')) return std::nullopt;
    std::error_code error;
    for (const auto& root : {std::optional(project), home}) {
        if (!root) continue;
        for (const std::string_view extension : kExtensions) {
            const fs::path file = *root / folder_of(kind).value_or("config") / fmt::format("{}{}", name, extension);
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
        if (fs::symlink_status(file, error).type() == fs::file_type::not_found)
            findings.error(shown, {}, "does not exist");
        else findings.error(shown, {}, "cannot be read: " + why_not(file));
        return std::nullopt;
    }
    std::ifstream stream(file, std::ios::binary);
    std::string text(limit + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.is_open() || stream.bad()) {
        findings.error(shown, {}, "cannot be read: check its permissions");
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
