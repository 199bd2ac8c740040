// `cadre serve`: the home over HTTP.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb serve_verb();

}  // namespace cadre::cli
