// Verbs that stop a task, say something to it, and set where it stops.
#pragma once

#include "cli/verb.hpp"

#include <vector>

namespace cadre::cli {

int pause(const Args& args, Output& output);
int intervene(const Args& args, Output& output);
int breakpoints(const Args& args, Output& output);

/// Table entries of stepping through a task and of watching it.
std::vector<Verb> stepping_verbs();

}  // namespace cadre::cli
