// JSON numbers as numbers: 1.0 is 1, 2^63 is not 2^63 - 1, and 19.99 is a multiple of 0.01.
#pragma once

#include <boost/json/fwd.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace cadre::schema {

class Number {
public:
    /// `value` must be a number.
    explicit Number(const boost::json::value& value);

    /// Exact, whatever the two are stored as.
    friend std::partial_ordering operator<=>(const Number& a, const Number& b);
    friend bool operator==(const Number& a, const Number& b) { return (a <=> b) == 0; }

    bool is_integer() const;
    /// Of an integer that is not negative; what is too large for the result becomes the largest.
    std::size_t to_count() const;
    /// Exact in decimal: doubles count as the shortest decimal that reads back equal. `divisor` must be positive.
    bool is_multiple_of(const Number& divisor) const;
    /// Equal numbers have equal hashes.
    std::uint64_t hash() const;
    /// As ECMAScript prints it: `2.0` is `2`.
    std::string to_text() const;

private:
    std::variant<std::int64_t, std::uint64_t, double> number_;  // unsigned only beyond what signed can hold
};

}  // namespace cadre::schema
