// `cadre route`: which agents of a team a request would go to, and why.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb route_verb();

}  // namespace cadre::cli
