#include "base/json_writer.hpp"

#include "base/json_plain.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace cadre {

namespace {

void append_escaped(std::string& out, char c)
{
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
        out += "\uFFFD";  // a byte that begins no character
        return;
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    out += "\\u00";
    out += kHex[byte >> 4];
    out += kHex[byte & 0xF];
}

void append_escaping(std::string& out, std::string_view text)
{
    for (;;) {
        const std::size_t length = verbatim_length(text);
        out += text.substr(0, length);
        if (length == text.size()) return;
        append_escaped(out, text[length]);
        text.remove_prefix(length + 1);
    }
}

template <class Integer>
void append_integer(std::string& out, Integer number)
{
    std::array<char, 24> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    out.append(buffer.data(), end);
}

/// A positive number as 0.DIGITS times ten to the `point`, in the fewest digits that read back equal.
struct Decimal {
    std::string_view digits;
    int point;
};

Decimal shortest(double number, std::array<char, 32>& buffer)
{
    // "1.2345e-07": the digits with a point after the first, then the exponent
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific).ptr;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const auto e = text.find('e');
    int exponent = 0;
    std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
    if (e == 1) return {text.substr(0, 1), exponent + 1};
    buffer[1] = buffer[0];  // close the gap that the point leaves
    return {text.substr(1, e - 1), exponent + 1};
}

}  // namespace

void append_json_string(std::string& out, std::string_view text)
{
    out += '"';
    if (plain_length(text) == text.size()) out += text;
    else append_escaping(out, text);
    out += '"';
}

void append_ecmascript_number(std::string& out, double number)
{
    if (!std::isfinite(number)) {
        out += "null";
        return;
    }
    if (number == 0) {
        out += '0';
        return;
    }
    if (number < 0) out += '-';
    std::array<char, 32> buffer;
    const auto [digits, point] = shortest(std::abs(number), buffer);
    const int count = static_cast<int>(digits.size());

    // ECMA-262, Number::toString: `count` is its k, `point` its n
    if (count <= point && point <= 21) {
        out.append(digits).append(static_cast<std::size_t>(point - count), '0');
    } else if (0 < point && point <= 21) {
        out.append(digits, 0, static_cast<std::size_t>(point)).append(1, '.');
        out.append(digits, static_cast<std::size_t>(point));
    } else if (-6 < point && point <= 0) {
        out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
    } else {
        out += digits[0];
        if (count > 1) out.append(1, '.').append(digits, 1);
        out.append(point > 0 ? "e+" : "e-");
        append_integer(out, std::abs(point - 1));
    }
}

void append_json_number(std::string& out, double number)
{
    const std::size_t start = out.size();
    if (number == 0 && std::signbit(number)) out += '-';
    append_ecmascript_number(out, number);
    if (std::isfinite(number) && out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

void append_json_number(std::string& out, std::int64_t number)
{
    append_integer(out, number);
}

void append_json_number(std::string& out, std::uint64_t number)
{
    append_integer(out, number);
}

JsonWriter& JsonWriter::key(std::string_view name)
{
    separate();
    append_json_string(out_, name);
    out_ += ':';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text)
{
    separate();
    append_json_string(out_, text);
    return *this;
}

JsonWriter& JsonWriter::value(double number)
{
    separate();
    append_json_number(out_, number);
    return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number)
{
    separate();
    append_json_number(out_, number);
    return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number)
{
    separate();
    append_json_number(out_, number);
    return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json)
{
    separate();
    out_ += json;
    return *this;
}

JsonWriter& JsonWriter::open(char bracket)
{
    separate();
    out_ += bracket;
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket)
{
    out_ += bracket;
    comma_ = true;
    return *this;
}

void JsonWriter::separate()
{
    if (comma_) out_ += ',';
    comma_ = true;
}

}  // namespace cadre
