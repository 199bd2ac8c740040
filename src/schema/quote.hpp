// Foreign text that a person must see whole to act on it: a URI, a pattern. base's in_quotes() cuts after 40 bytes.
#pragma once

#include <string>
#include <string_view>

namespace cadre::schema {

/// In quotes, escaped as in JSON, cut after 300 bytes.
std::string quoted_whole(std::string_view text);

}  // namespace cadre::schema
