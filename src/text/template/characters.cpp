#include "text/template/characters.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "text/template/character_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

namespace cadre::text::tpl {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kSigma = 0x3A3;

struct PropertyRun {
    char32_t first;
    std::uint8_t properties;
};

struct PropertyTable {
    std::array<std::uint8_t, 0x3000> low{};
    std::vector<PropertyRun> high{};

    PropertyTable()
    {
        const CharacterData& data = character_data();
        char32_t at = 0;
        unsigned count = 0;
        for (const char c : data.runs) {
            if (is_digit(c)) {
                count = count * 10 + static_cast<unsigned>(c - '0');
                continue;
            }
            const std::uint8_t properties = data.properties[static_cast<std::size_t>(c - 'a')];
            const char32_t end = at + std::max(count, 1U);
            for (char32_t point = at; point < std::min<char32_t>(end, 0x3000); ++point) low[point] = properties;
            high.push_back({at, properties});
            at = end;
            count = 0;
        }
    }
};

const PropertyTable& property_table()
{
    static const PropertyTable table;
    return table;
}

const CaseText* find_several(const CaseTable& table, char32_t point)
{
    const auto found = std::ranges::lower_bound(table.texts, point, {}, &CaseText::from);
    return found != table.texts.end() && found->from == point ? &*found : nullptr;
}

void append_case(std::string& out, const CaseTable& table, char32_t point)
{
    if (const CaseText* text = find_several(table, point)) {
        out += text->to;
        return;
    }
    const auto behind = std::ranges::upper_bound(table.runs, point, {}, &CaseRun::first);
    if (behind != table.runs.begin()) {
        const CaseRun& run = *std::prev(behind);
        if (point <= run.last && (point - run.first) % static_cast<char32_t>(run.step) == 0)
            point = static_cast<char32_t>(static_cast<int>(point) + run.distance);
    }
    append_utf8(out, point);
}

/// Whether the sigma at `at` ends a word: a letter before it, none behind, whatever is passed over in between.
bool is_final_sigma(std::string_view text, std::size_t at)
{
    bool before = false;
    for (std::size_t i = at; i > 0;) {
        do --i;
        while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80);
        const std::uint8_t properties = properties_of(code_point(text, i).value);
        if (properties & case_ignored) continue;
        before = (properties & cased) != 0;
        break;
    }
    if (!before) return false;
    for (std::size_t i = at + 2; i < text.size();) {
        const CodePoint c = code_point(text, i);
        const std::uint8_t properties = properties_of(c.value);
        if (!(properties & case_ignored)) return !(properties & cased);
        i += c.bytes;
    }
    return true;
}

/// Lower case of the characters from `at` on; those before decide about a sigma.
void append_lower(std::string& out, std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        const CodePoint c = code_point(text, at);
        if (c.value < 0x80) out += cadre::lower(static_cast<char>(c.value));
        else if (c.value == kSigma) append_utf8(out, is_final_sigma(text, at) ? 0x3C2 : 0x3C3);
        else if (c.bytes == 1) out += text[at];
        else append_case(out, character_data().lower, c.value);
        at += c.bytes;
    }
}

bool contains_character(std::string_view chars, std::string_view one)
{
    for (std::size_t at = 0; at < chars.size();) {
        const CodePoint c = code_point(chars, at);
        if (chars.substr(at, c.bytes) == one) return true;
        at += c.bytes;
    }
    return false;
}

bool is_stripped(std::string_view one, const std::string_view* chars)
{
    return chars ? contains_character(*chars, one) : has(code_point(one, 0).value, space);
}

/// Where the last character begins of a text that is not empty.
std::size_t last_character(std::string_view text)
{
    std::size_t at = text.size() - 1;
    while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at + code_point(text, at).bytes == text.size() ? at : text.size() - 1;
}

std::string_view strip_ends(std::string_view text, const std::string_view* chars, bool left, bool right)
{
    while (left && !text.empty()) {
        const std::size_t bytes = code_point(text, 0).bytes;
        if (!is_stripped(text.substr(0, bytes), chars)) break;
        text.remove_prefix(bytes);
    }
    while (right && !text.empty()) {
        const std::size_t at = last_character(text);
        if (!is_stripped(text.substr(at), chars)) break;
        text = text.substr(0, at);
    }
    return text;
}

}  // namespace

