// cadre mock-channels: Twilio and Meta over HTTP, for tests and for trying out.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb mock_channels_verb();

}  // namespace cadre::cli
