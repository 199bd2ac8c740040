#include "base/visible.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre {

namespace {

struct Range {
    char32_t first, last;
};

/// Of Unicode's categories Cc, Cf, Zl and Zp, and what is drawn as nothing at all. U+200D joins emojis, and is one of them: in a
/// name it is still a trap.
constexpr Range kUnseen[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C},   {0x115F, 0x1160},
    {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
};

char32_t code_point(std::string_view character)
{
    constexpr unsigned kFirstBits[] = {0x7F, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t point = static_cast<unsigned char>(character[0]) & kFirstBits[character.size()];
    for (const char c : character.substr(1)) point = (point << 6) | (static_cast<unsigned char>(c) & 0x3F);
    return point;
}

std::string escaped(char32_t point)
{
    constexpr std::string_view kLetters = "btn\vfr";  // U+0008 to U+000D; there is none for \v
    if (point >= 0x08 && point <= 0x0D && point != 0x0B) return {'\\', kLetters[point - 0x08]};
    if (point < 0x10000) return fmt::format("\\u{:04x}", static_cast<unsigned>(point));
    const auto rest = static_cast<unsigned>(point - 0x10000);
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

}  // namespace

bool is_unseen(std::string_view character)
{
    const char32_t point = code_point(character);
    return std::ranges::any_of(kUnseen,
                               [&](const Range& range) { return point >= range.first && point <= range.last; });
}

std::string visible(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        if (length == 0) result += "\\ufffd";
        else if (is_unseen(character)) result += escaped(code_point(character));
        else result += character;
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace cadre
