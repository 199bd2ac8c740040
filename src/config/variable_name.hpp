// What a variable may be called.
#pragma once

#include <string_view>

namespace cadre::config {

/// Letters, digits and _, no digit first.
constexpr bool is_variable_name(std::string_view name)
{
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
    for (const char c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return true;
}

}  // namespace cadre::config
