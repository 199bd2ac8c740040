// The prepared vocabularies inside the program.
#pragma once

#include "text/encoding.hpp"

#include <string_view>

namespace cadre::text {

/// Empty when the program was built without.
std::string_view embedded(Encoding encoding);

}  // namespace cadre::text
