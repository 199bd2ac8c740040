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
constexpr int kMaxDepthBelow = 2;

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

std::optional<fs::path> find_project_file(const fs::path& folder)
{
    std::error_code error;
    for (const std::string_view extension : kExtensions)
        if (fs::path file = folder / fmt::format("cadre{}", extension); fs::is_regular_file(file, error)) return file;
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

std::vector<fs::path> projects_below(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    std::size_t seen = 0;
    for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end && seen < kMaxFiles; it.increment(error), ++seen) {
        std::error_code none;
        if (!it->is_directory(none) || it->is_symlink(none)) continue;
        const std::string name = it->path().filename().string();
        const bool is_project = find_project_file(it->path()).has_value();
        if (is_project) found.push_back(it->path());
        if (is_project || it.depth() >= kMaxDepthBelow || name.starts_with('.') || name == "node_modules")
            it.disable_recursion_pending();
    }
    std::ranges::sort(found);
    return found;
}

bool is_below(const fs::path& path, const fs::path& folder)
{
    const fs::path top = folder.has_filename() ? folder : folder.parent_path();  // `home/` and `home` are one
    return std::mismatch(top.begin(), top.end(), path.begin(), path.end()).first == top.end();
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
        for (const std::string_view extension : kExtensions) {
            const fs::path file = *root / folder_of(kind) / fmt::format("{}{}", name, extension);
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
