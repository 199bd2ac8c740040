// What files may say and nothing heeds yet. A room that puts a setting into effect deletes its line here.
#pragma once

#include <span>
#include <string_view>

namespace cadre::model {

struct NotInEffect {
    std::string_view entity{};  // `team`
    std::string_view field{};   // empty: all of it
    std::string_view why{};     // what does not happen
    bool is_refused = false;    // to run without it would be dangerous
};

std::span<const NotInEffect> not_in_effect();
/// Null: it is in effect. `field` empty: of the entity as a whole.
const NotInEffect* find_not_in_effect(std::string_view entity, std::string_view field = {});

}  // namespace cadre::model
