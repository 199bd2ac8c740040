// Reading: JSON to described structs, with all problems of the input at once.
#pragma once

#include "base/json.hpp"
#include "model/describe.hpp"

#include <boost/json/fwd.hpp>

#include <string_view>

namespace cadre {
class Clock;
class Random;
}  // namespace cadre

namespace cadre::model {

struct ReadOptions {
    bool ignore_unknown = false;  // keys that the entity does not have
    bool stored = false;          // it is what it is: numbers are moved to where they may be, other rules are not asked
    const Clock* clock = nullptr;  // for Fill::now; null: the machine's
    Random* random = nullptr;      // for Fill::uuid and its kin; null: the machine's
    JsonLimits limits{};           // of a text
};

/// Fills `entity`, described by `description`, from `value`. What is wrong goes to `problems`, and then the entity is of no use.
void read(const boost::json::value& value, void* entity, const Entity& description, const Path& path,
          Problems& problems, const ReadOptions& options);

/// The same for a value of any type.
void read_value(const boost::json::value& value, void* out, const Type& type, const Path& path, Problems& problems,
                const ReadOptions& options);

/// Checks an entity that was not read: the same rules, as if its JSON had been.
void validate(const void* entity, const Entity& description, const Path& path, Problems& problems);
/// The same for a value of any type.
void validate_value(const void* value, const Type& type, const Path& path, Problems& problems);

/// T is an entity, or anything made of them: a Part, an Event, a list of steps.
template <class T>
T from_json(const boost::json::value& value, const ReadOptions& options = {})
{
    T out{};
    Problems problems;
    read_value(value, &out, type_of<T>(), {}, problems, options);
    problems.raise();
    return out;
}

/// Parses and reads in one go, without keeping the JSON.
void parse_into(std::string_view text, void* out, const Type& type, const ReadOptions& options);

template <class T>
T from_text(std::string_view text, const ReadOptions& options = {})
{
    T out{};
    parse_into(text, &out, type_of<T>(), options);
    return out;
}

template <class T>
Problems problems_of(const T& value)
{
    Problems problems;
    validate_value(&value, type_of<T>(), {}, problems);
    return problems;
}

}  // namespace cadre::model
