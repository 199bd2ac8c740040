// UTF-8: where characters begin and end.
#pragma once

#include <cstddef>
#include <string_view>

namespace cadre {

/// Bytes of the character that `text` starts with: 1 to 4, or 0 if it starts with no valid character.
std::size_t utf8_length(std::string_view text);

/// The longest start of `text` of at most `bytes` bytes that splits no character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

}  // namespace cadre
