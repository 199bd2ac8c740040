#include "net/escapes.hpp"

#include "base/hex.hpp"
#include "base/utf8.hpp"

#include <cstdint>

namespace cadre::net {

std::optional<std::string> find_unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        std::uint8_t byte = 0;
        if (!read_hex(text.substr(at + 1, 2), {&byte, 1})) return std::nullopt;
        out += static_cast<char>(byte);
        at += 2;
    }
    for (std::string_view rest = out; !rest.empty();) {
        const std::size_t length = utf8_length(rest);
        if (length == 0) return std::nullopt;
        rest.remove_prefix(length);
    }
    return out;
}

}  // namespace cadre::net
