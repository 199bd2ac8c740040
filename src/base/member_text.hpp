// Texts in JSON that somebody else wrote: a member may be missing, or of any type.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace cadre {

/// Empty for what is no text.
inline std::string text_in(const boost::json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace cadre
