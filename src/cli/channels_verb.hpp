// cadre channels: the accounts that messages come in and go out over, and whether webhooks reach the server.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb channels_verb();

}  // namespace cadre::cli
