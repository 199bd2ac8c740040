#include "base/base64.hpp"

#include <array>
#include <cstdint>

namespace cadre {

namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNoLetter = 64;

using LetterTable = std::array<std::uint8_t, 256>;

constexpr LetterTable values_of(std::string_view letters)
{
    LetterTable values{};
    values.fill(kNoLetter);
    for (std::size_t i = 0; i < letters.size(); ++i)
        values[static_cast<unsigned char>(letters[i])] = static_cast<std::uint8_t>(i);
    return values;
}
constexpr LetterTable kValues = values_of(kLetters);
constexpr LetterTable kUrlValues = values_of(kUrlLetters);

std::string encode(std::string_view bytes, std::string_view letters)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char byte : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(byte);
        for (count += 8; count >= 6;) text += letters[bits >> (count -= 6) & 63];
    }
    if (count > 0) text += letters[bits << (6 - count) & 63];
    return text;
}

std::optional<std::string> decode(std::string_view text, const LetterTable& values)
{
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char letter : text) {
        const std::uint8_t value = values[static_cast<unsigned char>(letter)];
        if (value == kNoLetter) return std::nullopt;
        bits = bits << 6 | value;
        if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xFF);
    }
    if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
    return bytes;
}

}  // namespace

std::string to_base64(std::string_view bytes)
{
    std::string text = encode(bytes, kLetters);
    while (text.size() % 4 != 0) text += '=';
    return text;
}

std::string to_base64url(std::string_view bytes)
{
    return encode(bytes, kUrlLetters);
}

std::optional<std::string> from_base64(std::string_view text)
{
    if (text.size() % 4 == 0)
        for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    return decode(text, kValues);
}

std::optional<std::string> from_base64url(std::string_view text)
{
    return decode(text, kUrlValues);
}

}  // namespace cadre
