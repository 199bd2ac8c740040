// Conditions on the fields of an entity, and demands made of them: rules between fields as data, so that reading, JSON Schema
// and the reference pages say the same.
//
//     .demands = {{.when = {is("type", {"custom"})}, .then = given("path"), .says = "is required for a custom tool"}}
#pragma once

#include "model/problem.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

struct Entity;

struct Condition {
    enum class Test : std::uint8_t {
        given,   // not null
        filled,  // not null and not empty: text, list, object
        one_of,  // has one of these values
    };

    std::string_view field;
    Test test;
    std::vector<std::string_view> values{};  // one_of: `true`, `false`, or names of its enumeration
    bool negated = false;
};

inline Condition given(std::string_view field)
{
    return {field, Condition::Test::given};
}
inline Condition filled(std::string_view field)
{
    return {field, Condition::Test::filled};
}
inline Condition is(std::string_view field, std::vector<std::string_view> values)
{
    return {field, Condition::Test::one_of, std::move(values)};
}
inline Condition operator!(Condition condition)
{
    condition.negated = !condition.negated;
    return condition;
}

/// When all of `when` holds, so must `then`; else `says` is said about its field.
struct Demand {
    std::vector<Condition> when{};
    Condition then;
    std::string_view says;
};

bool holds(const Condition& condition, const void* entity, const Entity& description);

/// Reports what the entity's demands find. Those that need a field which is wrong already are left out: one mistake, one
/// message.
void check_demands(const void* entity, const Entity& description, const Path& path, Problems& problems);

/// The demand as a JSON Schema. With `references`, a text like ${VAR} may stand for any value: it meets what is demanded, and
/// nothing is demanded because of it.
boost::json::object schema_of(const Demand& demand, const Entity& description, bool references);

}  // namespace cadre::model
