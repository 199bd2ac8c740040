#include "schema/keyword_value.hpp"

#include "schema/quote.hpp"

#include <fmt/core.h>

namespace cadre::schema {

namespace {

Types type_of(const KeywordValue& from, const json::value& name)
{
    if (!name.is_string()) from.fail("must be the name of a type, or an array of names");
    const auto found = find_type(name.get_string());
    if (!found) from.fail(fmt::format("{} is not a type", quoted_whole(name.get_string())));
    return *found;
}

}  // namespace

std::string_view KeywordValue::text() const
{
    if (!value.is_string()) fail("must be a string");
    return value.get_string();
}

bool KeywordValue::flag() const
{
    if (!value.is_bool()) fail("must be true or false");
    return value.get_bool();
}

Number KeywordValue::number() const
{
    if (!value.is_number()) fail("must be a number");
    return Number(value);
}

Number KeywordValue::positive_number() const
{
    const Number result = number();
    if (!(result > Number(0))) fail("must be greater than 0");
    return result;
}

std::size_t KeywordValue::count() const
{
    const Number result = number();
    if (!result.is_integer() || result < Number(0)) fail("must be a whole number, 0 or more");
    return result.to_count();
}

const json::array& KeywordValue::list() const
{
    if (!value.is_array()) fail("must be an array");
    return value.get_array();
}

const json::object& KeywordValue::map() const
{
    if (!value.is_object()) fail("must be an object");
    return value.get_object();
}

std::vector<std::string> KeywordValue::names() const
{
    std::vector<std::string> result;
    for (const json::value& name : list()) {
        if (!name.is_string()) fail("must be an array of strings");
        result.emplace_back(name.get_string());
    }
    return result;
}

Types KeywordValue::types() const
{
    if (!value.is_array()) return type_of(*this, value);
    Types result = 0;
    for (const json::value& name : value.get_array()) result |= type_of(*this, name);
    if (result == 0) fail("must name at least one type");
    return result;
}

}  // namespace cadre::schema
