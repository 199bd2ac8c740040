// What a channel writes for a part of a text, and how much room that takes.
#pragma once

#include "text/channel/markdown.hpp"
#include "text/channel/render.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cadre::text {

/// Of a block: bytes of its text; of a table, rows below its header. The block outlives it.
struct Part {
    const Block* block = nullptr;
    std::size_t begin = 0;
    std::size_t end = 0;

    explicit Part(const Block& all)
        : block(&all), end(all.kind == Block::Kind::table ? std::max<std::size_t>(all.rows(), 1) - 1 : all.text.size())
    {}
    Part(const Block& of, std::size_t from, std::size_t to) : block(&of), begin(from), end(to) {}

    bool is_table() const { return block->kind == Block::Kind::table; }
    std::string_view text() const { return std::string_view(block->text).substr(begin, end - begin); }
};

/// What bounds a piece: characters as people count them, and the vendor's own unit.
struct Room {
    std::size_t characters = 0;  // code points
    std::size_t units = 0;

    Room operator+(Room more) const { return {characters + more.characters, units + more.units}; }
    bool fits(Room limit) const { return characters <= limit.characters && units <= limit.units; }
};

class Dialect {
public:
    virtual ~Dialect() = default;

    /// What one piece holds at most, without what every piece has around it.
    virtual Room limit() const = 0;
    virtual Room room(const Part& part) const = 0;
    virtual Room between(const Part& before, const Part& after) const = 0;
    virtual Room room_of_indicator(std::string_view indicator) const = 0;
    /// Content and alternative; no indicator: there is one piece.
    virtual MessagePiece piece(std::span<const Part> parts, std::string_view indicator) const = 0;
};

std::unique_ptr<Dialect> make_dialect(const ChannelRules& rules);

/// Calls `take(words, marks, link)` for each look between two places of a block's text.
template <class Take>
void each_words(const Block& block, std::size_t begin, std::size_t end, const Take& take)
{
    auto words = std::upper_bound(block.words.begin(), block.words.end(), begin,
                                  [](std::size_t at, const Words& these) { return at < these.end; });
    for (std::size_t at = begin; at < end && words != block.words.end(); ++words) {
        const std::size_t to = std::min(words->end, end);
        take(std::string_view(block.text).substr(at, to - at), words->marks, words->link);
        at = to;
    }
}

/// Of a table: where a cell is in the text. Row 0 is the header.
struct CellRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};
CellRange cell_of(const Block& table, std::size_t row, std::size_t column);

bool is_tight_item(const Block& block);
/// How many lists and quotations there are around a block.
std::size_t list_depth(const Block& block);
std::size_t quote_depth(const Block& block);
/// `- ` or `3. `, indented, where an item begins; blanks where one continues.
std::string item_prefix(const Part& part);

/// Whether the second may follow the first on the next line, without an empty one.
bool is_joined(const Part& before, const Part& after);

Room room_of_text(std::string_view text);  // UTF-16 units

/// An address between the brackets of Markdown's links.
std::string link_address(std::string_view address);

}  // namespace cadre::text
