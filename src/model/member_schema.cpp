#include "model/member_schema.hpp"

#include "base/ascii.hpp"

#include <boost/json.hpp>

namespace cadre::model {

namespace json = boost::json;

namespace {

/// `agentId` in any case: `[aA][gG]…`. JSON Schema has no flags for its patterns.
std::string any_case(std::string_view word)
{
    std::string pattern;
    for (const char c : word) {
        const char small = lower(c);
        if (small >= 'a' && small <= 'z') pattern += {'[', small, static_cast<char>(small - 32), ']'};
        else pattern += c;  // digits, - and _ stand for themselves
    }
    return pattern;
}

}  // namespace

std::string any_case_pattern(std::string_view name)
{
    return "^" + any_case(name) + "$";
}

json::object member_schema(std::string_view name, json::object schema, const Dialect& dialect)
{
    if (!dialect.any_case) return {{"properties", {{name, std::move(schema)}}}};
    return {{"patternProperties", {{any_case_pattern(name), std::move(schema)}}}};
}

json::object has_member_schema(std::string_view name, const Dialect& dialect)
{
    if (!dialect.any_case) return {{"required", json::array{name}}};
    // `required` knows no patterns: it is not so that all names are others
    const json::object named{{"pattern", any_case_pattern(name)}};
    return {{"not", {{"propertyNames", {{"not", named}}}}}};
}

json::object words_schema(std::span<const std::string_view> words, const Dialect& dialect)
{
    if (!dialect.any_case) return {{"enum", json::array(words.begin(), words.end())}};
    std::string all;
    for (const std::string_view word : words) all += (all.empty() ? "" : "|") + any_case(word);
    return {{"type", "string"}, {"pattern", "^(" + all + ")$"}};
}

json::object variable_definition()
{
    return {{"description", "The value of an environment variable."},
            {"type", "string"},
            {"pattern", R"(^\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}$)"}};
}

json::object variable_schema()
{
    return {{"$ref", "#/$defs/variable"}};
}

}  // namespace cadre::model
