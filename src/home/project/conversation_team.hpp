// The four agents that answer messages where a project has no teams/conversation.yaml of its own.
#pragma once

#include "model/team.hpp"

#include <string>

namespace cadre::home {

model::Team conversation_team();
/// The same as a file, for projects that want to change it.
std::string conversation_team_file();

}  // namespace cadre::home
