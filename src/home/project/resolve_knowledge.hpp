// What agents may search: their knowledge folders as tools of the team.
#pragma once

#include "config/contents.hpp"
#include "config/finding.hpp"
#include "model/team.hpp"

namespace cadre::home {

class Project;

/// Gives each agent that has `knowledge` the tool that searches it. `file`: the team's or agent's. What cannot be knowledge is told.
void add_knowledge(model::Team& team, const config::File& file, const Project& project, config::Findings& findings);

}  // namespace cadre::home
