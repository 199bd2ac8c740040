// chat and sessions: conversations.
#pragma once

#include "cli/verb.hpp"

#include <vector>

namespace cadre::cli {

std::vector<Verb> chat_verbs();

}  // namespace cadre::cli
