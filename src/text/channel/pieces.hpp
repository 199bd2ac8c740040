// Which parts of a text go into which piece.
#pragma once

#include "text/channel/dialect.hpp"

#include <deque>
#include <string>
#include <vector>

namespace cadre::text {

struct Pieces {
    std::vector<std::vector<Part>> parts{};
    std::deque<Block> made{};  // rows of tables that had to be said in words; parts point here, too
};

/// All in one piece if it fits; else cut where `split` says, and finer only where that does not fit: paragraph, sentence, word, grapheme,
/// code point. Items, rows and lines of code stay whole where a piece can hold them. Each piece has room for its indicator.
Pieces divided(const std::vector<Block>& blocks, const Dialect& dialect, SplitAt split);

/// ` (2/3)` without the blank.
std::string indicator_of(std::size_t sequence, std::size_t count);

}  // namespace cadre::text
