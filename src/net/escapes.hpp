// Escapes of URLs: `%20`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

/// Nothing for an escape that is not one, and for what is not UTF-8 afterwards.
std::optional<std::string> find_unescaped(std::string_view text);

}  // namespace cadre::net
