#include "text/template/html.hpp"

#include "base/ascii.hpp"
#include "text/template/characters.hpp"
#include "text/template/entity_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace cadre::text::tpl {
namespace {

constexpr std::size_t kLongestEntity = 32;

/// Everything from `open` to the next `close` left out; what is not closed stays.
std::string without(std::string_view text, std::string_view open, std::string_view close)
{
    std::string out;
    std::size_t at = 0;
    std::size_t end = 0;
    for (std::size_t from = text.find(open); from != text.npos; from = text.find(open, at)) {
        if (end != text.npos) end = text.find(close, from + open.size());
        if (end == text.npos) break;
        out += text.substr(at, from - at);
        at = end + close.size();
    }
    return out += text.substr(at);
}

std::string with_single_spaces(std::string_view text)
{
    std::string out;
    bool gap = false;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = code_point(text, at);
        if (has(c.value, space)) {
            gap = true;
        } else {
            if (gap && !out.empty()) out += ' ';
            gap = false;
            out += text.substr(at, c.bytes);
        }
        at += c.bytes;
    }
    return out;
}

const Entity* find_entity(std::string_view name)
{
    const auto all = entities();
    const auto found = std::ranges::lower_bound(all, name, {}, &Entity::name);
    return found != all.end() && found->name == name ? &*found : nullptr;
}

/// The character that a number stands for in HTML, where some of Windows' and some impossible ones are replaced; 0: none.
std::optional<char32_t> numbered_character(unsigned long number)
{
    static constexpr char32_t kWindows[] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                            0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                            0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                            0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    if (number == 0) return 0xFFFD;
    if (number == '\r') return '\r';
    if (number >= 0x80 && number <= 0x9F) return kWindows[number - 0x80];
    if ((number >= 0xD800 && number <= 0xDFFF) || number > 0x10FFFF) return 0xFFFD;
    const bool never = (number >= 1 && number <= 8) || (number >= 0xE && number <= 0x1F) || number == 0x7F ||
                       (number >= 0xFDD0 && number <= 0xFDEF) || number == 0xB || (number & 0xFFFE) == 0xFFFE;
    if (never) return std::nullopt;
    return static_cast<char32_t>(number);
}

/// "&#38;", "&#x26": how many bytes it has at `at`, 0: it is none.
std::size_t append_numbered(std::string& out, std::string_view text, std::size_t at)
{
    std::size_t end = at + 2;
    const bool hex = end < text.size() && (text[end] == 'x' || text[end] == 'X');
    if (hex) ++end;
    const std::size_t start = end;
    unsigned long number = 0;
    for (; end < text.size(); ++end) {
        const char c = cadre::lower(text[end]);
        const bool good = is_digit(c) || (hex && c >= 'a' && c <= 'f');
        if (!good) break;
        number =
            std::min(number * (hex ? 16UL : 10UL) + static_cast<unsigned long>(is_digit(c) ? c - '0' : c - 'a' + 10),
                     0x110000UL);
    }
    if (end == start) return 0;
    if (end < text.size() && text[end] == ';') ++end;
    if (const auto c = numbered_character(number)) append_utf8(out, *c);
    return end - at;
}

/// "&amp;", or "&ampersand", which begins with one that needs no semicolon.
std::size_t append_named(std::string& out, std::string_view text, std::size_t at)
{
    std::size_t end = at + 1;
    std::size_t characters = 0;
    while (end < text.size() && characters < kLongestEntity &&
           std::string_view("\t\n\f <&#;").find(text[end]) == std::string_view::npos) {
        end += code_point(text, end).bytes;
        ++characters;
    }
    if (characters == 0) return 0;
    if (end < text.size() && text[end] == ';') ++end;
    const std::string_view name = text.substr(at + 1, end - at - 1);
    for (std::size_t size = name.size(); size > 1; --size) {
        if (const Entity* entity = find_entity(name.substr(0, size))) {
            out += entity->text;
            return size + 1;
        }
    }
    return 0;
}

}  // namespace

std::string escaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '\'': out += "&#39;"; break;
        case '"': out += "&#34;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t used = 0;
        if (text[at] == '&')
            used = at + 1 < text.size() && text[at + 1] == '#' ? append_numbered(out, text, at)
                                                               : append_named(out, text, at);
        if (used == 0) {
            out += text[at];
            used = 1;
        }
        at += used;
    }
    return out;
}

std::string without_tags(std::string_view text)
{
    return unescaped(with_single_spaces(without(without(text, "<!--", "-->"), "<", ">")));
}

std::string url_encoded(std::string_view text, bool query)
{
    std::string out;
    for (const char c : text) {
        if (cadre::is_letter(c) || is_digit(c) || std::string_view("_.-~").find(c) != std::string_view::npos ||
            (c == '/' && !query))
            out += c;
        else if (c == ' ' && query) out += '+';
        else out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out;
}

}  // namespace cadre::text::tpl
