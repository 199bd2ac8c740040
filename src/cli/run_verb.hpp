// The verbs that run tasks: run, resume, step, continue, cancel.
#pragma once

#include "cli/verb.hpp"

#include <vector>

namespace cadre::cli {

int run_task(const Args& args, Output& output);
int resume(const Args& args, Output& output);
int step(const Args& args, Output& output);
int continue_task(const Args& args, Output& output);
int cancel(const Args& args, Output& output);

/// Table entries of everything about tasks.
std::vector<Verb> task_verbs();

}  // namespace cadre::cli
