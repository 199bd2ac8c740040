// cadre mock-llm: a scripted model as an HTTP server.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb mock_llm_verb();

}  // namespace cadre::cli
