// cadre logs: the log of the home, for people and as it is written.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb logs_verb();

}  // namespace cadre::cli
