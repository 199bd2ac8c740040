// Help for programs: the verb table as JSON.
#pragma once

#include "cli/verb.hpp"

#include <string>

namespace cadre::cli {

/// `{"verbs":[…],"flags":[…]}`, the flags being those that every verb understands.
std::string to_json(const Program& program);
std::string to_json(const Verb& verb);
std::string exit_codes_json();

}  // namespace cadre::cli
