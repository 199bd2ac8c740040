// Writing: described structs to JSON text, appended and never built as a DOM.
#pragma once

#include "model/describe.hpp"

#include <boost/json/value.hpp>

#include <string>

namespace cadre::model {

/// Appends the entity as JSON: fields in the order of the description, nulls and case as its dialect says, secrets as null
/// unless they are a reference like `${VAR}` (C-09).
void write(std::string& out, const void* entity, const Entity& description);

/// Appends one value of that type.
void write_value(std::string& out, const void* value, const Type& type);

/// The same, for whoever looks into it or changes it.
boost::json::value value_of(const void* value, const Type& type);

/// T is an entity, or anything made of them: a Part, an Event, a list of steps.
template <class T>
void append_json(std::string& out, const T& value)
{
    write_value(out, &value, type_of<T>());
}

template <class T>
std::string to_json_text(const T& value)
{
    std::string out;
    append_json(out, value);
    return out;
}

template <class T>
boost::json::value to_json_value(const T& value)
{
    return value_of(&value, type_of<T>());
}

}  // namespace cadre::model
