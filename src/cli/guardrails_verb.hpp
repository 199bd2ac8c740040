// `cadre guardrails`: what the guardrails of a team make of a text.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb guardrails_verb();

}  // namespace cadre::cli
