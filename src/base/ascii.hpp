// Digits and the letters a to z; other alphabets are left alone, so no locale can change a verdict.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace cadre {

constexpr bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

inline std::string lower(std::string_view text)
{
    std::string all(text);
    for (char& c : all) c = lower(c);
    return all;
}

constexpr bool same_in_any_case(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace cadre
