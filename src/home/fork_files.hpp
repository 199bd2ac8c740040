// Which files of a task a fork of it begins with: those that were there where it forks.
#pragma once

#include "storage/record.hpp"

#include <filesystem>
#include <set>
#include <span>
#include <string>

namespace cadre::home {

/// Files, by their paths below the task's artifacts, that tools of the task have written and of which the fork's journal knows nothing:
/// they came into being behind the point.
std::set<std::string> files_behind(std::span<const storage::Record> source, std::span<const storage::Record> fork);

/// As far as that works. A path that leads out of the folder, by a link too, is left alone.
void remove_below(const std::filesystem::path& folder, const std::set<std::string>& files);

/// Copies a folder with all that is in it: links stay links, holes stay holes, and what is no file is left out. Throws Error(unavailable).
void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace cadre::home
