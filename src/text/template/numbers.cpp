#include "text/template/numbers.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "text/template/characters.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace cadre::text::tpl {
namespace {

/// Without spaces around it and with every digit as one of ours, so that parsing can be about ASCII. A character beyond that
/// becomes a question mark, which is part of no number.
std::string plain_digits(std::string_view text)
{
    std::string plain;
    text = strip(text);
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = code_point(text, at);
        if (c.value < 0x80) plain += static_cast<char>(c.value);
        else plain += has(c.value, digit) ? static_cast<char>('0' + digit_value(c.value)) : '?';
        at += c.bytes;
    }
    return plain;
}

int digit_of(char c)
{
    if (is_digit(c)) return c - '0';
    return cadre::is_letter(c) ? cadre::lower(c) - 'a' + 10 : 99;
}

/// Underscores may stand between digits, and nowhere else.
bool drop_underscores(std::string& text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') continue;
        if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) return false;
    }
    std::erase(text, '_');
    return true;
}

int base_of_prefix(std::string_view text)
{
    if (text.size() < 2 || text[0] != '0') return 0;
    switch (cadre::lower(text[1])) {
    case 'b': return 2;
    case 'o': return 8;
    case 'x': return 16;
    default: return 0;
    }
}

bool is_decimal_float(std::string_view text)
{
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t start = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return at - start;
    };
    const std::size_t whole = digits();
    std::size_t fraction = 0;
    if (at < text.size() && text[at] == '.') {
        ++at;
        fraction = digits();
    }
    if (whole + fraction == 0) return false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (digits() == 0) return false;
    }
    return at == text.size();
}

/// 10 to the power of `digits`, or nothing when no 64-bit number is as large.
std::optional<std::int64_t> power_of_ten(std::int64_t digits)
{
    if (digits > 18) return std::nullopt;
    std::int64_t power = 1;
    for (; digits > 0; --digits) power *= 10;
    return power;
}

/// To a multiple of ten: digits < 0. The decimal text of a double this large is exact.
double rounded_to_tens(double number, std::int64_t digits)
{
    std::array<char, 400> text;
    const int size = std::snprintf(text.data(), text.size(), "%.1f", std::fabs(number));
    std::string whole(text.data(), static_cast<std::size_t>(size) - 2);
    const bool more = std::trunc(number) != number;
    const auto dropped = static_cast<std::size_t>(-digits);
    if (whole.size() < dropped) return std::copysign(0.0, number);
    if (more) {  // "%.1f" may have rounded the fraction up into the whole part
        const int cut = std::snprintf(text.data(), text.size(), "%.0f", std::trunc(std::fabs(number)));
        whole.assign(text.data(), static_cast<std::size_t>(cut));
        if (whole.size() < dropped) return std::copysign(0.0, number);
    }
    const std::string tail = whole.substr(whole.size() - dropped);
    std::string head = whole.substr(0, whole.size() - dropped);
    const std::string half = "5" + std::string(dropped - 1, '0');
    const bool odd = !head.empty() && (head.back() - '0') % 2 == 1;
    const bool up = tail > half || (tail == half && (more || odd));
    double result = head.empty() ? 0 : std::strtod((head + std::string(dropped, '0')).c_str(), nullptr);
    if (up) {
        std::size_t i = head.size();
        while (i > 0 && head[i - 1] == '9') head[--i] = '0';
        if (i == 0) head.insert(head.begin(), '1');
        else ++head[i - 1];
        result = std::strtod((head + std::string(dropped, '0')).c_str(), nullptr);
    }
    if (std::isinf(result)) throw Error(Code::invalid, "a rounded number is too large");
    return std::copysign(result, number);
}

}  // namespace

void fail_overflow()
{
    throw Error(Code::invalid, "a number does not fit into 64 bits");
}

void append_float(std::string& out, double number)
{
    if (std::isnan(number)) {
        out += "nan";
        return;
    }
    if (std::isinf(number)) {
        out += number < 0 ? "-inf" : "inf";
        return;
    }
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific).ptr;
    std::string_view all(text.data(), static_cast<std::size_t>(end - text.data()));
    if (all[0] == '-') out += '-', all.remove_prefix(1);
    const std::size_t e = all.find('e');
    std::string digits(1, all[0]);
    if (e > 2) digits += all.substr(2, e - 2);
    int exponent = 0;
    std::from_chars(all.data() + e + (all[e + 1] == '+' ? 2 : 1), all.data() + all.size(), exponent);

    if (exponent < -4 || exponent >= 16) {
        out += digits[0];
        if (digits.size() > 1) out += '.', out.append(digits, 1);
        out += exponent < 0 ? "e-" : "e+";
        const int size = std::abs(exponent);
        if (size < 10) out += '0';
        out += std::to_string(size);
    } else if (exponent < 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-exponent - 1), '0');
        out += digits;
    } else {
        const auto whole = static_cast<std::size_t>(exponent) + 1;
        if (digits.size() <= whole) {
            out += digits;
            out.append(whole - digits.size(), '0');
            out += ".0";
        } else {
            out.append(digits, 0, whole) += '.';
            out.append(digits, whole);
        }
    }
}

