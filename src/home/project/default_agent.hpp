// Who works where nobody has written a team or an agent: an assistant with whatever model is set up.
#pragma once

#include "model/team.hpp"

#include <string>
#include <vector>

namespace cadre::home {

class Project;

struct DefaultAgent {
    model::Team team{};
    std::string note{};  // for the person: who works, and with what
};

/// `model`: what wins over everything else (`--model`, CADRE_MODEL); empty: the project's, or usual_model().
DefaultAgent default_agent(const Project& project, const std::string& model);

}  // namespace cadre::home
