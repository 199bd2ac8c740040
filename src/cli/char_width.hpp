// How many columns of a terminal text takes.
#pragma once

#include <cstddef>
#include <string_view>

namespace cadre::cli {

/// The character that `text`, which is not empty, begins with; a byte where that is none.
std::string_view first_character(std::string_view text);
char32_t code_point(std::string_view character);

/// 0 for marks that stand on the one before, 2 for East Asian characters and pictures, else 1.
std::size_t char_width(std::string_view character);

/// Columns that `text`, which has no control characters, takes on a terminal.
std::size_t columns(std::string_view text);

/// As much of the beginning of `text` as fits into that many columns.
std::string_view fitting(std::string_view text, std::size_t most);

}  // namespace cadre::cli
