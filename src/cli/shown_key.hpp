// A key as people may see it.
#pragma once

#include "base/secret.hpp"

#include <string>
#include <string_view>

namespace cadre::cli {

/// `text` where only ASCII can be read: `…` becomes `...`.
std::string in_ascii(std::string_view text);

/// `…wxyz`; of a short one nothing.
std::string shown_key(const Secret& key, bool utf8 = true);

}  // namespace cadre::cli
