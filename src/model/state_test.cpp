#include "model/state.hpp"

#include "base/json.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

json::object object(std::string_view text)
{
    return parse_json(text).as_object();
}

}  // namespace

TEST_CASE("an update appends messages and replaces every other field")
{
    const State before{
        .messages = {"a", "b", "c"}, .next_action = "write", .current_agent = "writer", .metadata = {{"a", 1}}};
    const State after = updated(before, object(R"({"messages":["d"],"metadata":{"b":2},"current_agent":"critic"})"));
    CHECK(after.messages == std::vector<std::string>{"a", "b", "c", "d"});
    CHECK(after.metadata == json::object{{"b", 2}});
    CHECK(after.current_agent == "critic");
    CHECK(after.next_action == "write");  // not in the update
    CHECK(!updated(after, object(R"({"next_action":null})")).next_action);
}

TEST_CASE("an update cannot take messages away, nor put in what is no state")
{
    const State state{.messages = {"a"}, .current_agent = "writer"};
    CHECK(updated(state, object(R"({"messages":[]})")) == state);
    CHECK(error_of([&] { updated(state, object(R"({"messages":null})")); }) ==
          "invalid: messages: must be a list, is null");
    CHECK(error_of([&] { updated(state, object(R"({"mesages":[]})")); }) ==
          "invalid: mesages: is not a field of state, did you mean \"messages\"?");
    CHECK(error_of([&] { updated(state, object(R"({"metadata":5})")); }) ==
          "invalid: metadata: must be an object, is a number");
}

TEST_CASE("declared metadata goes through its reducer and is not dropped by an update without it")
{
    Dict<StateField> declared;
    declared["notes"].reducer = Reducer::append;
    declared["best"].reducer = Reducer::max;
    const State state{.current_agent = "a", .metadata = object(R"({"notes":["x"],"best":3,"other":1})")};
    CHECK(updated(state, object(R"({"metadata":{"notes":["y"]}})"), declared).metadata ==
          object(R"({"notes":["x","y"],"best":3})"));
}

TEST_CASE("each reducer does what its name says")
{
    struct {
        Reducer reducer;
        const char *old, *update, *result;
    } const cases[] = {
        {Reducer::replace, "1", "[2]", "[2]"},
        {Reducer::append, "null", "1", "[1]"},
        {Reducer::append, "[1]", "[2,3]", "[1,2,3]"},
        {Reducer::merge, "null", R"({"a":1})", R"({"a":1})"},
        {Reducer::merge, R"({"a":1,"b":1})", R"({"b":2})", R"({"a":1,"b":2})"},
        {Reducer::max, "null", "1", "1"},
        {Reducer::max, "3", "2.5", "3"},
        {Reducer::min, "3", "2.5", "2.5"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.old);
        CAPTURE(c.update);
        CHECK(to_text(reduced(c.reducer, parse_json(c.old), parse_json(c.update))) == c.result);
    }
    CHECK(error_of([] { reduced(Reducer::append, parse_json("1"), parse_json("2")); }) ==
          "invalid: the reducer append wants a list to append to");
    CHECK(error_of([] { reduced(Reducer::merge, parse_json("{}"), parse_json("2")); }) ==
          "invalid: the reducer merge wants two objects");
    CHECK(error_of([] { reduced(Reducer::min, parse_json("\"x\""), parse_json("2")); }) ==
          "invalid: the reducer min wants two numbers");
}
