// `cadre ask`: a question to the data domains of the project.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb ask_verb();

}  // namespace cadre::cli
