#include "base/escaped.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace cadre {

namespace {

constexpr std::string_view kReplacement = "\uFFFD";  // bytes EF BF BD: what JSON gets for a byte that is not UTF-8

/// One character as some notation writes it: how long that is, and what it says.
struct Written {
    std::size_t length;
    std::string says;
};

Written as_is(std::string_view text)
{
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    return {length, std::string(text.substr(0, length))};
}

std::optional<unsigned> hex(std::string_view text, std::size_t at, std::size_t digits)
{
    const std::string_view number = text.substr(std::min(at, text.size()), digits);
    unsigned value = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value, 16);
    if (problem != std::errc() || number.size() < digits || end != number.data() + digits) return std::nullopt;
    return value;
}

std::string utf8(unsigned point)
{
    const auto more = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xC0 | (point >> 6)), more(0)};
    if (point < 0x10000) return {static_cast<char>(0xE0 | (point >> 12)), more(6), more(0)};
    return {static_cast<char>(0xF0 | (point >> 18)), more(12), more(6), more(0)};
}

Written in_json(std::string_view text)
{
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (text[0] != '\\' || text.size() < 2) return as_is(text);
    if (const auto at = kEscapes.find(text[1]); at != std::string_view::npos) return {2, {kMeanings[at]}};
    const auto unit = text[1] == 'u' ? hex(text, 2, 4) : std::nullopt;
    if (!unit) return as_is(text);
    const auto low = text.substr(6).starts_with("\\u") ? hex(text, 8, 4) : std::nullopt;
    if (*unit >= 0xD800 && *unit < 0xDC00 && low && *low >= 0xDC00 && *low < 0xE000)
        return {12, utf8(0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00))};
    return {6, utf8(*unit)};
}

Written in_url(std::string_view text)
{
    const auto byte = text[0] == '%' ? hex(text, 1, 2) : std::nullopt;
    return byte ? Written{3, {static_cast<char>(*byte)}} : Written{1, {text[0]}};
}

Written in_form(std::string_view text)
{
    return text[0] == '+' ? Written{1, " "} : in_url(text);
}

std::size_t length_in(Written (*notation)(std::string_view), std::string_view text, std::string_view plain)
{
    std::size_t length = 0;
    while (!plain.empty()) {
        if (length == text.size()) return 0;
        const Written next = notation(text.substr(length));
        const bool replaces_byte = next.says == kReplacement && utf8_length(plain) == 0;
        if (!plain.starts_with(next.says) && !replaces_byte) return 0;
        plain.remove_prefix(replaces_byte ? 1 : next.says.size());
        length += next.length;
    }
    return length;
}

}  // namespace

std::size_t escaped_length(std::string_view text, std::string_view plain)
{
    if (text.starts_with(plain)) return plain.size();
    for (const auto notation : {in_json, in_url, in_form})
        if (const std::size_t length = length_in(notation, text, plain); length > 0) return length;
    return 0;
}

}  // namespace cadre
