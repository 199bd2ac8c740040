// Schemas and values made to hurt: each ends soon, with an error that says so.
#include "schema/schema.hpp"

#include "base/json.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace cadre;
using schema::Schema;
using test::error_of;

namespace {

std::string repeated(std::string_view text, std::size_t times)
{
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

json::value nested_array(int depth)
{
    json::value value = json::array();
    for (int i = 0; i < depth; ++i) value = json::array{std::move(value)};
    return value;
}

/// Two references to the next definition in each: 2^levels schemas to try, and the last one fails.
std::string doubling(std::string_view keyword, int levels)
{
    std::string defs;
    for (int i = 0; i < levels; ++i)
        defs += fmt::format(R"("d{0}":{{"{2}":[{{"$ref":"#/$defs/d{1}"}},{{"$ref":"#/$defs/d{1}"}}]}},)", i, i + 1,
                            keyword);
    return fmt::format(R"({{"$ref":"#/$defs/d0","$defs":{{{}"d{}":{}}}}})", defs, levels,
                       keyword == "allOf" ? "true" : "false");
}

}  // namespace

TEST_CASE("schemas that multiply end with the step budget")
{
    struct {
        std::string name;
        std::string schema;
        std::string value;
        const char* says;
    } const cases[] = {
        {"anyOf doubles", doubling("anyOf", 60), "1", "too_large: this value takes more than 200000 steps"},
        {"oneOf doubles", doubling("oneOf", 60), "1", "too_large: this value takes more than 200000 steps"},
        {"allOf doubles", doubling("allOf", 60), "1", "too_large: this value takes more than 200000 steps"},
        {"many branches, many members", R"({"anyOf":[)" + repeated(R"({"required":["x"]},)", 2000) + "false]}",
         "{" +
             [] {
                 std::string m;
                 for (int i = 0; i < 2000; ++i) m += fmt::format("\"m{}\":0,", i);
                 m.back() = '}';
                 return m;
             }(),
         "too_large: this value takes more than 200000 steps"},
        {"a pattern that backtracks elsewhere", R"({"pattern":"^(a+)+$"})", '"' + std::string(50'000, 'a') + "b\"", ""},
        {"a pattern with many states", R"({"items":{"pattern":"^(x|y)*x(x|y){40}$"}})",
         "[" + repeated('"' + repeated("yx", 500) + "\",", 200) + "0]", "too_large: this value takes"},
        {"equal values", R"({"uniqueItems":true})", "[" + repeated("[[[1]]],", 5000) + "0]", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const Schema schema = Schema::compile(parse_json(c.schema), {.max_steps = 200'000});
        const json::value value = parse_json(c.value);
        CHECK(error_of([&] { schema.validate(value); }) == doctest::Contains(c.says));  // hangs if steps bound nothing
    }
}

TEST_CASE("schemas and values that are nested without end are refused at the depth bound")
{
    constexpr const char* kTooDeep = "too_large: the schema applies to this value more than 512 deep";
    const auto checked = [](std::string_view schema, const json::value& value) {
        return error_of([&] { Schema::compile(parse_json(schema)).validate(value); });
    };
    CHECK(checked(R"({"$ref":"#"})", 1) == doctest::Contains(kTooDeep));
    CHECK(checked(R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}})", 1) ==
          doctest::Contains(kTooDeep));
    CHECK(checked(R"({"$dynamicAnchor":"x","$dynamicRef":"#x"})", 1) == doctest::Contains(kTooDeep));
    CHECK(checked(R"({"items":{"$ref":"#"}})", nested_array(100)) == "");
    CHECK(checked(R"({"items":{"$ref":"#"}})", nested_array(1000)) == doctest::Contains(kTooDeep));
    CHECK(checked(R"({"uniqueItems":true})", json::array{nested_array(1000), nested_array(1000)}) ==
          doctest::Contains(kTooDeep));

    json::value deep = true;
    for (int i = 0; i < 5000; ++i) deep = json::object{{"not", std::move(deep)}};
    const Schema compiled = Schema::compile(deep);  // compiling does not recurse
    CHECK(error_of([&] { compiled.validate(1); }) == doctest::Contains(kTooDeep));
}

TEST_CASE("wide schemas and values are no problem")
{
    json::array choices;
    json::object properties;
    for (int i = 0; i < 20'000; ++i) {
        choices.emplace_back(fmt::format("choice {}", i));
        properties[fmt::format("p{}", i)] = json::object{{"type", "integer"}};
    }
    const Schema choice = Schema::compile(json::object{{"enum", choices}});
    CHECK(choice.accepts("choice 19999"));
    CHECK(choice.validate("choice x")[0].message.size() < 500);

    json::object value;
    for (const auto& member : properties) value[member.key()] = 1;
    const Schema object = Schema::compile(json::object{{"properties", properties}, {"additionalProperties", false}});
    CHECK(object.accepts(value));
    value["p7"] = "seven";
    CHECK(object.validate(value).size() == 1);

    json::array distinct;
    for (int i = 0; i < 50'000; ++i) distinct.emplace_back(json::object{{"n", i}});
    const Schema unique = Schema::compile(parse_json(R"({"uniqueItems":true})"));
    CHECK(unique.accepts(distinct));
    distinct.emplace_back(json::object{{"n", 77.0}});
    CHECK(!unique.accepts(distinct));
}

TEST_CASE("patterns share a memory bound")
{
    json::object patterns;
    for (int i = 0; i < 200; ++i) patterns[fmt::format("^{}[a-z]+$", i)] = true;
    const json::value many = json::object{{"patternProperties", patterns}};
    CHECK(error_of([&] { Schema::compile(many); }) ==
          doctest::Contains("schema at /patternProperties: all patterns together"));
    CHECK_NOTHROW(Schema::compile(many, {.pattern_memory = 256 << 20}));
    CHECK(error_of([] { Schema::compile(parse_json(R"({"pattern":"((\\p{L}{100}){10}){10}"})")); }) ==
          doctest::Contains("schema at /pattern: the pattern"));
}

TEST_CASE("to say no never fails where to explain it costs too much")
{
    const Schema schema = Schema::compile(parse_json(R"({"items":{"type":"string"}})"), {.max_steps = 1000});
    CHECK(schema.validate(parse_json("[1,2,3]")) == schema::Findings{{.message = "is not as its schema says"}});
}
