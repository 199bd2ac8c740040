// How JSON Schema speaks of an object's members where names are read in any case, and of references to variables.
#pragma once

#include "model/describe.hpp"

#include <boost/json/fwd.hpp>

#include <span>
#include <string>
#include <string_view>

namespace cadre::model {

/// A pattern for that name in any case.
std::string any_case_pattern(std::string_view name);

/// If the object has a member of that name, it is like that.
boost::json::object member_schema(std::string_view name, boost::json::object schema, const Dialect& dialect);

/// The object has a member of that name.
boost::json::object has_member_schema(std::string_view name, const Dialect& dialect);

/// A text that is one of these.
boost::json::object words_schema(std::span<const std::string_view> words, const Dialect& dialect);

/// The whole text is one ${VAR} or ${VAR:-default}: the definition, and a reference to it.
boost::json::object variable_definition();
boost::json::object variable_schema();

}  // namespace cadre::model
