// The verbs that make runs of runs: fork, diff, export, import.
#pragma once

#include "cli/verb.hpp"

#include <vector>

namespace cadre::cli {

int fork(const Args& args, Output& output);
int diff(const Args& args, Output& output);
int export_run(const Args& args, Output& output);
int import_run(const Args& args, Output& output);

/// Their table entries.
std::vector<Verb> fork_verbs();

}  // namespace cadre::cli
