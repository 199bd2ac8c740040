// The models of a team: what agents, their team and the project say, merged and looked at.
#pragma once

#include "config/contents.hpp"
#include "config/finding.hpp"
#include "model/team.hpp"

#include <optional>

namespace cadre::home {

class Project;

/// Gives the agents, and the team for those that say nothing, the model that they would speak with. `file`: the team's or agent's.
/// `findings`: null where another model wins over all of them, so that only their settings count. Returns what there is to say when
/// nobody says which model it is, and usual_model() works.
std::optional<config::Finding> resolve_models(model::Team& team, const config::File& file, const Project& project,
                                              config::Findings* findings);

}  // namespace cadre::home
