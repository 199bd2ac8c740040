// Secrets that stand in a file in plain sight.
#pragma once

#include "config/document.hpp"

namespace cadre::config {

/// Reports fields like `api_key` that hold the key itself, and any text that looks like a credential; in prose,
/// such as a prompt, only what is a key by itself. Goes before
/// interpolate(), because what comes from a variable is not written here.
void find_secrets(Document& document, Findings& findings);

}  // namespace cadre::config
