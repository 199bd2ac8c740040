#include "engine/breakpoint.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using test::error_of;

namespace {

Effect think(std::string path, std::string_view agent)
{
    Effect effect{.ask = RequestDigest(EffectKind::think), .path = std::move(path)};
    effect.agent = agent;
    return effect;
}

Effect use(std::string path, std::string_view tool)
{
    Effect effect{.ask = RequestDigest(EffectKind::use), .path = std::move(path)};
    effect.agent = "worker";
    effect.tool = tool;
    return effect;
}

}  // namespace

TEST_CASE("breakpoints are written in one way, however they were typed")
{
    struct {
        const char* typed;
        const char* kept;
    } const cases[] = {
        {"agent:writer", "agent:writer"},
        {"tool: send_mail", "tool:send_mail"},
        {"node:review", "node:review"},
        {"condition:tokens>1000", "condition:tokens > 1000"},
        {"condition: cost >= 0.50", "condition:cost >= 0.50"},
        {"condition:steps==3", "condition:steps == 3"},
        {"condition:tokens>3  and(steps>2 or calls>0)", "condition:tokens > 3 and (steps > 2 or calls > 0)"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.typed);
        CHECK(spelling(breakpoint_from(c.typed)) == c.kept);
    }
    for (const char* text : {"", "writer", "agent:", "who:writer", "condition:", "condition:tokens > many",
                             "condition:mood > 3", "condition:tokens >", "condition:tokens|uper"}) {
        CAPTURE(text);
        CHECK(error_of([&] { breakpoint_from(text); }) == doctest::Contains("condition:EXPRESSION, like"));
    }
    CHECK(
        error_of([] { breakpoint_from("condition:steps > 1 or token > 3"); }) ==
        doctest::Contains("is not a breakpoint: character 14 of its condition: \"token\" is not defined, did you mean "
                          "\"tokens\"?"));
}

TEST_CASE("a breakpoint stops at its place and nowhere else")
{
    TaskState task;
    task.steps = 3;
    task.usage = {.input = 900, .output = 100, .cost = 0.5};
    struct {
        const char* breakpoint;
        Effect effect;
        const char* stop;
    } const cases[] = {
        {"agent:writer", think("think:2", "writer"), "think:2"},
        {"agent:writer", think("think:2", "critic"), ""},
        {"agent:worker", use("use:1.0", "clock"), ""},
        {"tool:clock", use("use:1.0", "clock"), "use:1.0"},
        {"tool:clock", use("use:1.0", "calculator"), ""},
        {"node:review", think("review/think:1", "writer"), "review"},
        {"node:review", think("review/2/think:1", "writer"), "review/2"},
        {"node:review", think("a/review/think:1", "writer"), "a/review"},
        {"node:review", think("reviewed/think:1", "writer"), ""},
        {"condition:tokens >= 1000", think("think:2", "x"), "condition:tokens >= 1000"},
        {"condition:tokens > 1000", think("think:2", "x"), ""},
        {"condition:steps < 3", think("think:2", "x"), ""},
        {"condition:steps <= 3", use("use:1.0", "x"), "condition:steps <= 3"},
        {"condition:cost > 0.4", use("use:1.0", "x"), "condition:cost > 0.4"},
        {"condition:calls == 0", use("use:1.0", "x"), "condition:calls == 0"},
        {"condition:tokens > 999 and steps in [3, 5]", use("use:1.0", "x"),
         "condition:tokens > 999 and steps in [3, 5]"},
        {"condition:tokens > 1e+06", use("use:1.0", "x"), ""},
        {"condition:tokens / calls > 5", use("use:1.0", "x"), ""},  // no calls yet
        {"condition:tokens > inf", use("use:1.0", "x"), ""},        // which older releases took
    };
    for (const auto& c : cases) {
        CAPTURE(c.breakpoint);
        CAPTURE(c.effect.path);
        CHECK(stop_of(c.breakpoint, c.effect, task) == c.stop);
    }
}

TEST_CASE("breakpoints are cleared, removed and added in this order, and each is there once")
{
    using List = std::vector<std::string>;
    const List now{"agent:a", "tool:b"};
    CHECK(changed(now, {}) == now);
    CHECK(changed(now, {.add = {"node:c", "agent:a"}}) == List{"agent:a", "tool:b", "node:c"});
    CHECK(changed(now, {.remove = {"tool: b"}}) == List{"agent:a"});
    CHECK(changed(now, {.clear = true, .add = {"condition:steps>1"}}) == List{"condition:steps > 1"});
    CHECK(error_of([&] { changed(now, {.remove = {"tool:x"}}); }) == doctest::Contains("there are: agent:a, tool:b"));
}
