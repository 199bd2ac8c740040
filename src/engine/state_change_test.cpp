#include "engine/state_change.hpp"

#include "model/graph.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using test::error_of;
namespace json = boost::json;

TEST_CASE("members are JSON where they are some, and text otherwise")
{
    CHECK(members_from({"a=1", "b=[1,2]", "c=tea", "d=x=y", "e="}, "--state") ==
          json::object{{"a", 1}, {"b", json::array{1, 2}}, {"c", "tea"}, {"d", "x=y"}, {"e", ""}});
    CHECK(error_of([] { members_from({"tea"}, "--state"); }) ==
          doctest::Contains("--state is KEY=VALUE, for example --state topic=tea, not \"tea\""));
}

TEST_CASE("a change of the state fits what the workflow declares")
{
    model::Graph graph{.name = "w"};
    graph.state["topic"] = {.schema = {{"type", "string"}}};
    graph.state["notes"] = {.schema = {{"type", "array"}}, .reducer = model::Reducer::append};
    expect_state({{"topic", "tea"}, {"routing_key", "legal"}, {"next_action", nullptr}, {"notes", "one more"}}, graph);
    CHECK(error_of([&] { expect_state({{"topc", "tea"}}, graph); }) ==
          doctest::Contains("workflow \"w\" has no field \"topc\" in its state, did you mean \"topic\"?"));
    CHECK(error_of([&] { expect_state({{"colour", "tea"}}, graph); }) ==
          doctest::Contains(
              "workflow \"w\" has no field \"colour\" in its state; it has routing_key, next_action, topic, notes"));
    CHECK(error_of([&] { expect_state({{"topic", 5}}, graph); }) ==
          doctest::Contains("the state does not fit: /topic"));
}

TEST_CASE("a change fits the schema of its field, whatever the reducer does with it")
{
    using model::Reducer;
    struct {
        Reducer reducer;
        json::object schema;
        json::value good, bad;
    } const cases[] = {
        {Reducer::max, {{"type", "integer"}, {"maximum", 10}}, 9, 99},
        {Reducer::min, {}, 0.5, "x"},
        {Reducer::append, {{"items", {{"type", "string"}}}}, "x", 1},
        {Reducer::append, {{"items", {{"type", "string"}}}}, json::array{"x", "y"}, json::array{1}},
        {Reducer::merge, {}, json::object{{"a", 1}}, 5},
        {Reducer::merge,
         {{"properties", {{"a", {{"type", "integer"}}}}}, {"required", {"a", "b"}}},
         json::object{{"a", 1}},
         json::object{{"a", "x"}}},
    };
    for (const auto& c : cases) {
        CAPTURE(json::serialize(c.bad));
        model::Graph graph{.name = "w"};
        graph.state["n"] = {.schema = c.schema, .reducer = c.reducer};
        expect_state({{"n", c.good}}, graph);
        CHECK(error_of([&] { expect_state({{"n", c.bad}}, graph); }) ==
              doctest::Contains("the state does not fit: /n"));
    }
}
