#include "tools/arguments.hpp"

#include "base/json.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::tools;
using cadre::test::error_of;

namespace {

model::Tool tool(std::string_view schema)
{
    return {.name = "add", .input_schema = parse_json(schema).as_object()};
}

std::string problem(const model::Tool& tool, std::string_view arguments)
{
    return check_arguments(tool, parse_json(arguments).as_object()).value_or("");
}

constexpr const char* kAdd = R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number","maximum":9}},
    "required":["a","b"],"additionalProperties":false})";

}  // namespace

TEST_CASE("arguments that do not fit the schema are refused with everything that is wrong, for the model to mend")
{
    const model::Tool add = tool(kAdd);
    CHECK(problem(add, R"({"a":2,"b":3})") == "");
    const std::string said = problem(add, R"({"a":"2","c":10})");
    for (const char* part : {"The arguments of add do not fit its schema; call it again with arguments that do.\n",
                             "/a: ", "\"b\"", "\"c\""}) {
        CAPTURE(part);
        CHECK(said.c_str() == doctest::Contains(part));
    }
    CHECK(problem(add, R"({"a":2,"b":10})").c_str() == doctest::Contains("/b: must be at most 9, not 10"));
}

TEST_CASE("a tool without a schema takes any arguments, up to 256 KiB")
{
    const model::Tool any{.name = "any"};
    CHECK(problem(any, R"({"x":[1,2]})") == "");
    const std::string most(kMaxArguments - std::string_view(R"({"x":""})").size(), 'x');
    CHECK(!check_arguments(any, {{"x", most}}));
    CHECK(check_arguments(any, {{"x", most + "x"}}).value_or("").c_str() ==
          doctest::Contains("The arguments of any have 262145 bytes; at most 262144 are allowed."));
    CHECK(check_arguments(tool(R"({"type":"object"})"), {{"x", most + "x"}}));
}

TEST_CASE("arguments are bounded by their bytes and not by how many values they are")
{
    const model::Tool any{.name = "any"};
    const auto ones = [](std::size_t count) { return json::object{{"x", json::array(count, 1)}}; };
    CHECK(!check_arguments(any, ones(120'000)));
    CHECK(check_arguments(any, ones(140'000)).value_or("").c_str() == doctest::Contains("at most 262144 are allowed"));
}

TEST_CASE("a definition that changed is checked by its new schema")
{
    CHECK(problem(tool(kAdd), R"({})") != "");
    CHECK(problem(tool(R"({"type":"object"})"), R"({})") == "");
    CHECK(problem(tool(kAdd), R"({})") != "");
}

TEST_CASE("a schema that is none is the definition's fault, not the model's")
{
    CHECK(error_of([] { problem(tool(R"({"type":"objekt"})"), "{}"); }) ==
          doctest::Contains("invalid: the input_schema of tool \"add\" cannot be used: "));
}

TEST_CASE("arguments that take too long to check are refused")
{
    // each level is looked at twice by each of two branches
    std::string schema = "true";
    json::object arguments;
    const model::Tool hostile =
        tool(R"({"$defs":{"n":{"anyOf":[{"properties":{"n":{"$ref":"#/$defs/n"}},"required":["x"]},
        {"properties":{"n":{"$ref":"#/$defs/n"}},"required":["y"]}]}},"$ref":"#/$defs/n"})");
    for (int i = 0; i < 40; ++i) arguments = {{"n", arguments}};
    CHECK(check_arguments(hostile, arguments).value_or("").c_str() == doctest::Contains("The arguments of add "));
}
