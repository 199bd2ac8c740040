#include "base/json_plain.hpp"

#include "base/utf8.hpp"

namespace cadre {

std::size_t verbatim_length(std::string_view text)
{
    const auto is_ascii = [](char c) { return (c & 0x80) == 0; };
    std::size_t at = plain_length(text);
    while (at < text.size() && !is_ascii(text[at])) {
        const std::size_t length = utf8_length(text.substr(at));
        if (length == 0) break;
        at += length;
        if (at < text.size() && is_ascii(text[at])) at += plain_length(text.substr(at));
    }
    return at;
}

}  // namespace cadre
