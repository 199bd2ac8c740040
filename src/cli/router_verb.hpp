// `cadre router eval`: how well requests are routed without a model.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb router_verb();

}  // namespace cadre::cli
