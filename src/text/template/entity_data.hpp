// The named characters of HTML, as data.
#pragma once

#include <span>
#include <string_view>

namespace cadre::text::tpl {

struct Entity {
    std::string_view name;  // some with the semicolon, some without
    std::string_view text;
};

/// Sorted by name.
std::span<const Entity> entities();

}  // namespace cadre::text::tpl
