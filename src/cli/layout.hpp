// Text laid out for people: paragraphs and columns that fit a terminal.
#pragma once

#include "cli/char_width.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

inline constexpr std::size_t kWidth = 80;

/// `text` broken at spaces so that no line passes kWidth, each line after `indent` spaces. Line breaks in it stay. A word that
/// is too long stands alone. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t indent = 0);

/// Cuts the first line that is whole off `text`: up to a line break, or the words that fit into `width` columns when there
/// are more. A word that is too long is cut. Nothing: what is there may still grow.
std::optional<std::string> take_line(std::string& text, std::size_t width);
/// All lines of `text`, cut in that way.
std::vector<std::string> lines_of(std::string text, std::size_t width);

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
