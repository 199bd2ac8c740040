// memory: what is remembered across tasks.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb memory_verb();

}  // namespace cadre::cli
