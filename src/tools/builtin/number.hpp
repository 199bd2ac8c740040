// Number: whole and exact as long as it can be, a double when it must. For the calculator.
#pragma once

#include <string>
#include <string_view>

namespace cadre::tools {

/// Every operation throws Error(invalid), a sentence for the model, when there is no finite real result.
class Number {
public:
    Number() = default;
    /// `12`, `0.5`, `1.5e3`: digits, then perhaps a fraction and an exponent.
    static Number from_text(std::string_view text);
    static Number real(double value);

    Number operator-() const;
    Number operator+(const Number& other) const;
    Number operator-(const Number& other) const;
    Number operator*(const Number& other) const;
    Number operator/(const Number& other) const;
    /// The remainder of a floored division, as in Python: it has the sign of `other`.
    Number operator%(const Number& other) const;
    Number to_the(const Number& exponent) const;
    Number root() const;
    bool operator<(const Number& other) const;

    /// Applies `rounding` (std::floor and its like), which leaves whole numbers alone.
    Number rounded(double (*rounding)(double)) const;
    Number absolute() const { return *this < Number() ? -*this : *this; }

    /// Whole numbers without a point; others with 15 significant digits.
    std::string text() const;

private:
    using Whole = __int128;

    static Number whole(Whole value);
    static bool fits(Whole value);
    double value() const { return is_whole_ ? static_cast<double>(whole_) : real_; }

    bool is_whole_ = true;
    Whole whole_ = 0;
    double real_ = 0;
};

}  // namespace cadre::tools
