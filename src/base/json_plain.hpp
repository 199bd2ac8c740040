// The characters that mean themselves inside a JSON string; reader and writer pass over them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cadre {

/// How many bytes at the start of `text` are ASCII and neither a control character, a quote nor a backslash. Most strings
/// are no more than that, so it looks at eight at a time.
inline std::size_t plain_length(std::string_view text)
{
    using Bytes [[gnu::vector_size(8)]] = signed char;  // bytes beyond ASCII are negative
    static_assert(std::endian::native == std::endian::little);
    std::size_t at = 0;
    if (text.size() < sizeof(Bytes)) {
        const auto is_plain = [](char c) { return static_cast<signed char>(c) >= 0x20 && c != '"' && c != '\\'; };
        while (at < text.size() && is_plain(text[at])) ++at;
        return at;
    }
    // the last eight may overlap those before, which were plain
    for (const std::size_t last = text.size() - sizeof(Bytes);; at = std::min(at + sizeof(Bytes), last)) {
        Bytes bytes;
        std::memcpy(&bytes, text.data() + at, sizeof bytes);
        const auto special = std::bit_cast<std::uint64_t>((bytes < 0x20) | (bytes == '"') | (bytes == '\\'));
        if (special != 0) return at + static_cast<std::size_t>(std::countr_zero(special)) / 8;
        if (at == last) return text.size();
    }
}

/// The same with other characters of UTF-8 among them: ends at a control character, a quote, a backslash or a byte that
/// begins no character.
std::size_t verbatim_length(std::string_view text);

}  // namespace cadre
