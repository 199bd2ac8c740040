#include "schema/schema.hpp"

#include "base/json.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace cadre;
using schema::Finding;
using schema::Findings;
using schema::Schema;
using test::error_of;

namespace {

Findings findings(std::string_view schema_text, std::string_view value, const schema::Options& options = {})
{
    return Schema::compile(parse_json(schema_text), options).validate(parse_json(value));
}

constexpr std::string_view kWeather = R"({
  "type": "object",
  "properties": {
    "city": {"type": "string", "minLength": 1, "maxLength": 10},
    "unit": {"enum": ["celsius", "fahrenheit", null]},
    "days": {"type": "integer", "minimum": 1, "exclusiveMaximum": 8},
    "step": {"type": "number", "multipleOf": 0.25},
    "kind": {"const": "forecast"},
    "zip": {"type": ["string", "null"], "pattern": "^[0-9]{5}$"},
    "points": {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true,
               "items": {"$ref": "#/$defs/point"}, "contains": {"required": ["lat"]}},
    "tags": {"propertyNames": {"pattern": "^[a-z]+$"}, "maxProperties": 2},
    "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "how": {"oneOf": [
      {"properties": {"by": {"const": "car"}, "seats": {"type": "integer"}}, "required": ["by", "seats"]},
      {"properties": {"by": {"const": "bus"}, "line": {"type": "string"}}, "required": ["by", "line"]}]},
    "not_red": {"not": {"const": "red"}},
    "a/b~c": {"type": "null"}
  },
  "required": ["city"],
  "dependentRequired": {"zip": ["unit"]},
  "additionalProperties": false,
  "$defs": {"point": {"type": "object", "properties": {"lat": {"maximum": 90}}}}
})";

}  // namespace

TEST_CASE("a finding says where, which rule, and what must be instead")
{
    struct {
        const char* value;
        const char* value_path;
        const char* schema_path;
        const char* message;
    } const cases[] = {
        {R"([])", "", "/type", "must be an object, not an array"},
        {R"({})", "", "/required", R"(must have the property "city")"},
        {R"({"city":"x","unti":1})", "", "/additionalProperties",
         R"(must not have the property "unti"; did you mean "unit"?)"},
        {R"({"city":7})", "/city", "/properties/city/type", "must be a string, not a number"},
        {R"({"city":""})", "/city", "/properties/city/minLength", "must have at least 1 character, not 0"},
        {R"({"city":"Llanfairpwll"})", "/city", "/properties/city/maxLength",
         "must have at most 10 characters, not 12"},
        {R"({"city":"x","unit":"celcius"})", "/unit", "/properties/unit/enum",
         R"(must be one of "celsius", "fahrenheit", null, not "celcius"; did you mean "celsius"?)"},
        {R"({"city":"x","days":1.5})", "/days", "/properties/days/type", "must be an integer, not 1.5"},
        {R"({"city":"x","days":0})", "/days", "/properties/days/minimum", "must be at least 1, not 0"},
        {R"({"city":"x","days":8.0})", "/days", "/properties/days/exclusiveMaximum", "must be less than 8, not 8"},
        {R"({"city":"x","step":0.3})", "/step", "/properties/step/multipleOf", "must be a multiple of 0.25, not 0.3"},
        {R"({"city":"x","kind":"past"})", "/kind", "/properties/kind/const", R"(must be "forecast", not "past")"},
        {R"({"city":"x","zip":7,"unit":null})", "/zip", "/properties/zip/type",
         "must be a string or null, not a number"},
        {R"({"city":"x","zip":"123","unit":null})", "/zip", "/properties/zip/pattern",
         R"(must match the pattern "^[0-9]{5}$", unlike "123")"},
        {R"({"city":"x","zip":null})", "", "/dependentRequired",
         R"(must have the property "unit", because it has "zip")"},
        {R"({"city":"x","points":[]})", "/points", "/properties/points/minItems",
         "must have at least 1 element, not 0"},
        {R"({"city":"x","points":[{"lat":1},{"lat":91}]})", "/points/1/lat", "/$defs/point/properties/lat/maximum",
         "must be at most 90, not 91"},
        {R"({"city":"x","points":[{"lat":1},{},{"lat":1.0}]})", "/points", "/properties/points/uniqueItems",
         "must not have equal elements, and 2 equals 0"},
        {R"({"city":"x","points":[{}]})", "/points", "/properties/points/contains",
         "must have at least 1 element that matches contains, not 0"},
        {R"({"city":"x","tags":{"A1":0}})", "/tags", "/properties/tags/propertyNames",
         R"(the property name "A1" must match the pattern "^[a-z]+$", unlike "A1")"},
        {R"({"city":"x","tags":{"a":0,"b":0,"c":0}})", "/tags", "/properties/tags/maxProperties",
         "must have at most 2 properties, not 3"},
        {R"({"city":"x","when":3})", "/when", "/properties/when/anyOf", "must be a string or null, not a number"},
        {R"({"city":"x","how":{"by":"bus","lane":"9"}})", "/how", "/properties/how/oneOf",
         "must match one of 2 schemas in oneOf; number 1 is the nearest"},
        {R"({"city":"x","not_red":"red"})", "/not_red", "/properties/not_red/not", "must not match the schema in not"},
        {R"({"city":"x","a/b~c":1})", "/a~1b~0c", "/properties/a~1b~0c/type", "must be null, not a number"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.value);
        const Findings found = findings(kWeather, c.value);
        REQUIRE(!found.empty());
        CHECK(found[0].value_path == c.value_path);
        CHECK(found[0].schema_path == c.schema_path);
        CHECK(found[0].message == c.message);
    }
    CHECK(findings(kWeather, R"({"city":"Rome","unit":null,"days":7,"step":1e3,"zip":"00100","when":null})").empty());
}

