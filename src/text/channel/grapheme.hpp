// What people see as one character: a letter with its accents, a family of seven code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

/// Where each one ends, in bytes: the last is the text's size. Unicode's extended grapheme clusters (ICU).
std::vector<std::size_t> grapheme_ends(std::string_view text);

/// Whether it is shown as a picture: `😀`, `❤️`, flags, keycaps. Digits, `©` and `™` are text.
bool is_emoji(std::string_view grapheme);

/// Without emojis and the blank that each leaves behind beside another one, at the beginning or at the end.
std::string without_emojis(std::string_view text);
bool has_emojis(std::string_view text);

}  // namespace cadre::text
