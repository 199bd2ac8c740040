#include "text/channel/card.hpp"

#include "base/ascii.hpp"
#include "base/json_writer.hpp"
#include "text/channel/shown.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace cadre::text {

namespace {

constexpr std::size_t kVendorBytes =
    28'000;  // of JSON: what webhooks of Workflows take, the least of all ways to Teams
constexpr std::size_t kMaxButtons = 6;
constexpr std::string_view kCardHead =
    R"({"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.5","body":[)";

bool is_word(char c)
{
    return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// What has a meaning only where a line begins: lists, headings, quotations.
bool begins_block(std::string_view line)
{
    if (line.starts_with('#') || line.starts_with('>')) return true;
    const bool is_bullet = line.size() > 1 && line[1] == ' ' && (line[0] == '-' || line[0] == '+');
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return is_bullet || line.starts_with("---") || line.starts_with("===") ||
           (digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
            line[digits + 1] == ' ');
}

bool must_be_escaped(std::string_view text, std::size_t at)
{
    const char c = text[at];
    if (c == '_') {
        const bool inside = at > 0 && at + 1 < text.size() && is_word(text[at - 1]) && is_word(text[at + 1]);
        return !inside;
    }
    if (c == '*') {
        const bool between_blanks = at > 0 && at + 1 < text.size() && text[at - 1] == ' ' && text[at + 1] == ' ';
        return !between_blanks;
    }
    if (c == '\\') return at + 1 < text.size() && !is_word(text[at + 1]) && text[at + 1] != ' ';
    return c == '[' || c == ']' || c == '`' || c == '<' || c == '~';
}

/// Bold, italic and links, the others as they are.
std::string words_of(const Block& block, std::size_t begin, std::size_t end)
{
    std::string out;
    each_words(block, begin, end, [&](std::string_view text, Marks marks, int link) {
        const std::size_t from = std::min(text.find_first_not_of(" \n\t"), text.size());
        const std::size_t to = from == text.size() ? from : text.find_last_not_of(" \n\t") + 1;
        const std::string mark = from == to                                       ? ""
                                 : (marks & kBold) != 0 && (marks & kItalic) != 0 ? "**_"
                                 : (marks & kBold) != 0                           ? "**"
                                 : (marks & kItalic) != 0                         ? "_"
                                                                                  : "";
        out += text.substr(0, from);
        const std::string core = card_text(text.substr(from, to - from));
        std::string said = mark + core + std::string(mark.rbegin(), mark.rend());
        if (link >= 0 && from < to)
            said = "[" + said + "](" + link_address(block.links[static_cast<std::size_t>(link)]) + ")";
        out.append(said).append(text.substr(to));
    });
    return out;
}

struct TextStyle {
    bool is_heading = false;
    bool is_code = false;
    bool is_subtle = false;
    int level = 0;
    bool has_gap = true;
};

void write_text(JsonWriter& json, std::string_view text, const TextStyle& style)
{
    json.begin_object().field("type", "TextBlock").field("text", text).field("wrap", true);
    if (style.is_heading)
        json.field("style", "heading")
            .field("weight", "Bolder")
            .field("size", style.level <= 1   ? "Large"
                           : style.level == 2 ? "Medium"
                                              : "Default");
    if (style.is_code) json.field("fontType", "Monospace");
    if (style.is_subtle) json.field("isSubtle", true);
    if (!style.has_gap) json.field("spacing", "None");
    json.end_object();
}

void write_table(JsonWriter& json, const Part& part)
{
    const Block& block = *part.block;
    json.begin_object().field("type", "Table").field("firstRowAsHeader", true).key("columns").begin_array();
    for (std::size_t i = 0; i < block.columns; ++i) json.begin_object().field("width", 1).end_object();
    json.end_array().key("rows").begin_array();
    const auto add_row = [&](std::size_t row) {
        json.begin_object().field("type", "TableRow").key("cells").begin_array();
        for (std::size_t column = 0; column < block.columns; ++column) {
            const CellRange cell = cell_of(block, row, column);
            json.begin_object().field("type", "TableCell").key("items").begin_array();
            write_text(json, words_of(block, cell.begin, cell.end), {});
            json.end_array().end_object();
        }
        json.end_array().end_object();
    };
    add_row(0);
    for (std::size_t row = part.begin; row < part.end; ++row) add_row(row + 1);
    json.end_array().end_object();
}

std::string code_text(std::string_view text)
{
    std::string out = card_text(text);
    for (std::size_t at = 0; at < out.size(); ++at)  // blanks at the beginning of a line are not shown
        if (out[at] == ' ' && (at == 0 || out[at - 1] == '\n' || out[at - 1] == '\xA0')) out.replace(at, 1, "\u00A0");
    return out;
}

/// A line of text, as `text` of a card or in metadata, where there are no cards.
std::string plain_text(const Part& part)
{
    if (!part.is_table()) return item_prefix(part).append(part.text());
    std::string out;
    for (std::size_t row = part.begin; row < std::max(part.end, part.begin + 1); ++row) {
        const bool has_row = row < part.end;
        if (!out.empty()) out += "\n\n";
        out += row_in_words(*part.block, has_row ? row + 1 : 0).text;
    }
    return out;
}

struct Button {
    std::string title;
    std::string url;
};

class Card final : public Dialect {
public:
    explicit Card(const ChannelRules& rules) : rules_(rules) {}

    Room limit() const override
    {
        constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max() / 2;
        return {rules_.max_length.value_or(kUnlimited), kVendorBytes - kCardHead.size() - 100};
    }

    Room room(const Part& part) const override
    {
        std::string json;
        JsonWriter writer(json);
        write(writer, part, true);
        for (const Button& button : buttons(part)) write_button(writer, button);
        return {room_of_text(plain_text(part)).characters, json.size() + 24};
    }

    Room between(const Part&, const Part&) const override { return {2, 1}; }

    Room room_of_indicator(std::string_view indicator) const override
    {
        return {indicator.size() + 2, indicator.size() + 100};
    }

    MessagePiece piece(std::span<const Part> parts, std::string_view indicator) const override
    {
        MessagePiece piece{.content = std::string(kCardHead), .continuation_indicator = std::string(indicator)};
        JsonWriter json(piece.content);
        std::vector<Button> all;
        for (const Part& part : parts) {
            const bool joined = &part != &parts.front() && is_joined(*(&part - 1), part);
            if (&part != &parts.front()) piece.alternative += joined ? "\n" : "\n\n";
            piece.alternative += plain_text(part);
            write(json, part, !joined);
            for (Button& button : buttons(part)) {
                const bool known = std::ranges::any_of(all, [&](const Button& one) { return one.url == button.url; });
                if (!known && all.size() < kMaxButtons) all.push_back(std::move(button));
            }
        }
        if (!indicator.empty()) {
            write_text(json, indicator, {.is_subtle = true});
            piece.alternative.append(" ").append(indicator);
        }
        json.end_array();
        if (!all.empty()) {
            json.key("actions").begin_array();
            for (const Button& button : all) write_button(json, button);
            json.end_array();
        }
        json.end_object();
        return piece;
    }

private:
    static void write(JsonWriter& json, const Part& part, bool has_gap)
    {
        const Block& block = *part.block;
        if (part.is_table()) return write_table(json, part);
        TextStyle style{.is_subtle = quote_depth(block) > 0, .has_gap = has_gap};
        style.is_heading = block.kind == Block::Kind::heading;
        style.level = block.level;
        style.is_code = block.kind == Block::Kind::code;
        const std::string text = style.is_code ? code_text(part.text()) : words_of(block, part.begin, part.end);
        write_text(json, style.is_code ? text : item_prefix(part) + text, style);
    }

    static void write_button(JsonWriter& json, const Button& button)
    {
        json.begin_object()
            .field("type", "Action.OpenUrl")
            .field("title", button.title)
            .field("url", button.url)
            .end_object();
    }

    /// Links to the web, once each.
    static std::vector<Button> buttons(const Part& part)
    {
        std::vector<Button> all;
        if (part.is_table()) return all;
        int before = -1;
        each_words(*part.block, part.begin, part.end, [&](std::string_view text, Marks, int link) {
            if (link < 0) return;
            const std::string& url = part.block->links[static_cast<std::size_t>(link)];
            if (!lower(std::string_view(url).substr(0, 4)).starts_with("http")) return;
            if (link == before) all.back().title += text;
            else all.push_back({.title = std::string(text), .url = url});
            before = link;
        });
        return all;
    }

    ChannelRules rules_;
};

}  // namespace

std::string card_text(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool at_line = at == 0 || text[at - 1] == '\n';
        if (at_line && begins_block(text.substr(at))) {
            const std::size_t digits = text.find_first_not_of("0123456789", at);
            out.append(text.substr(at, digits - at)).append("\\").append(text.substr(digits, 1));
            at = digits;
            continue;
        }
        if (must_be_escaped(text, at)) out += '\\';
        out += text[at];
    }
    return out;
}

std::unique_ptr<Dialect> make_card(const ChannelRules& rules)
{
    return std::make_unique<Card>(rules);
}

}  // namespace cadre::text
