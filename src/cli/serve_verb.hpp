// `cadre serve`: the home over HTTP.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb serve_verb();
/// `dev`: the same for whoever writes the project.
Verb dev_verb();

}  // namespace cadre::cli
