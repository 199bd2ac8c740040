#include "tools/builtin/number.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace cadre::tools {

namespace {

using Wide = __int128;

constexpr int kDigits = 36;

constexpr Wide power_of_ten(int exponent)
{
    return exponent == 0 ? 1 : 10 * power_of_ten(exponent - 1);
}

/// Whole numbers are smaller than this, so that the sum of two cannot overflow. Beyond, they become doubles.
constexpr Wide kLimit = power_of_ten(kDigits);

constexpr double kExact = 9007199254740992;  // 2^53: from here on doubles skip whole numbers

[[noreturn]] void divided_by_zero()
{
    throw Error(Code::invalid, "Division by zero has no result.");
}

Wide magnitude(Wide value)
{
    return value < 0 ? -value : value;
}

/// The product, if it is whole and small enough.
std::optional<Wide> product(Wide a, Wide b)
{
    if (b != 0 && magnitude(a) > (kLimit - 1) / magnitude(b)) return std::nullopt;
    return a * b;
}

std::optional<Wide> power(Wide base, Wide exponent)
{
    Wide result = 1;
    for (;; exponent /= 2) {
        if (exponent % 2 != 0) {
            const auto next = product(result, base);
            if (!next) return std::nullopt;
            result = *next;
        }
        if (exponent <= 1) return result;
        const auto square = product(base, base);
        if (!square) return std::nullopt;
        base = *square;
    }
}

std::string digits(Wide value)
{
    std::string text;
    for (Wide rest = magnitude(value); rest != 0 || text.empty(); rest /= 10)
        text += static_cast<char>('0' + static_cast<int>(rest % 10));
    if (value < 0) text += '-';
    std::ranges::reverse(text);
    return text;
}

}  // namespace

bool Number::fits(Whole value)
{
    return magnitude(value) < kLimit;
}

Number Number::whole(Whole value)
{
    if (!fits(value)) return real(static_cast<double>(value));
    Number number;
    number.whole_ = value;
    return number;
}

Number Number::real(double value)
{
    if (!std::isfinite(value)) throw Error(Code::invalid, "The result is too large; numbers go up to about 1.8e308.");
    Number number;
    number.is_whole_ = false;
    number.real_ = value;
    return number;
}

Number Number::from_text(std::string_view text)
{
    if (text.size() <= kDigits && text.find_first_not_of("0123456789") == text.npos) {
        Whole value = 0;
        for (const char c : text) value = value * 10 + (c - '0');
        return whole(value);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw Error(Code::invalid, fmt::format("The number {} is too large or too small.", in_quotes(text)));
    return real(value);
}

Number Number::operator-() const
{
    return is_whole_ ? whole(-whole_) : real(-real_);
}

Number Number::operator+(const Number& other) const
{
    return is_whole_ && other.is_whole_ ? whole(whole_ + other.whole_) : real(value() + other.value());
}

Number Number::operator-(const Number& other) const
{
    return is_whole_ && other.is_whole_ ? whole(whole_ - other.whole_) : real(value() - other.value());
}

Number Number::operator*(const Number& other) const
{
    if (is_whole_ && other.is_whole_)
        if (const auto exact = product(whole_, other.whole_)) return whole(*exact);
    return real(value() * other.value());
}

Number Number::operator/(const Number& other) const
{
    if (other.value() == 0) divided_by_zero();
    if (is_whole_ && other.is_whole_ && whole_ % other.whole_ == 0) return whole(whole_ / other.whole_);
    return real(value() / other.value());
}

Number Number::operator%(const Number& other) const
{
    if (other.value() == 0) divided_by_zero();
    if (is_whole_ && other.is_whole_) {
        const Whole rest = whole_ % other.whole_;
        return whole(rest != 0 && (rest < 0) != (other.whole_ < 0) ? rest + other.whole_ : rest);
    }
    const double rest = std::fmod(value(), other.value());
    return real(rest != 0 && (rest < 0) != (other.value() < 0) ? rest + other.value() : rest);
}

Number Number::to_the(const Number& exponent) const
{
    if (value() == 0 && exponent.value() < 0) divided_by_zero();
    if (is_whole_ && exponent.is_whole_ && exponent.whole_ >= 0)
        if (const auto exact = power(whole_, exponent.whole_)) return whole(*exact);
    if (value() < 0 && exponent.value() != std::trunc(exponent.value()))
        throw Error(Code::invalid, "A negative number to a power that is not whole has no real result.");
    return real(std::pow(value(), exponent.value()));
}

Number Number::root() const
{
    if (value() < 0) throw Error(Code::invalid, "The square root of a negative number is not real.");
    return real(std::sqrt(value()));
}

bool Number::operator<(const Number& other) const
{
    return is_whole_ && other.is_whole_ ? whole_ < other.whole_ : value() < other.value();
}

Number Number::rounded(double (*rounding)(double)) const
{
    if (is_whole_) return *this;
    const double result = rounding(real_);
    return std::abs(result) < kExact ? whole(static_cast<Whole>(result)) : real(result);
}

std::string Number::text() const
{
    if (is_whole_) return digits(whole_);
    return fmt::format("{:.15g}", real_ == 0 ? 0 : real_);  // zero has no sign
}

}  // namespace cadre::tools
