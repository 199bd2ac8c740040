// The verb graph.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb graph_verb();

}  // namespace cadre::cli