CodePoint code_point(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
    if (byte(0) < 0x80) return {byte(0), 1};
    switch (utf8_length(text.substr(at))) {
    case 2: return {(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F), 2};
    case 3: return {(byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
    case 4: return {(byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
    default: return {kReplacement, 1};
    }
}

void append_utf8(std::string& out, char32_t point)
{
    const auto rest = [&](int shift) { out += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | (point >> 6));
        rest(0);
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0 | (point >> 12));
        rest(6), rest(0);
    } else {
        out += static_cast<char>(0xF0 | (point >> 18));
        rest(12), rest(6), rest(0);
    }
}

std::string ascii_escaped(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = code_point(text, at);
        if (c.value < 0x80) out += static_cast<char>(c.value);
        else if (c.value < 0x100) out += fmt::format("\\x{:02x}", static_cast<unsigned>(c.value));
        else
            out += c.value < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(c.value))
                                     : fmt::format("\\U{:08x}", static_cast<unsigned>(c.value));
        at += c.bytes;
    }
    return out;
}

bool is_ascii(std::string_view text)
{
    unsigned char all = 0;
    for (const char c : text) all |= static_cast<unsigned char>(c);
    return all < 0x80;
}

std::size_t length_of(std::string_view text)
{
    if (is_ascii(text)) return text.size();
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) at += code_point(text, at).bytes;
    return count;
}

std::size_t offset_of(std::string_view text, std::size_t index)
{
    std::size_t at = 0;
    for (; index > 0 && at < text.size(); --index) at += code_point(text, at).bytes;
    return at;
}

std::uint8_t properties_of(char32_t point)
{
    const PropertyTable& table = property_table();
    if (point < table.low.size()) return table.low[point];
    return std::prev(std::ranges::upper_bound(table.high, point, {}, &PropertyRun::first))->properties;
}

int digit_value(char32_t point)
{
    if (point < 0x80) return static_cast<int>(point - '0');
    // decimal digits come in tens, in order; only those of mathematics stand side by side, and begin at U+1D7CE
    if (point >= 0x1D7CE && point <= 0x1D7FF) return static_cast<int>((point - 0x1D7CE) % 10);
    int value = 0;
    while (value < 9 && has(point - 1, digit)) --point, ++value;
    return value;
}

std::string upper(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = code_point(text, at);
        if (c.value < 0x80)
            out += c.value >= 'a' && c.value <= 'z' ? static_cast<char>(c.value - 32) : static_cast<char>(c.value);
        else if (c.bytes == 1) out += text[at];
        else append_case(out, character_data().upper, c.value);
        at += c.bytes;
    }
    return out;
}

std::string lower(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    append_lower(out, text, 0);
    return out;
}

std::string capitalize(std::string_view text)
{
    std::string out;
    if (text.empty()) return out;
    const CodePoint first = code_point(text, 0);
    if (first.bytes == 1 && first.value == kReplacement) out += text[0];
    else append_case(out, character_data().title, first.value);
    append_lower(out, text, first.bytes);
    return out;
}

std::string_view strip(std::string_view text, const std::string_view* chars)
{
    return strip_ends(text, chars, true, true);
}

std::string_view strip_right(std::string_view text)
{
    return strip_ends(text, nullptr, false, true);
}

std::string_view strip_left(std::string_view text)
{
    return strip_ends(text, nullptr, true, false);
}

std::size_t line_break(std::string_view text, std::size_t at)
{
    const CodePoint c = code_point(text, at);
    if (c.value == '\r') return at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
    const bool breaks = (c.value >= '\n' && c.value <= '\r') || (c.value >= 0x1C && c.value <= 0x1E) ||
                        c.value == 0x85 || c.value == 0x2028 || c.value == 0x2029;
    return breaks ? c.bytes : 0;
}

}  // namespace cadre::text::tpl
