#include "engine/trace.hpp"

#include "engine/test_world.hpp"
#include "model/node_result.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;

namespace {

/// One line for each span: `  step worker 10ms done`.
std::string outline(const Trace& trace)
{
    std::string text;
    for (const Span& span : trace.spans)
        text += fmt::format("{}{} {} {}ms {}\n", std::string(static_cast<std::size_t>(span.depth) * 2, ' '),
                            name_of(span.kind), span.name, span.lasted(trace.last).count(), name_of(span.status));
    return text;
}

struct Traced : World {
    Traced()
    {
        team = team_of({"clock", "slow"});
        add_tool("slow", model::Effect::once)->takes = 30ms;
        model->delay = 10ms;
        model->answer = [](const llm::Request&) { return says("ok"); };
    }
    Trace trace(Id id) { return trace_of(records(id)); }
};

}  // namespace

TEST_CASE("a trace nests nodes, branches, steps and calls, and says how long each took")
{
    Traced world;
    world.patterns.add(
        {"parts@1", [](Run& run) -> Async<model::Reply> {
             co_await run.node("plan", [](Run& inner) -> Async<> { co_await inner.think(inner.agent()); });
             co_await run.map(std::vector<int>{0, 1}, [](Run& inner, int) -> Async<int> {
                 co_await inner.think(inner.agent());
                 co_return 0;
             });
             std::vector<model::ToolCall> calls{{.id = "a", .tool_name = "slow"}, {.id = "b", .tool_name = "nothing"}};
             co_await run.use(run.agent(), std::move(calls));
             co_return run.reply("done");
         }});
    const Id id = world.begin("parts@1", {.description = "Go.", .agent = "worker"});
    world.rest(id);
    const Trace trace = world.trace(id);
    CHECK(outline(trace) == "task worker 50ms done\n"
                            "  node plan 10ms done\n"
                            "    step worker 10ms done\n"
                            "  node branch 1 10ms done\n"
                            "    step worker 10ms done\n"
                            "  node branch 2 10ms done\n"
                            "    step worker 10ms done\n"
                            "  call slow 30ms done\n"
                            "  call nothing 0ms failed\n");
    CHECK(trace.spans[0].usage == llm::Usage{.input = 30, .output = 15});
    CHECK(trace.spans[0].input == "Go.");
    CHECK(trace.spans[0].output == "done");
    CHECK(trace.spans[7].output == "done");
    CHECK(trace.spans[8].error.starts_with("You have no tool"));
}

TEST_CASE("a trace tells of a workflow's nodes what they waited for, and that an arm which lost was cancelled")
{
    Traced world;
    world.patterns.add({"graph@9", [](Run& run) -> Async<model::Reply> {
                            co_await run.first(std::vector<int>{1, 3}, [](Run& arm, int steps) -> Async<int> {
                                for (int i = 0; i < steps; ++i) co_await arm.think(arm.agent());
                                co_return steps;
                            });
                            co_await run.node("meet", [](Run&) -> Async<model::NodeResult> {
                                co_return model::NodeResult{.after = {"left", "right"}};
                            });
                            co_return run.reply("done");
                        }});
    const Id id = world.begin("graph@9", {.agent = "worker"});
    world.rest(id);
    const Trace trace = world.trace(id);
    const auto meet = std::ranges::find(trace.spans, "meet", &Span::name);
    REQUIRE(meet != trace.spans.end());
    CHECK(meet->is_named);
    CHECK(meet->joins);
    CHECK(meet->after == std::vector<std::string>{"left", "right"});
    CHECK(outline(trace).find("node branch 1 10ms done\n") != std::string::npos);
    CHECK(outline(trace).find("node branch 2 10ms cancelled\n") != std::string::npos);
}

TEST_CASE("a trace shows questions, pauses, crashes and what is still open")
{
    Traced world;
    world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                            co_await run.think(run.agent());
                            co_await run.ask({.agent = "worker", .context = {{"question", "Which?"}}});
                            co_return run.reply((co_await run.think(run.agent())).text);
                        }});
    const Id id = world.begin("ask@1", {.agent = "worker", .mode = model::ExecutionMode::step});
    world.rest(id);
    world.loop.manual_clock().advance(100ms);
    world.wait(world.commands->resume(kAnn, id, 1));
    world.rest(id);
    CHECK(outline(world.trace(id)) == "task worker 110ms open\n"
                                      "  pause step_mode 100ms done\n"
                                      "  step worker 10ms done\n"
                                      "  question approval 0ms open\n");
    world.loop.manual_clock().advance(50ms);
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve, .message = "blue"}));
    world.rest(id);
    world.wait(world.commands->continue_task(kAnn, id));
    world.loop.settle();
    world.crash();  // in the middle of the last model call
    world.loop.manual_clock().advance(40ms);
    world.start();
    world.wait(world.host->wake(id));
    world.rest(id);
    const Trace trace = world.trace(id);
    CHECK(outline(trace) == "task worker 210ms done\n"
                            "  pause step_mode 100ms done\n"
                            "  step worker 10ms done\n"
                            "  question approval 50ms done\n"
                            "  pause step_mode 0ms done\n"
                            "  step worker 50ms done\n"
                            "  gap interrupted 40ms done\n");
    CHECK(trace.spans[3].input == "Which?");
    CHECK(trace.spans[3].output == "approved by ann: blue");
    CHECK(trace.spans[5].attempts == 2);
}

TEST_CASE("what was delegated lies below the span that delegated it, and its cost counts above")
{
    Traced world;
    world.patterns.add({"boss@1", [](Run& run) -> Async<model::Reply> {
                            if (run.prompt() == "Do it.") co_return run.reply((co_await run.think(run.agent())).text);
                            co_return co_await run.delegate(run.agent(), "Do it.");
                        }});
    const Id id = world.begin("boss@1", {.description = "Have it done.", .agent = "worker"});
    world.rest(id);
    Trace trace = world.trace(id);
    REQUIRE(trace.spans.size() == 2);
    REQUIRE(trace.spans[1].child);
    graft(trace, 1, world.trace(*trace.spans[1].child));
    CHECK(outline(trace) == "task worker 10ms done\n"
                            "  delegate worker 10ms done\n"
                            "    task worker 10ms done\n"
                            "      step worker 10ms done\n");
    CHECK(trace.spans[0].usage.input == 10);
    CHECK(trace.spans[1].usage.input == 10);
}
