#include "testing/judge.hpp"

#include "base/json.hpp"
#include "model/read.hpp"
#include "testing/text_diff.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::testing;

namespace {

std::string mismatch_of(const char* match, const char* text)
{
    return mismatch(model::from_text<model::TextMatch>(match), text);
}

}  // namespace

TEST_CASE("a text is compared with what it should equal, contain, match, or be as JSON")
{
    struct {
        const char* match;
        const char* text;
        bool good;
    } const cases[] = {
        {R"("a")", "a", true},
        {R"("a\n\n")", "a", true},
        {R"("a")", "a\n", true},
        {R"("a")", " a", false},
        {R"({"contains":"b"})", "abc", true},
        {R"({"contains":["a","c"]})", "abc", true},
        {R"({"contains":["a","d"]})", "abc", false},
        {R"({"contains":"B"})", "abc", false},
        {R"({"matches":"b"})", "abc", true},
        {R"({"matches":"^b"})", "abc", false},
        {R"({"schema":{"required":["x"]}})", R"({"x":1})", true},
        {R"({"schema":{"required":["x"]}})", R"({"y":1})", false},
        {R"({"schema":{}})", "no JSON", false},
        {R"({"equals":"abc","contains":"d"})", "abc", false},
        {R"({})", "whatever", true},
    };
    for (const auto& c : cases) {
        CAPTURE(c.match);
        CAPTURE(c.text);
        CHECK(mismatch_of(c.match, c.text).empty() == c.good);
    }
}

TEST_CASE("arguments that are expected are a part of those that are there, and a number is one however it is written")
{
    const auto is = [](const char* part, const char* whole) { return is_part(parse_json(part), parse_json(whole)); };
    CHECK(is("{}", R"({"a":1})"));
    CHECK(is(R"({"a":1})", R"({"b":2,"a":1.0})"));
    CHECK(is(R"({"a":{"b":1}})", R"({"a":{"b":1,"c":2}})"));
    CHECK_FALSE(is(R"({"a":1})", R"({"a":"1"})"));
    CHECK_FALSE(is(R"({"a":[1]})", R"({"a":[1,2]})"));  // a list is meant as it is
    CHECK_FALSE(is(R"({"a":null})", "{}"));
}

TEST_CASE("a tool of a server is known with its server and without")
{
    CHECK(is_tool("search", "search"));
    CHECK(is_tool("search", "shop.search"));
    CHECK(is_tool("shop.search", "shop.search"));
    CHECK_FALSE(is_tool("search", "research"));
    CHECK_FALSE(is_tool("shop.search", "search"));
}

TEST_CASE("expected calls in any order each have a call of their own, also where a vague one fits several")
{
    const auto expect = model::from_text<model::TestExpectation>(
        R"({"calls":[{"tool":"a"},{"tool":"a","args":{"x":1}}],"order":"any"})");
    Outcome outcome{.status = model::TaskStatus::completed};
    outcome.calls = {{.tool = "a", .args = parse_json(R"({"x":1})").as_object()},
                     {.tool = "a", .args = parse_json(R"({"x":2})").as_object()}};
    CHECK(differences(expect, outcome).empty());
    outcome.calls.pop_back();
    REQUIRE(differences(expect, outcome).size() == 1);
    CHECK(differences(expect, outcome)[0].text == "- expected, + got\n- a {\"x\":1}");
}

TEST_CASE("what differs in a line is marked in it, and a long line is cut around the mark")
{
    CHECK(text_diff("The sum is 5.", "The sum is 6.") ==
          "expected: The sum is 5.\ngot:      The sum is 6.\n                     ^");
    CHECK(text_diff("grün", "grau") == "expected: grün\ngot:      grau\n            ^");
    CHECK(text_diff("abc", "ab") == "expected: abc\ngot:      ab\n            ^");
    const std::string long_one(500, 'x');
    const std::string shown = text_diff(long_one + "a" + long_one, long_one + "b" + long_one);
    CHECK(shown.starts_with("expected: …xxxxxxxxxxxxxxxxxxxxaxxx"));
    CHECK(shown.ends_with("\n" + std::string(31, ' ') + "^"));
}

TEST_CASE("of many lines only those that differ and those beside them are shown")
{
    CHECK(text_diff("a\nb\nc\nd\ne\nf", "a\nb\nc\nx\ne\nf") == "- expected, + got\n…\n  b\n  c\n- d\n+ x\n  e\n  f");
    CHECK(text_diff("a\nb", "a") == "- expected, + got\n  a\n- b");
    std::string many;
    for (int i = 0; i < 5000; ++i) many += "line\n";
    CHECK(text_diff(many + "a", many + "b") ==
          "the first difference is in line 5001\nexpected: a\ngot:      b\n          ^");
}
