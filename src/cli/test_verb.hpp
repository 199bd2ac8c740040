// The verb test: runs the tests that users write beside their teams, agents and workflows.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb test_verb();

}  // namespace cadre::cli
