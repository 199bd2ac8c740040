// The rules of one value, after its type is right, and those between the fields of an entity.
#pragma once

#include "model/describe.hpp"

#include <cstddef>
#include <string_view>

namespace cadre::model {

/// How long a text is, for rules and for people (C-30).
std::size_t code_points(std::string_view text);

/// Reports what `value`, of `type`, breaks of `rule`. A missing optional value breaks nothing.
void check_rule(const void* value, const Type& type, const Rule& rule, const Path& path, Problems& problems);

/// A number that breaks `rule` becomes the nearest that does not.
void move_into_range(void* value, const Type& type, const Rule& rule);

/// Reports what the entity's demands and checks find, of what could be read.
void check_between(const void* entity, const Entity& description, const Path& path, Problems& problems);

}  // namespace cadre::model
