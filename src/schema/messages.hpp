// What is said of a broken rule: what must be, and what is instead, so that a person or a model can mend it.
#pragma once

#include "schema/program.hpp"

#include <string>
#include <string_view>

namespace cadre::schema {

std::string wrong_type(Types expected, const json::value& value);
std::string wrong_constant(const json::value& expected, const json::value& value);
std::string not_enumerated(const json::array& expected, const json::value& value);
/// "must be at least 0, not -3": `rule` is "at least".
std::string wrong_number(std::string_view rule, const Number& bound, const Number& number);
/// "must have at most 3 elements, not 4": `noun` is "element", `which` could be " that matches contains".
std::string wrong_count(const Range& range, std::size_t count, std::string_view noun, std::string_view which = "");
std::string wrong_pattern(const Pattern& pattern, std::string_view text);
std::string wrong_format(const Format& format, std::string_view text);
std::string missing_property(std::string_view name, const json::object& object, const ObjectRules& rules);
std::string unknown_property(std::string_view name, const ObjectRules& rules);

}  // namespace cadre::schema
