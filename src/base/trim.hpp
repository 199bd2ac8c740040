// A text without the blanks around it.
#pragma once

#include <string_view>

namespace cadre {

/// Always a part of `text`, so that its place in it can be told; an empty one of a text that is all blanks.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n")
{
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return text.substr(0, 0);
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace cadre
