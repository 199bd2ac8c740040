// `cadre inbox`: everything that waits for a person.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb inbox_verb();

}  // namespace cadre::cli
