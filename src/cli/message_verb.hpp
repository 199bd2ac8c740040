// message: what somebody has written over a channel is answered, as it would be sent there.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb message_verb();

}  // namespace cadre::cli
