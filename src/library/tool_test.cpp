#include "cadre/tool.hpp"
#include "library/test_engine.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Line {
    std::string item{};
    unsigned count = 0;
    std::optional<double> price{};
};

auto cadre_fields(const Line*)
{
    return cadre::fields(cadre::field("item", &Line::item, "what"), cadre::field("count", &Line::count),
                         cadre::field("price", &Line::price));
}

std::string called(const cadre::Tool& tool, std::string arguments)
{
    return tool.call(cadre::Arguments(std::move(arguments), "key"));
}

}  // namespace

namespace cadre {

using test::failure_of;

TEST_CASE("a tool from a function: its signature is its schema")
{
    const Tool add = tool_from("add", "Adds.", {"a", {"b", "the second"}}, [](int a, double b) { return a + b; });
    CHECK(add.input_schema ==
          R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"description":"the second","type":"number"}},)"
          R"("required":["a","b"],"additionalProperties":false})");
    CHECK(called(add, R"({"a":1,"b":0.5})") == "1.5");

    const Tool pay = tool_from("pay", "", [](std::vector<Line> lines, std::optional<bool> now, std::string) {
        return std::map<std::string, long>{{lines.at(0).item, now.value_or(false) ? 1 : 0}};
    });
    CHECK(
        pay.input_schema ==
        R"({"type":"object","properties":{"arg1":{"type":"array","items":{"type":"object","properties":{"item":)"
        R"({"description":"what","type":"string"},"count":{"type":"integer","minimum":0},"price":{"type":"number"}},)"
        R"("required":["item","count"],"additionalProperties":false}},"arg2":{"type":"boolean"},"arg3":{"type":"string"}},)"
        R"("required":["arg1","arg3"],"additionalProperties":false})");
    CHECK(called(pay, R"({"arg1":[{"item":"tea","count":2}],"arg2":true,"arg3":"x"})") == R"({"tea":1})");
}

TEST_CASE("a tool from a function: results are text as it is, and JSON otherwise")
{
    CHECK(called(tool_from("t", "", [] { return "words"; }), "{}") == "words");
    CHECK(called(tool_from("t", "", [] { return std::string("a \"word\""); }), "{}") == "a \"word\"");
    CHECK(called(tool_from("t", "", [] {}), "{}") == "Done.");
    CHECK(called(tool_from("t", "", [] { return true; }), "{}") == "true");
    CHECK(called(tool_from("t", "", [] { return std::vector<int>{1, 2}; }), "{}") == "[1,2]");
    CHECK(called(tool_from("t", "", [] { return Line{.item = "tea", .count = 2}; }), "{}") ==
          R"({"item":"tea","count":2,"price":null})");
    CHECK(called(tool_from("t", "", {"x"}, [](const Arguments& call, int x) { return call.key() + std::to_string(x); }),
                 R"({"x":3.0})") == "key3");
    int calls = 0;
    const Tool counts = tool_from("t", "", [calls]() mutable { return ++calls; });
    called(counts, "{}");
    CHECK(called(counts, "{}") == "2");
}

TEST_CASE("a tool from a function: arguments that do not fit are named")
{
    const Tool tool = tool_from("t", "", {"small", "lines"}, [](std::int8_t, std::vector<Line>) {});
    struct {
        const char* arguments;
        const char* says;
    } const cases[] = {
        {R"({"small":128,"lines":[]})", "invalid: small: must be between -128 and 127, and is \"128\""},
        {R"({"small":1.5,"lines":[]})", "invalid: small: must be an integer, and is \"1.5\""},
        {R"({"small":"1","lines":[]})", "invalid: small: must be an integer, and is \"\\\"1\\\"\""},
        {R"({"small":1e300,"lines":[]})", "invalid: small: must be an integer, and is \"1e+300\""},
        {R"({"lines":[]})", "invalid: small: is missing"},
        {R"({"small":1,"lines":{}})", "invalid: lines: must be a list, and is \"{}\""},
        {R"({"small":1,"lines":[{"item":"tea","count":-1}]})",
         "invalid: lines: count: must be between 0 and 4294967295, and is \"-1\""},
        {R"([])", "invalid: must be an object, and is \"[]\""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.arguments);
        CHECK(failure_of([&] { called(tool, c.arguments); }) == c.says);
    }
}

TEST_CASE("a tool from a function: as many names as arguments, all different")
{
    const auto two = [](int, int) {};
    CHECK(failure_of([&] { tool_from("add", "", {"a"}, two); }) ==
          "invalid: the function of the tool \"add\" takes 2 arguments, and 1 are named");
    CHECK(failure_of([&] { tool_from("add", "", {"a", "a"}, two); }) ==
          "invalid: two arguments of the tool \"add\" are called \"a\"");
}

TEST_CASE("an engine refuses a tool that cannot be one")
{
    Engine engine;
    const auto call = [](const Arguments&) { return std::string(); };
    CHECK(failure_of([&] { engine.add_tool({.description = "no name", .call = call}); }) ==
          "invalid: a tool needs a name");
    CHECK(failure_of([&] { engine.add_tool({.name = "empty"}); }) == "invalid: the tool \"empty\" needs a function");
    CHECK(failure_of([&] { engine.add_tool({.name = "t", .input_schema = "[]", .call = call}); }) ==
          "invalid: the input_schema of \"t\" is not a JSON object");
    CHECK(failure_of([&] {
              engine.add_tool({.name = "t", .input_schema = "{", .call = call});
          }).starts_with("malformed: "));
    engine.tool("t", "", [] {});
    CHECK(failure_of([&] { engine.tool("t", "", [] {}); }).starts_with("conflict: "));
}

TEST_CASE("what a tool throws is told to the model")
{
    Engine engine;
    engine.tool("words", "", []() -> int { throw std::runtime_error("the till is empty"); });
    engine.tool("other", "", []() -> int { throw 5; });
    engine.tool("small", "", {"n"}, [](std::int8_t n) { return n; });
    const auto said_after = [&](std::string tool, std::string arguments) {
        engine.use_model(test::calls_once(tool, std::move(arguments)));
        return engine.run(test::clerk({tool}), "Go.").text;
    };
    CHECK(said_after("words", "{}") == "the till is empty");
    CHECK(said_after("other", "{}") == "it failed, and does not say why");
    CHECK(said_after("small", R"({"n":1000})") == "n: must be between -128 and 127, and is \"1000\"");
    CHECK(said_after("small", R"({"m":1})").find("m") != std::string::npos);  // refused by the schema, before the call
}

}  // namespace cadre
