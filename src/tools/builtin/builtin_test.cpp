#include "tools/builtin.hpp"

#include "base/time.hpp"
#include "schema/schema.hpp"
#include "tools/arguments.hpp"
#include "tools/builtin/clock.hpp"
#include "tools/builtin/files.hpp"
#include "tools/builtin/tool_call_fixture.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::tools;

namespace {

struct FullPool final : Pool {
    void submit(std::function<void()>) override { throw Error(Code::unavailable, "the pool is full"); }
};

}  // namespace

TEST_CASE("each built-in tool says what it does, what it takes, and what a second call would do")
{
    ManualClock clock;
    Registry registry;
    add_builtin_tools(registry, clock);
    for (const auto& tool : registry.all()) {
        const model::Tool& definition = tool->definition();
        CAPTURE(definition.name);
        CHECK(definition.type == model::ToolType::builtin);
        CHECK(definition.description.ends_with('.'));
        REQUIRE(definition.input_schema);
        CHECK(definition.input_schema->at("additionalProperties") == json::value(false));
        for (const auto& property : definition.input_schema->at("properties").as_object())
            CHECK(property.value().as_object().contains("description"));
        const bool writes = definition.name == "write_file" || definition.name == "remember";
        CHECK(definition.effect == (writes ? model::Effect::idempotent : model::Effect::pure));
    }
}

TEST_CASE("ask_human is a question that only a person answers, never asked twice")
{
    const model::Tool& ask = ask_human_definition();
    CHECK(ask.name == "ask_human");
    CHECK(ask.type == model::ToolType::hitl);
    CHECK(ask.effect == model::Effect::once);
    CHECK(!check_arguments(ask, {{"question", "Which colour?"}}));
    CHECK(!check_arguments(ask, {{"question", "Which colour?"}, {"choices", {"red", "blue"}}}));
    CHECK(check_arguments(ask, {}));
    CHECK(check_arguments(ask, {{"question", ""}}));
    CHECK(check_arguments(ask, {{"question", "?"}, {"choices", json::array()}}));
    CHECK(check_arguments(ask, {{"question", "?"}, {"choices", {"red", "red"}}}));
    CHECK(check_arguments(ask, {{"question", "?"}, {"why", "?"}}));
}

TEST_CASE("the clock tells the time of the clock that it was given, at any offset")
{
    ManualClock clock(time_from_iso("2026-01-12T23:30:07Z"));
    const auto tool = clock_tool(clock);
    struct {
        json::object arguments;
        const char* says;
        bool is_error;
    } const cases[] = {
        {{}, "2026-01-12T23:30:07Z", false},
        {{{"timezone", "UTC"}}, "2026-01-12T23:30:07Z", false},
        {{{"timezone", "Z"}}, "2026-01-12T23:30:07Z", false},
        {{{"timezone", "+00:00"}}, "2026-01-12T23:30:07Z", false},
        {{{"timezone", "+02:00"}}, "2026-01-13T01:30:07+02:00", false},
        {{{"timezone", "-03:30"}}, "2026-01-12T20:00:07-03:30", false},
        {{{"timezone", "+14:00"}}, "2026-01-13T13:30:07+14:00", false},
        {{{"timezone", "+14:01"}}, "The time zone \"+14:01\" is not known; give UTC or an offset like +02:00.", true},
        {{{"timezone", "+02:60"}}, "The time zone \"+02:60\" is not known; give UTC or an offset like +02:00.", true},
        {{{"timezone", "Europe/Berlin"}},
         "The time zone \"Europe/Berlin\" is not known; give UTC or an offset like +02:00.",
         true},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        CHECK(call(*tool, c.arguments) == Result{.text = c.says, .is_error = c.is_error});
    }
    clock.advance(std::chrono::seconds(1));
    CHECK(call(*tool, {}).text == "2026-01-12T23:30:08Z");
    CHECK(call(*tool, {{"timezone", 2}}).is_error);
}

TEST_CASE("a call that the pool refuses was surely not dispatched")
{
    SimLoop loop;
    FullPool pool;
    TestContext context(pool);
    Call list{.workspace = "/nowhere"};
    CHECK_THROWS_AS(run(loop, list_files_tool()->call(std::move(list), context)), NotDispatched);
}
