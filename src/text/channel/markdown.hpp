// A Markdown text as a list of blocks, read by md4c: what channels render and where they may cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

/// How words are shown; one of several bits.
using Marks = std::uint8_t;
inline constexpr Marks kBold = 1, kItalic = 2, kStrike = 4, kCode = 8;

/// Words of one look. Texts are kept once for a block, so that a part of it is two numbers.
struct Words {
    std::size_t end = 0;  // in the block's text; they begin where those before them end
    Marks marks = 0;
    int link = -1;  // in Block::links

    bool looks_like(const Words& other) const { return marks == other.marks && link == other.link; }
};

/// A quotation or a list around a block.
struct Container {
    enum class Kind : std::uint8_t { quote, bullets, numbers };
    Kind kind = Kind::quote;
    std::uint32_t id = 0;      // the same for all blocks in it
    std::uint32_t item = 0;    // of a list, from 0
    std::uint32_t number = 0;  // of the item, in a list of numbers
    bool is_tight = false;
};

struct Block {
    enum class Kind : std::uint8_t { paragraph, heading, code, table, rule };
    Kind kind = Kind::paragraph;
    std::uint8_t level = 0;  // of a heading, also where it is shown as a paragraph
    bool begins_item = false;
    std::string text{};
    std::vector<Words> words{};
    std::vector<std::string> links{};
    std::vector<Container> within{};   // the outermost first
    std::vector<std::size_t> cells{};  // of a table: where each ends in the text, row by row, the header first
    std::size_t columns = 0;           // of a table

    std::size_t rows() const { return columns == 0 ? 0 : cells.size() / columns; }
    /// Adds words with that look.
    void add(std::string_view more, Marks marks = 0, int link = -1);
};

/// Whether a link says nothing but where it leads.
bool is_bare_link(std::string_view text, std::string_view address);

/// What a text makes use of.
struct MarkdownUse {
    bool bold = false, italic = false, strike = false, code = false, headers = false, tables = false, links = false,
         images = false, lists = false, quotes = false, rules = false;

    bool any() const
    {
        return bold || italic || strike || code || headers || tables || links || images || lists || quotes || rules;
    }
};

struct Markdown {
    std::vector<Block> blocks{};
    MarkdownUse uses{};
};

/// CommonMark with tables, strikethrough and bare addresses as links; HTML is text. Any bytes are taken: those that are no UTF-8 become
/// U+FFFD, control characters go. Lists and quotations deeper than kMaxNesting are shown at that depth. A line break stays one. A
/// table that md4c would make much larger than the text is text.
Markdown read_markdown(std::string_view text);

inline constexpr std::size_t kMaxNesting = 12;

}  // namespace cadre::text
