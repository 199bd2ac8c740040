// A team, an agent or a workflow as it would run: its file in the light of its project. `run` and `check` both ask this, so that what the one
// calls green the other accepts, up to networks and keys.
#pragma once

#include "config/file_kind.hpp"
#include "config/finding.hpp"
#include "model/graph.hpp"
#include "model/team.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace cadre::home {

class Project;

struct Resolution {
    /// Texts of templates are in it, programs and scripts are known by their whole paths, models are merged with what lies under them, and
    /// tools of servers are called `server.tool`. An agent by itself is a team of one. Meant to be used only without errors.
    model::Team team{};
    /// Of a workflow: what its task is pinned to. Its team has the agents that its nodes name, and one more that calls their tools.
    std::optional<model::WorkflowSetup> workflow{};
    /// Everything else that is wrong, each with its place: of this file, and of the project's model. A key that is missing is a note.
    config::Findings findings{};
    /// That no model is configured anywhere, and which one works instead: said once, whichever files show it.
    std::optional<config::Finding> no_model{};
    std::optional<config::FileKind> kind{};  // team, agent or workflow; of other kinds there is nothing to resolve
};

/// `model`: what wins over all that the files say; empty: they count. `by_itself`: of a workflow, whether it is to be run by itself, and
/// not only by others, which name its items.
Resolution resolve(const Project& project, const std::filesystem::path& file, const std::string& model = "",
                   bool by_itself = true);

}  // namespace cadre::home
