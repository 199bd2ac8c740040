// Reads a short text from left to right, for the forms in formats_*.cpp.
#pragma once

#include "base/ascii.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace cadre::schema {

constexpr bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    std::string_view rest() const { return rest_; }

    /// Whether the next character is one of `choices`, which is then read.
    bool take(std::string_view choices)
    {
        if (rest_.empty() || choices.find(rest_.front()) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
        return true;
    }
    /// How many characters in a row are `kind`; they are read.
    template <class Kind>
    std::size_t take_while(Kind kind)
    {
        std::size_t count = 0;
        while (count < rest_.size() && kind(rest_[count])) ++count;
        rest_.remove_prefix(count);
        return count;
    }
    /// Exactly so many decimal digits.
    std::optional<int> number(std::size_t digits)
    {
        int result = 0;
        if (rest_.size() < digits) return std::nullopt;
        for (std::size_t i = 0; i < digits; ++i) {
            if (!is_digit(rest_[i])) return std::nullopt;
            result = result * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(digits);
        return result;
    }

private:
    std::string_view rest_;
};

}  // namespace cadre::schema
