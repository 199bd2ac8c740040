#include "model/not_in_effect.hpp"

#include <algorithm>
#include <iterator>

namespace cadre::model {

namespace {

constexpr NotInEffect kNotInEffect[] = {
    {"memory_config", "vector_db_config", "vectors are kept with what they are of, in the journal's store"},
    {"team", "deployment_config", "nothing reads it yet"},
    {"team", "id", "teams are found by the names of their files"},
};

}  // namespace

std::span<const NotInEffect> not_in_effect()
{
    return kNotInEffect;
}

const NotInEffect* find_not_in_effect(std::string_view entity, std::string_view field)
{
    const auto found = std::ranges::find_if(
        kNotInEffect, [&](const NotInEffect& one) { return one.entity == entity && one.field == field; });
    return found == std::end(kNotInEffect) ? nullptr : &*found;
}

}  // namespace cadre::model
