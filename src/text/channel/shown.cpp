#include "text/channel/shown.hpp"

#include "base/ascii.hpp"
#include "text/channel/dialect.hpp"
#include "text/channel/sms.hpp"

#include <algorithm>

namespace cadre::text {

namespace {

/// What stands before the first colon, if that is a scheme's.
std::string_view scheme_of(std::string_view address)
{
    const std::size_t end = address.find_first_of(":/?#");
    return end == address.npos || address[end] != ':' ? std::string_view() : address.substr(0, end);
}

/// An address as people write it.
std::string spoken(std::string_view address)
{
    for (const std::string_view scheme : {"mailto:", "tel:"})
        if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
    return std::string(address);
}

/// Like `block`, with no text yet.
Block empty_like(const Block& block)
{
    Block out;
    out.kind = block.kind;
    out.level = block.level;
    out.begins_item = block.begins_item;
    out.within = block.within;
    out.columns = block.columns;
    return out;
}

class Speaker {
public:
    explicit Speaker(const ChannelRules& rules)
        : rules_(rules),
          is_plain_(rules.channel == ChannelKind::sms),
          shows_links_(rules.markdown.links &&
                       (rules.channel == ChannelKind::email || rules.channel == ChannelKind::teams))
    {}

    void say(const Block& block, std::vector<Block>& out) const;

private:
    Block with_words(const Block& block) const;
    void add_words(Block& out, const Block& block, std::size_t begin, std::size_t end, Marks more) const;
    Marks shown(Marks marks) const;
    void say_table(const Block& table, std::vector<Block>& out) const;

    const ChannelRules& rules_;
    bool is_plain_;
    bool shows_links_;
};

Marks Speaker::shown(Marks marks) const
{
    if (is_plain_) return 0;
    const ShownMarkdown& can = rules_.markdown;
    const bool can_strike = (can.bold || can.italic) && rules_.channel != ChannelKind::teams;
    const auto all = static_cast<Marks>((can.bold ? kBold : 0) | (can.italic ? kItalic : 0) |
                                        (can_strike ? kStrike : 0) | (can.code ? kCode : 0));
    return marks & all;
}

void Speaker::add_words(Block& out, const Block& block, std::size_t begin, std::size_t end, Marks more) const
{
    struct Said {
        std::string_view words;
        Marks marks;
        int link;
    };
    std::vector<Said> all;
    each_words(block, begin, end,
               [&](std::string_view words, Marks marks, int link) { all.push_back({words, marks, link}); });
    for (auto from = all.begin(); from != all.end();) {
        const int link = from->link;
        const auto to = std::find_if(from, all.end(), [&](const Said& said) { return said.link != link; });
        const std::string address = link < 0 ? "" : block.links[static_cast<std::size_t>(link)];
        const bool is_linked = shows_links_ && may_be_linked(address);
        if (is_linked) out.links.push_back(address);
        const int kept = is_linked ? static_cast<int>(out.links.size()) - 1 : -1;
        std::string text;
        for (; from != to; ++from) {
            text += from->words;
            out.add(is_plain_ ? with_plain_typography(from->words) : std::string(from->words),
                    shown(from->marks | more), kept);
        }
        const bool leads_elsewhere = !address.empty() && !is_bare_link(text, address) && may_be_shown(address);
        if (!is_linked && leads_elsewhere) out.add(": " + spoken(address));
    }
}

Block Speaker::with_words(const Block& block) const
{
    Block out = empty_like(block);
    const bool is_heading_here = rules_.channel == ChannelKind::teams ||
                                 (rules_.markdown.headers && !is_plain_ && rules_.channel != ChannelKind::whatsapp);
    Marks more = 0;
    if (block.kind == Block::Kind::heading && !is_heading_here) {
        out.kind = Block::Kind::paragraph;
        more = kBold;
    }
    add_words(out, block, 0, block.text.size(), more);
    return out;
}

void Speaker::say_table(const Block& table, std::vector<Block>& out) const
{
    const bool shows =
        rules_.channel == ChannelKind::teams || (rules_.channel == ChannelKind::email && rules_.markdown.tables);
    if (!shows) {
        for (std::size_t row = 1; row < table.rows(); ++row) out.push_back(with_words(row_in_words(table, row)));
        if (table.rows() == 1) out.push_back(with_words(row_in_words(table, 0)));
        return;
    }
    Block kept = empty_like(table);
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
        add_words(kept, table, i == 0 ? 0 : table.cells[i - 1], table.cells[i], 0);
        kept.cells.push_back(kept.text.size());
    }
    out.push_back(std::move(kept));
}

void Speaker::say(const Block& block, std::vector<Block>& out) const
{
    const bool shows_rules = rules_.channel == ChannelKind::email;
    if (block.kind == Block::Kind::rule) {
        if (shows_rules) out.push_back(block);
    } else if (block.kind == Block::Kind::table) {
        say_table(block, out);
    } else {
        out.push_back(with_words(block));
    }
}

}  // namespace

bool may_be_shown(std::string_view address)
{
    return may_be_linked(address) || scheme_of(address).empty();
}

bool may_be_linked(std::string_view address)
{
    const std::string scheme = lower(scheme_of(address));
    return scheme == "https" || scheme == "http" || scheme == "mailto" || scheme == "tel";
}

Block row_in_words(const Block& table, std::size_t row)
{
    Block out;
    out.begins_item = table.begins_item && row <= 1;
    out.within = table.within;
    out.links = table.links;
    for (std::size_t column = 0; column < table.columns; ++column) {
        const CellRange cell = cell_of(table, row, column);
        if (cell.begin == cell.end) continue;
        if (!out.text.empty()) out.add(row == 0 ? ", " : "\n");
        const CellRange name = cell_of(table, 0, column);
        if (row > 0 && name.begin < name.end) out.add(table.text.substr(name.begin, name.end - name.begin) + ": ");
        each_words(table, cell.begin, cell.end,
                   [&](std::string_view words, Marks marks, int link) { out.add(words, marks, link); });
    }
    return out;
}

bool loses_markdown(const MarkdownUse& uses, const ChannelRules& rules)
{
    if (rules.channel == ChannelKind::sms) return uses.any();
    const ShownMarkdown& can = rules.markdown;
    const bool is_card = rules.channel == ChannelKind::teams, is_mail = rules.channel == ChannelKind::email;
    return (uses.bold && !can.bold) || (uses.italic && !can.italic) || (uses.code && !can.code && !is_card) ||
           (uses.strike && (is_card || !(can.bold || can.italic))) ||
           (uses.headers && !is_card && !(is_mail && can.headers)) ||
           (uses.tables && !is_card && !(is_mail && can.tables)) ||
           (uses.links && !((is_card || is_mail) && can.links)) || uses.images || (uses.rules && !is_mail);
}

std::vector<Block> shown_blocks(const Markdown& markdown, const ChannelRules& rules)
{
    const Speaker speaker(rules);
    std::vector<Block> out;
    for (const Block& block : markdown.blocks) speaker.say(block, out);
    return out;
}

}  // namespace cadre::text
