#include "cli/port.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <charconv>

namespace cadre::cli {

std::uint16_t port_from(const std::string& text)
{
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size())
        throw Error(Code::invalid,
                    fmt::format("{} is not a port; give a number up to 65535, or 0 for any", in_quotes(text)));
    return port;
}

}  // namespace cadre::cli