std::optional<std::int64_t> parse_int(std::string_view source, std::int64_t base)
{
    if (base != 0 && (base < 2 || base > 36)) return std::nullopt;
    const std::string plain = plain_digits(source);
    std::string_view text = plain;
    bool negative = false;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    const int prefix = base_of_prefix(text);
    const bool guess = base == 0;
    if (prefix != 0 && (guess || base == prefix)) {
        base = prefix;
        text.remove_prefix(2);
        if (!text.empty() && text[0] == '_') text.remove_prefix(1);
    } else if (guess) {
        base = 10;
        if (text.size() > 1 && text[0] == '0' && text.find_first_not_of("0_") != text.npos) return std::nullopt;
    }
    if (text.empty() || text.front() == '_' || text.back() == '_') return std::nullopt;
    std::int64_t result = 0;
    bool overflow = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '_') {
            if (text[i - 1] == '_') return std::nullopt;
            continue;
        }
        const int value = digit_of(text[i]);
        if (value >= base) return std::nullopt;
        overflow |= __builtin_mul_overflow(result, base, &result);
        overflow |= __builtin_sub_overflow(result, value, &result);  // downwards, where one more number fits
    }
    if (overflow || (!negative && result == std::numeric_limits<std::int64_t>::min())) fail_overflow();
    return negative ? result : -result;
}

std::optional<double> parse_float(std::string_view source)
{
    std::string text = plain_digits(source);
    if (!drop_underscores(text)) return std::nullopt;
    std::string_view number = text;
    if (!number.empty() && (number[0] == '+' || number[0] == '-')) number.remove_prefix(1);
    const bool named =
        same_in_any_case(number, "inf") || same_in_any_case(number, "infinity") || same_in_any_case(number, "nan");
    if (!named && !is_decimal_float(number)) return std::nullopt;
    return std::strtod(text.c_str(), nullptr);
}

std::optional<std::int64_t> truncated(double number)
{
    if (std::isnan(number)) return std::nullopt;
    if (!(number > -0x1p63 - 1 && number < 0x1p63)) fail_overflow();
    return static_cast<std::int64_t>(number);
}

double rounded(double number, std::int64_t digits)
{
    if (!std::isfinite(number) || number == 0 || digits > 323) return number;
    if (digits < -308) return std::copysign(0.0, number);
    if (digits < 0) return rounded_to_tens(number, digits);
    std::array<char, 700> text;
    std::snprintf(text.data(), text.size(), "%.*f", static_cast<int>(digits), number);  // glibc rounds the exact value
    const double result = std::strtod(text.data(), nullptr);
    if (std::isinf(result)) throw Error(Code::invalid, "a rounded number is too large");
    return result;
}

std::int64_t rounded(std::int64_t number, std::int64_t digits)
{
    if (digits >= 0) return number;
    const auto power = power_of_ten(-digits);
    if (!power) {
        // half of 10^19 is within reach of a 64-bit number; half of more is not
        if (digits == -19 && (number > 5'000'000'000'000'000'000 || number < -5'000'000'000'000'000'000))
            fail_overflow();
        return 0;
    }
    const std::int64_t rest = number % *power;
    const std::int64_t base = number - rest;
    const std::uint64_t distance = rest < 0 ? 0 - static_cast<std::uint64_t>(rest) : static_cast<std::uint64_t>(rest);
    const auto half = static_cast<std::uint64_t>(*power) / 2;
    const bool away = distance > half || (*power > 1 && distance == half && (base / *power) % 2 != 0);
    if (!away) return base;
    std::int64_t result = 0;
    if (__builtin_add_overflow(base, number < 0 ? -*power : *power, &result)) fail_overflow();
    return result;
}

double quotient(std::int64_t dividend, std::int64_t divisor)
{
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    if (dividend >= -kExact && dividend <= kExact && divisor >= -kExact && divisor <= kExact)
        return static_cast<double>(dividend) / static_cast<double>(divisor);
    using Wide = unsigned __int128;
    const auto size = [](std::int64_t n) {
        return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
    };
    const std::uint64_t a = size(dividend);
    const std::uint64_t b = size(divisor);
    // so many bits of the quotient that the last of them, set when something is left, decides about rounding
    const int shift = std::max(0, 56 + static_cast<int>(std::bit_width(b)) - static_cast<int>(std::bit_width(a)));
    const Wide shifted = static_cast<Wide>(a) << shift;
    auto bits = static_cast<std::uint64_t>(shifted / b);
    if (shifted % b != 0) bits |= 1;
    const double result = std::ldexp(static_cast<double>(bits), -shift);
    return (dividend < 0) != (divisor < 0) ? -result : result;
}

}  // namespace cadre::text::tpl
