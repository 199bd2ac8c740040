#include "config/scalar.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace cadre::config {

namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::ranges::find(words, text) != words.end();
}

std::size_t digits_at(std::string_view text, std::size_t from)
{
    const auto rest = text.substr(std::min(from, text.size()));
    return static_cast<std::size_t>(std::ranges::find_if(rest, [](char c) { return c < '0' || c > '9'; }) -
                                    rest.begin());
}

/// Whole number in that base, 64 bits; larger ones become doubles, as in JSON.
std::optional<json::value> whole(std::string_view digits, int base, bool negative)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
    if (error == std::errc{}) {
        if (negative && number <= std::uint64_t{1} << 63) return json::value(static_cast<std::int64_t>(0 - number));
        if (!negative && number <= INT64_MAX) return json::value(static_cast<std::int64_t>(number));
        if (!negative) return json::value(number);
    }
    if (base != 10) return std::nullopt;  // more than 64 bits of hexadecimal is nobody's number
    double real = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), real);
    return json::value(negative ? -real : real);
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, without its sign
bool is_float(std::string_view text)
{
    const std::size_t before = digits_at(text, 0);
    std::size_t i = before;
    if (i < text.size() && text[i] == '.') {
        const std::size_t after = digits_at(text, i + 1);
        if (before == 0 && after == 0) return false;
        i += 1 + after;
    } else if (before == 0) {
        return false;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
        const std::size_t exponent = digits_at(text, i);
        if (exponent == 0) return false;
        i += exponent;
    }
    return i == text.size();
}

}  // namespace

Resolved resolve_plain(std::string_view text, json::value& out)
{
    out = text;
    if (one_of(text, {"", "~", "null", "Null", "NULL"})) return out = nullptr, Resolved::value;
    if (one_of(text, {"true", "True", "TRUE"})) return out = true, Resolved::value;
    if (one_of(text, {"false", "False", "FALSE"})) return out = false, Resolved::value;
    if (one_of(text, {".nan", ".NaN", ".NAN"})) return Resolved::not_finite;

    std::string_view number = text;
    const bool negative = number[0] == '-';
    if (negative || number[0] == '+') number.remove_prefix(1);
    if (one_of(number, {".inf", ".Inf", ".INF"})) return Resolved::not_finite;

    const bool has_sign = number.size() != text.size();
    std::optional<json::value> value;
    if (digits_at(number, 0) == number.size()) value = whole(number, 10, negative);
    else if (!has_sign && number.starts_with("0x")) value = whole(number.substr(2), 16, false);
    else if (!has_sign && number.starts_with("0o")) value = whole(number.substr(2), 8, false);
    else if (is_float(number)) {
        double real = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), real);
        if (error == std::errc::result_out_of_range) {
            // too small is zero; which of the two it was, the exponent says
            const std::size_t e = number.find_first_of("eE");
            if (e == number.npos || number[e + 1] != '-') return Resolved::not_finite;
            real = 0;
        }
        value = negative ? -real : real;
    }
    if (!value) return Resolved::text;
    if (const auto* real = value->if_double(); real && !std::isfinite(*real)) return Resolved::not_finite;
    out = std::move(*value);
    return Resolved::value;
}

}  // namespace cadre::config
