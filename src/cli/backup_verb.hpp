// backup: a copy of the home.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb backup_verb();

}  // namespace cadre::cli
