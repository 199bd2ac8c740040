#include "schema/number.hpp"

#include "base/json_writer.hpp"

#include <boost/json/value.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace cadre::schema {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

std::partial_ordering reversed(std::partial_ordering order)
{
    return 0 <=> order;
}

template <class Integer>
std::partial_ordering compare(Integer a, double b)
{
    constexpr double beyond = std::is_signed_v<Integer> ? kTwoTo63 : kTwoTo64;
    if (std::isnan(b)) return std::partial_ordering::unordered;
    if (b >= beyond) return std::partial_ordering::less;
    if (b < static_cast<double>(std::numeric_limits<Integer>::min())) return std::partial_ordering::greater;
    const double whole = std::trunc(b);
    const auto order = a <=> static_cast<Integer>(whole);
    return order != 0 ? std::partial_ordering(order) : whole <=> b;
}

struct Compare {
    std::partial_ordering operator()(std::int64_t a, std::int64_t b) const { return a <=> b; }
    std::partial_ordering operator()(std::uint64_t a, std::uint64_t b) const { return a <=> b; }
    std::partial_ordering operator()(double a, double b) const { return a <=> b; }
    std::partial_ordering operator()(std::int64_t, std::uint64_t) const { return std::partial_ordering::less; }
    std::partial_ordering operator()(std::uint64_t, std::int64_t) const { return std::partial_ordering::greater; }
    template <class Integer>
    std::partial_ordering operator()(Integer a, double b) const
    {
        return compare(a, b);
    }
    template <class Integer>
    std::partial_ordering operator()(double a, Integer b) const
    {
        return reversed(compare(b, a));
    }
};

/// digits * 10^exponent; the sign does not matter to multiples.
struct Decimal {
    std::uint64_t digits = 0;
    int exponent = 0;
};

struct ToDecimal {
    Decimal operator()(std::int64_t number) const
    {
        return {number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number), 0};
    }
    Decimal operator()(std::uint64_t number) const { return {number, 0}; }
    Decimal operator()(double number) const
    {
        char text[32];
        const auto end = std::to_chars(text, text + sizeof text, std::abs(number), std::chars_format::scientific).ptr;
        Decimal decimal;
        bool fraction = false;
        const char* at = text;
        for (; at != end && *at != 'e'; ++at) {
            if (*at == '.') {
                fraction = true;
                continue;
            }
            decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
            if (fraction) --decimal.exponent;
        }
        int power = 0;
        if (at != end) std::from_chars(at + 1 + (at[1] == '+'), end, power);
        decimal.exponent += power;
        return decimal;
    }
};

/// value * 10^exponent modulo `modulus`
std::uint64_t scaled_modulo(std::uint64_t value, int exponent, std::uint64_t modulus)
{
    Wide result = value % modulus;
    Wide power = 10 % modulus;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result = result * power % modulus;
        power = power * power % modulus;
    }
    return static_cast<std::uint64_t>(result);
}

}  // namespace

Number::Number(const boost::json::value& value)
{
    if (const auto* integer = value.if_int64()) number_ = *integer;
    else if (const auto* natural = value.if_uint64()) {
        if (*natural <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            number_ = static_cast<std::int64_t>(*natural);
        else number_ = *natural;
    } else number_ = value.get_double();
}

std::partial_ordering operator<=>(const Number& a, const Number& b)
{
    const auto* left = std::get_if<std::int64_t>(&a.number_);
    const auto* right = std::get_if<std::int64_t>(&b.number_);
    if (left && right) return *left <=> *right;
    return std::visit(Compare(), a.number_, b.number_);
}

bool Number::is_integer() const
{
    const auto* real = std::get_if<double>(&number_);
    return !real || std::trunc(*real) == *real;
}

std::size_t Number::to_count() const
{
    const auto* real = std::get_if<double>(&number_);
    return real && *real >= kTwoTo64 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(hash());
}

bool Number::is_multiple_of(const Number& divisor) const
{
    const Decimal a = std::visit(ToDecimal(), number_);
    const Decimal b = std::visit(ToDecimal(), divisor.number_);
    if (a.digits == 0 || b.digits == 0) return a.digits == 0;
    if (a.exponent >= b.exponent) return scaled_modulo(a.digits, a.exponent - b.exponent, b.digits) == 0;

    Wide larger = b.digits;  // b in units of a's last digit
    for (int i = a.exponent; i < b.exponent; ++i) {
        if (larger > a.digits) return false;
        larger *= 10;
    }
    return a.digits % larger == 0;
}

std::uint64_t Number::hash() const
{
    if (const auto* real = std::get_if<double>(&number_)) {
        if (std::trunc(*real) != *real || *real >= kTwoTo64 || *real < -kTwoTo63)
            return std::bit_cast<std::uint64_t>(*real);
        return *real < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(*real))
                         : static_cast<std::uint64_t>(*real);
    }
    if (const auto* natural = std::get_if<std::uint64_t>(&number_)) return *natural;
    return static_cast<std::uint64_t>(std::get<std::int64_t>(number_));
}

std::string Number::to_text() const
{
    std::string text;
    if (const auto* real = std::get_if<double>(&number_)) append_ecmascript_number(text, *real);
    else if (const auto* natural = std::get_if<std::uint64_t>(&number_)) append_json_number(text, *natural);
    else append_json_number(text, std::get<std::int64_t>(number_));
    return text;
}

}  // namespace cadre::schema
