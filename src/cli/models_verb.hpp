// cadre models: what is configured, what it costs, and who answers.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb models_verb();

}  // namespace cadre::cli
