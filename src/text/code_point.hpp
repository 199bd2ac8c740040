// One character of UTF-8 at a time.
#pragma once

#include "base/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::text {

struct CodePoint {
    char32_t value = 0xFFFD;
    std::uint8_t bytes = 1;
};

/// What `text`, which is not empty, starts with; a byte that begins no character is U+FFFD.
inline CodePoint first_code_point(std::string_view text)
{
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (at(0) < 0x80) return {at(0), 1};
    switch (utf8_length(text)) {
    case 2: return {(at(0) & 0x1Fu) << 6 | (at(1) & 0x3Fu), 2};
    case 3: return {(at(0) & 0x0Fu) << 12 | (at(1) & 0x3Fu) << 6 | (at(2) & 0x3Fu), 3};
    case 4: return {(at(0) & 0x07u) << 18 | (at(1) & 0x3Fu) << 12 | (at(2) & 0x3Fu) << 6 | (at(3) & 0x3Fu), 4};
    default: return {};
    }
}

inline void append_code_point(std::string& out, char32_t c)
{
    const auto add = [&](char32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) return add(c);
    if (c < 0x800) return add(0xC0 | c >> 6), add(0x80 | (c & 0x3F));
    if (c < 0x10000) return add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 0x3F)), add(0x80 | (c & 0x3F));
    add(0xF0 | c >> 18), add(0x80 | (c >> 12 & 0x3F)), add(0x80 | (c >> 6 & 0x3F)), add(0x80 | (c & 0x3F));
}

/// In code points; a byte that belongs to no character counts as one.
inline std::size_t count_code_points(std::string_view text)
{
    std::size_t count = 0;
    for (; !text.empty(); ++count) text.remove_prefix(first_code_point(text).bytes);
    return count;
}

/// Calls `take(character, place of its first byte)` for each.
template <class Take>
void each_code_point(std::string_view text, const Take& take)
{
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = first_code_point(text.substr(at));
        take(c.value, at);
        at += c.bytes;
    }
}

}  // namespace cadre::text
