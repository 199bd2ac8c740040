// `cadre artifacts`: the files that a task has made, and their versions.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb artifacts_verb();

}  // namespace cadre::cli
