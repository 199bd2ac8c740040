// Where configuration lies: the project, which is the nearest folder upwards with a project file, and the home (C-17).
#pragma once

#include "config/file_kind.hpp"
#include "config/variables.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::config {

/// cadre.yaml, cadre.yml or cadre.json in that folder: the first of them that is there.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder);

/// The nearest folder from `from` upwards that has a project file; `from` itself when there is none.
std::filesystem::path find_project(const std::filesystem::path& from);

/// Where Cadre keeps its data: $CADRE_HOME, or the default home. Nothing when neither is known. It need not exist.
std::optional<std::filesystem::path> find_home(const Environment& environment);
/// ~/.multi-agent
std::optional<std::filesystem::path> find_default_home(const Environment& environment);

/// Every configuration file that belongs to the folder, a project or a home, in the order of their names; teams, agents and
/// workflows, then what lies in config/ and agents/config/, and files of known names beside them.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder);

struct ProjectsBelow {
    std::vector<std::filesystem::path> projects{};  // in the order of their names
    bool complete = true;                           // false: there are more folders than anyone wants to wait for
};
inline constexpr std::size_t kMaxFoldersBelow = 10'000;

/// Folders below, those in others of them too, that have a project file. Hidden ones, node_modules and links are passed over; the
/// nearest are looked at first.
ProjectsBelow projects_below(const std::filesystem::path& folder, std::size_t max_folders = kMaxFoldersBelow);

/// Whether the path is the folder's or leads to something in it, by its words alone.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The project that a folder belongs to: find_project(), and without a project file anywhere the folder around teams/ and its
/// like.
std::filesystem::path project_around(const std::filesystem::path& folder);

/// The file of the team, agent or workflow of that name: in the project, then in the home.
std::optional<std::filesystem::path> find_file(FileKind kind, std::string_view name,
                                               const std::filesystem::path& project,
                                               const std::optional<std::filesystem::path>& home);

/// The text of a file of at most `limit` bytes, or a finding that says why not. Nothing but files is read: no pipes, no devices.
std::optional<std::string> read_file(const std::filesystem::path& file, const std::string& shown, Findings& findings,
                                     std::size_t limit = 1 << 20);

}  // namespace cadre::config