TEST_CASE("all broken rules are found, and of alternatives those of the nearest")
{
    CHECK(to_text(findings(kWeather, R"({"days":0,"how":{"by":"bus","lane":"9"},"x":1})")) ==
          "/days: must be at least 1, not 0\n"
          "/how: must match one of 2 schemas in oneOf; number 1 is the nearest\n"
          "/how: must have the property \"line\"; it has \"lane\"\n"
          "must not have the property \"x\"\n"
          "must have the property \"city\"\n");
    CHECK(findings(R"({"items":{"type":"string"}})", "[1,2,3,4,5]", {.max_findings = 3}).size() == 3);
    CHECK(findings(R"({"oneOf":[{"type":"number"},{"minimum":2}]})", "3")[0].message ==
          "must match only one schema in oneOf, and matches 0 and 1");
    CHECK(findings(R"({"unevaluatedProperties":false,"properties":{"a":{"type":"null"}}})", R"({"a":1})").size() == 1);
    CHECK(findings("false", "1") == Findings{{"", "", "must not be there"}});
}

TEST_CASE("a schema that makes no sense is refused, and the place named")
{
    struct {
        const char* schema;
        const char* says;
    } const cases[] = {
        {"7", "invalid: schema: a schema must be an object, true or false"},
        {R"({"properties":{"a":[]}})", "schema at /properties/a: a schema must be an object, true or false"},
        {R"({"properties":[]})", "schema at /properties: must be an object"},
        {R"({"type":"strin"})", "schema at /type: \"strin\" is not a type"},
        {R"({"type":[]})", "schema at /type: must name at least one type"},
        {R"({"anyOf":[]})", "schema at /anyOf: must list at least one schema"},
        {R"({"minLength":-1})", "schema at /minLength: must be a whole number, 0 or more"},
        {R"({"multipleOf":0})", "schema at /multipleOf: must be greater than 0"},
        {R"({"required":true})", "schema at /required: must be an array"},
        {R"({"items":[{}]})", "a list of schemas stands in prefixItems"},
        {R"({"$ref":"#/$defs/x"})", "schema at /$ref: refers to \"#/$defs/x\", which does not exist"},
        {R"({"$ref":"#x"})", "refers to \"#x\", but no schema has that anchor"},
        {R"({"allOf":[{"$ref":"https://example.com/schemas/a-rather-long-name.json#/x"}]})",
         "schema at /allOf/0/$ref: refers to \"https://example.com/schemas/a-rather-long-name.json\", which is not a "
         "known"},
        {R"({"$ref":"file:///etc/passwd"})", "which is not a known document"},
        {R"({"$schema":"http://json-schema.org/draft-04/schema#"})", "draft-04/schema#\" is not supported"},
        {R"x({"pattern":"(a"})x", "schema at /pattern: the pattern \"(a\" is refused: missing )"},
        {R"x({"patternProperties":{"(?=x)":true}})x",
         "schema at /patternProperties: the pattern \"(?=x)\" uses look-around"},
        {R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})",
         "the anchor \"x\" is given to another schema already"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.schema);
        CHECK(error_of([&] { Schema::compile(parse_json(c.schema)); }) == doctest::Contains(c.says));
    }
}

TEST_CASE("references reach documents that are known, and their places are named by URI")
{
    const json::value address =
        parse_json(R"({"$defs":{"zip":{"minLength":5}},"properties":{"zip":{"$ref":"#/$defs/zip"}}})");
    schema::Options options;
    options.document = [&](std::string_view uri) { return uri == "https://example.com/address" ? &address : nullptr; };
    CHECK(findings(R"({"$id":"https://example.com/","$ref":"address"})", R"({"zip":"1"})", options) ==
          Findings{
              {"/zip", "https://example.com/address#/$defs/zip/minLength", "must have at least 5 characters, not 1"}});
    CHECK(findings(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})", R"({"type":"strin"})").size() > 1);
}

TEST_CASE("what tools of older drafts send is understood")
{
    constexpr std::string_view draft_07 = R"({
      "$schema": "http://json-schema.org/draft-07/schema#",
      "definitions": {"n": {"type": "integer"}},
      "properties": {"a": {"$ref": "#/definitions/n", "minimum": 5}, "pair": {"items": [{"type": "string"}], "additionalItems": false}},
      "dependencies": {"a": ["pair"]}
    })";
    CHECK(findings(draft_07, R"({"a":1,"pair":["x"]})").empty());  // in draft-07, nothing counts beside $ref
    CHECK(findings(draft_07, R"({"a":1})")[0].schema_path == "/dependencies");
    CHECK(findings(draft_07, R"({"pair":["x","y"]})")[0].value_path == "/pair/1");
    CHECK(findings(R"({"$ref":"#/definitions/n","definitions":{"n":{"type":"integer"}}})", "1.5").size() == 1);
}

TEST_CASE("format is a remark unless it is asked to be a rule")
{
    constexpr std::string_view dated = R"({"format":"date"})";
    CHECK(findings(dated, R"("tomorrow")").empty());
    CHECK(findings(dated, R"("tomorrow")", {.format_assertion = true})[0].message ==
          "must be a date like 2025-01-31, not \"tomorrow\"");
    CHECK(findings(R"({"format":"colour"})", R"("x")", {.format_assertion = true}).empty());
}

TEST_CASE("one schema serves many threads, and outlives the text it was made from")
{
    const Schema schema = Schema::compile(parse_json(kWeather));
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (std::size_t i = 0; i < wrong.size(); ++i)
        threads.emplace_back([&wrong, i, copy = schema] {
            for (int n = 0; n < 200; ++n) {
                wrong[i] += copy.validate(parse_json(R"({"city":"x","zip":"12345","unit":null})")).empty() ? 0 : 1;
                wrong[i] += copy.accepts(parse_json(R"({"city":"x","zip":"1234x","unit":null})")) ? 1 : 0;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}
