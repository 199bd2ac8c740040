// `cadre token`: the admin's token of the home's server.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb token_verb();

}  // namespace cadre::cli
