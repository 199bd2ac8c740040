#include "base/utf8.hpp"

namespace cadre {

namespace {

bool continues(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::size_t utf8_length(std::string_view text)
{
    if (text.empty()) return 0;
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;

    const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (!continues(text[i])) return 0;

    // what the lead byte alone does not exclude: overlong forms, surrogates, beyond U+10FFFF
    const auto second = static_cast<unsigned char>(text[1]);
    const bool wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                       (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return wrong ? 0 : length;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes)
{
    if (text.size() <= bytes) return text;
    const std::size_t shortest = bytes < 3 ? 0 : bytes - 3;  // no character is longer, whatever the bytes are
    std::size_t end = bytes;
    while (end > shortest && continues(text[end])) --end;
    return text.substr(0, end);
}

}  // namespace cadre
