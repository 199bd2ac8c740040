// Completion scripts for shells, made from the verb table.
#pragma once

#include "cli/verb.hpp"

#include <string>
#include <vector>

namespace cadre::cli {

std::string bash_completion(const Program& program);
std::string zsh_completion(const Program& program);

std::vector<std::string> completion_shells();

/// The verb.
int completion(const Args& args, Output& output);

}  // namespace cadre::cli
