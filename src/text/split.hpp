// Where a text is cut before its pieces become tokens: the regular expressions of the vocabularies, by hand and in linear time.
#pragma once

#include "text/encoding.hpp"

#include <cstddef>
#include <string_view>

namespace cadre::text {

/// Bytes of the piece that `text` begins with: at least one unless it is empty. `text` must reach to the end of the whole text,
/// because what follows decides.
std::size_t first_piece(std::string_view text, Encoding encoding);

}  // namespace cadre::text
