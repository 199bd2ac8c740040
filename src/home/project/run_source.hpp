// Which file is meant by what was typed: a name of a team, an agent or a workflow, a path, or the project's own team.
#pragma once

#include "home/project/prepare_task.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cadre::home {

/// A file that something is run from, and the project whose settings count for it.
struct RunSource {
    std::filesystem::path file;  // empty: nobody has written one, and the built-in assistant works
    std::shared_ptr<const Project> project;
};

/// Throws Error(not_found) for a name that neither the project nor the home has, with those that they have.
RunSource source_of(const RunRequest& wanted, const std::shared_ptr<const Project>& here);

/// Names of what the project and the home have files for. `kinds`: their folders, such as "teams".
std::vector<std::string> known_in(const Project& project, const std::vector<const char*>& kinds);

/// "; did you mean …?", or which there are.
std::string hint_for(const std::string& name, const std::vector<std::string>& known);

}  // namespace cadre::home
