#include "base/json.hpp"

#include "base/random.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

using namespace cadre;

namespace {

json::value random_value(Random& random, int depth)
{
    switch (random.below(depth > 0 ? 8 : 6)) {
    case 0: return nullptr;
    case 1: return random.below(2) == 0;
    case 2: return static_cast<std::int64_t>(random.next());
    case 3: return random.next();
    case 4: {
        const auto number = std::bit_cast<double>(random.next());
        return std::isfinite(number) ? number : 0.5;
    }
    case 5: {
        std::string text;
        for (auto length = random.below(12); length > 0; --length) text += static_cast<char>(random.below(128));
        return json::value(text);
    }
    case 6: {
        json::array array;
        for (auto size = random.below(5); size > 0; --size) array.push_back(random_value(random, depth - 1));
        return array;
    }
    default: {
        json::object object;
        for (auto size = random.below(5); size > 0; --size)
            object["k" + std::to_string(random.below(100))] = random_value(random, depth - 1);
        return object;
    }
    }
}

}  // namespace

TEST_CASE("a double stays a double and an integer an integer, through every plain text")
{
    const json::value value = {{"two", 2.0}, {"also two", 2}, {"big", 1e21}, {"tiny", -0.0}};
    CHECK(to_text(value) == R"({"two":2.0,"also two":2,"big":1e+21,"tiny":-0.0})");
    const json::value back = parse_json(to_text(value));
    CHECK(back.at("two").is_double());
    CHECK(back.at("also two").is_int64());
    CHECK(back.at("big").is_double());
    CHECK(std::signbit(back.at("tiny").as_double()));
}

TEST_CASE("any value reads back equal from its compact, its pretty and its canonical text")
{
    SeededRandom random(3);
    for (int i = 0; i < 2'000; ++i) {
        const json::value value = random_value(random, 4);
        CAPTURE(to_text(value));
        REQUIRE(parse_json(to_text(value)) == value);
        REQUIRE(parse_json(to_pretty_text(value)) == value);
        const std::string canonical = to_canonical_text(value);
        REQUIRE(to_canonical_text(parse_json(canonical)) == canonical);
    }
}

TEST_CASE("pretty text is indented by two spaces, keeps the order of keys and ends its last line")
{
    const json::value value = {{"b", {1, json::array{}, json::object{}}}, {"a", {{"x", nullptr}}}};
    CHECK(to_pretty_text(value) == R"({
  "b": [
    1,
    [],
    {}
  ],
  "a": {
    "x": null
  }
}
)");
}

TEST_CASE("canonical text is that of RFC 8785")
{
    SUBCASE("its example, section 3.2.2")
    {
        const char* const text = R"({
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
})";
        CHECK(to_canonical_text(parse_json(text)) ==
              "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
              "\"string\":\"\u20AC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    }
    SUBCASE("its order of keys, section 3.2.3: by UTF-16 units, where an emoji comes before U+FB33")
    {
        const char* const text = R"({"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7})";
        CHECK(to_canonical_text(parse_json(text)) ==
              "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00F6\":7,\"\u20AC\":1,\"\U0001F600\":5,\"\uFB33\":3}");
    }
    SUBCASE("a key before the keys that it begins")
    {
        CHECK(to_canonical_text(parse_json(R"({"ab":1,"":2,"a":3})")) == R"({"":2,"a":3,"ab":1})");
    }
    SUBCASE("except that integers keep all their digits")
    {
        CHECK(to_canonical_text(parse_json("[9007199254740993,-0.0,2.0]")) == "[9007199254740993,0,2]");
    }
}
