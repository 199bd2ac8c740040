// Members of foreign JSON objects, which may be missing or of any type.
#pragma once

#include "base/json.hpp"

#include <boost/json.hpp>

#include <string_view>

namespace cadre::mcp {

/// Empty for what is no text.
inline std::string_view text_in(const json::object& object, std::string_view name)
{
    const json::value* value = object.if_contains(name);
    return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

/// Null for what is no object.
inline const json::object* object_in(const json::object& object, std::string_view name)
{
    const json::value* value = object.if_contains(name);
    return value ? value->if_object() : nullptr;
}

inline const json::array* array_in(const json::object& object, std::string_view name)
{
    const json::value* value = object.if_contains(name);
    return value ? value->if_array() : nullptr;
}

/// False for what is no truth value.
inline bool is_true(const json::object& object, std::string_view name)
{
    const json::value* value = object.if_contains(name);
    return value && value->is_bool() && value->get_bool();
}

}  // namespace cadre::mcp
