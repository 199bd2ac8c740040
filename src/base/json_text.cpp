#include "base/json_text.hpp"

#include "base/ascii.hpp"
#include "base/hex.hpp"
#include "base/utf8.hpp"

#include <fmt/core.h>

namespace cadre {

namespace {

/// What the escape of that letter says; a zero if there is none.
char meaning_of(char letter)
{
    switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
    }
}

void append_utf8(std::string& out, unsigned point)
{
    const auto more = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) out += static_cast<char>(point);
    else if (point < 0x800) out += {static_cast<char>(0xC0 | (point >> 6)), more(0)};
    else if (point < 0x10000) out += {static_cast<char>(0xE0 | (point >> 12)), more(6), more(0)};
    else out += {static_cast<char>(0xF0 | (point >> 18)), more(12), more(6), more(0)};
}

JsonPlace place_after(std::string_view before)
{
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto lines = std::ranges::count(before, '\n');
    const auto characters = std::ranges::count_if(before.substr(line_start), starts_character);
    return {1 + static_cast<std::size_t>(lines), 1 + static_cast<std::size_t>(characters)};
}

}  // namespace

JsonError::JsonError(JsonFlaw flaw, JsonPlace at, std::string reason)
    : Error(flaw == JsonFlaw::limit ? Code::too_large : Code::malformed,
            fmt::format("line {}, column {}: {}", at.line, at.column, reason)),
      flaw_(flaw),
      at_(at),
      reason_(std::move(reason))
{}

void JsonText::refuse(std::string_view reason, const char* at, JsonFlaw flaw) const
{
    throw JsonError(flaw, place_after({begin_, at}), std::string(reason));
}

void JsonText::refuse(const char* at) const
{
    if (at == end_) refuse("the text ends too early", at);
    const std::size_t length = utf8_length({at, end_});
    if (length == 0) refuse("bytes that are not UTF-8", at);
    refuse("syntax error at " + in_quotes({at, length}), at);
}

const char* JsonText::skip_digits(const char* at) const
{
    if (at == end_ || !is_digit(*at)) refuse(at);
    while (at != end_ && is_digit(*at)) ++at;
    return at;
}

const char* JsonText::skip_number(const char* at, bool& is_whole) const
{
    is_whole = true;
    if (has('-', at)) ++at;
    at = has('0', at) ? at + 1 : skip_digits(at);
    if (has('.', at)) {
        is_whole = false;
        at = skip_digits(at + 1);
    }
    if (has('e', at) || has('E', at)) {
        is_whole = false;
        ++at;
        if (has('+', at) || has('-', at)) ++at;
        at = skip_digits(at);
    }
    return at;
}

const char* JsonText::read_long(const char* start, std::string_view& says)
{
    const char* at = start + verbatim_length({start, end_});
    says = {start, at};
    if (has('"', at)) return at + 1;
    unescaped_ = says;
    while (!has('"', at)) {
        at = unescape(expect('\\', at));
        const char* const run = at;
        at += plain_length({at, end_});
        if (at != end_ && (*at & 0x80) != 0) at += verbatim_length({at, end_});
        unescaped_.append(run, at);
    }
    says = unescaped_;
    return at + 1;
}

/// Appends what the escape says whose backslash stands before `at`.
const char* JsonText::unescape(const char* at)
{
    if (has('u', at)) return unescape_unicode(at + 1);
    const char meaning = at == end_ ? '\0' : meaning_of(*at);
    if (meaning == '\0') refuse(at);
    unescaped_ += meaning;
    return at + 1;
}

/// A character beyond U+FFFF is written as two units, a high and a low surrogate.
const char* JsonText::unescape_unicode(const char* digits)
{
    constexpr std::string_view kLone = "a \\u escape that is a lone surrogate";
    const char* const escape = digits - 2;
    const unsigned unit = unit_of(digits);
    const char* const after = digits + 4;
    if (unit < 0xD800 || unit > 0xDFFF) {
        append_utf8(unescaped_, unit);
        return after;
    }
    if (unit < 0xDC00 && after == end_) refuse(after);
    if (unit >= 0xDC00 || !std::string_view(after, end_).starts_with("\\u")) refuse(kLone, escape);
    const unsigned low = unit_of(after + 2);
    if (low < 0xDC00 || low > 0xDFFF) refuse(kLone, escape);
    append_utf8(unescaped_, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    return after + 6;
}

unsigned JsonText::unit_of(const char* digits) const
{
    unsigned unit = 0;
    for (const char* at = digits; at != digits + 4; ++at) {
        if (at == end_) refuse(at);
        const int digit = hex_digit(*at);
        if (digit < 0) refuse("a \\u escape that stands for no character", digits - 2);
        unit = unit << 4 | static_cast<unsigned>(digit);
    }
    return unit;
}

}  // namespace cadre
