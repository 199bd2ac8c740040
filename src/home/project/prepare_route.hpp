// How requests to a team are routed: config/appsettings.json, and the agent that decides.
#pragma once

#include "base/time.hpp"

#include <string>
#include <vector>

namespace cadre::model {
struct Team;
}

namespace cadre::home {

class Project;

/// The text of a model::RouteSetup, of the project's settings or else the home's. Adds the router to the team, with the model whose `key`
/// the settings name, else the team's; where that cannot be asked, requests are compared without one, unless the settings want a model.
std::string route_setup(model::Team& team, const Project& project, const std::string& wins,
                        std::vector<std::string>& notes);

/// How long a copy of a task stays, by the same settings; what is wrong with the file is told by those who route.
Millis context_lifetime_in(const Project& project);

}  // namespace cadre::home
