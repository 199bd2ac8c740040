// Text laid out for people: paragraphs and columns that fit a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cadre::cli {

inline constexpr std::size_t kWidth = 80;

/// Columns that `text` takes on a terminal, as far as one character is one column.
std::size_t columns(std::string_view text);

/// `text` broken at spaces so that no line passes kWidth, each line after `indent` spaces. Line breaks in it stay. A word that
/// is too long stands alone. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t indent = 0);

struct Row {
    std::string left{};
    std::string right{};
};

/// Two columns, two spaces in: the left one as wide as its widest text, the right one wrapped.
std::string table(std::span<const Row> rows);

/// `text` with spaces after it up to that many columns.
std::string padded(std::string_view text, std::size_t width);

/// `80.1 GiB`
std::string size_text(std::uint64_t bytes);

}  // namespace cadre::cli
