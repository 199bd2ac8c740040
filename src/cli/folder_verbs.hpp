// The verbs about what is kept of tasks: gc, rebuild.
#pragma once

#include "cli/verb.hpp"

#include <vector>

namespace cadre::cli {

std::vector<Verb> folder_verbs();

}  // namespace cadre::cli
