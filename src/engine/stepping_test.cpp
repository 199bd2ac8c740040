#include "engine/test_world.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::PauseReason;
using model::TaskStatus;
using test::error_of;

namespace {

/// Thinks four times; before the last it uses the tool.
Async<model::Reply> four_steps(Run& run)
{
    run.tell(run.prompt());
    for (int i = 0; i < 3; ++i) co_await run.think(run.agent());
    co_await run.use(run.agent(), {model::ToolCall{.id = "c", .tool_name = "clock"}});
    co_return run.reply((co_await run.think(run.agent())).text);
}

struct Stepper : World {
    Stepper()
    {
        patterns.add({"four@1", four_steps});
        team = team_of({"clock"});
        model->delay = 10ms;
        model->answer = [this](const llm::Request&) { return says(std::to_string(model->requests.size())); };
    }
    Id go(model::ExecutionMode mode = model::ExecutionMode::autonomous, std::vector<std::string> breakpoints = {})
    {
        return begin("four@1",
                     {.description = "Go.", .agent = "worker", .mode = mode, .breakpoints = std::move(breakpoints)});
    }
    std::size_t steps() const { return model->requests.size(); }
    /// All events of that type.
    std::vector<boost::json::object> events(Id id, std::string_view type)
    {
        std::vector<boost::json::object> found;
        for (const auto& record : records(id))
            for (const std::string& json : events_of(record)) {
                auto event = boost::json::parse(json).as_object();
                if (event.at("type").as_string() == type) found.push_back(std::move(event));
            }
        return found;
    }
};

}  // namespace

TEST_CASE("each step is exactly one model call, then the task pauses again, after restarts too")
{
    Stepper world;
    const Id id = world.go(model::ExecutionMode::step);
    CHECK(world.rest(id).pause_reason == PauseReason::step_mode);
    CHECK(world.steps() == 0);
    for (std::size_t step = 1; step <= 2; ++step) {
        world.restart();
        world.wait(world.commands->resume(kAnn, id, 1));
        CHECK(world.rest(id).pause_reason == PauseReason::step_mode);
        CHECK(world.steps() == step);
    }
    world.wait(world.commands->resume(kAnn, id));  // where it goes step by step, going on is one step
    CHECK(world.rest(id).pause_reason == PauseReason::step_mode);
    CHECK(world.steps() == 3);
    const auto paused = world.events(id, "event_task_paused");
    REQUIRE(paused.size() == 4);
    for (const auto& event : paused) CHECK(event.at("reason") == "step_mode");
    const auto resumed = world.events(id, "event_task_resumed");
    REQUIRE(resumed.size() == 3);
    CHECK(resumed[0].at("reason") == "step");
    CHECK(resumed[0].at("context").at("steps") == 1);
}

TEST_CASE("a task that ran by itself can be paused and then stepped, and set free again")
{
    Stepper world;
    const Id id = world.go();
    world.loop.settle();
    world.wait(world.commands->pause(kAnn, id));
    CHECK(world.rest(id).pause_reason == PauseReason::user_request);
    CHECK(world.events(id, "event_task_paused").back().at("reason") == "user_request");
    world.restart();
    world.wait(world.commands->resume(kAnn, id, 2));
    CHECK(world.rest(id).pause_reason == PauseReason::step_mode);
    CHECK(world.steps() == 3);
    world.restart();
    world.wait(world.commands->continue_task(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
    CHECK(world.events(id, "event_task_resumed").back().at("reason") == "continue");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("going on freely stops at the next breakpoint, and says at which")
{
    Stepper world;
    const Id id = world.go(model::ExecutionMode::step);
    world.rest(id);
    CHECK(world.wait(world.commands->change_breakpoints(kAnn, id, {.add = {"tool:clock"}})) ==
          std::vector<std::string>{"tool:clock"});
    world.restart();
    world.wait(world.commands->continue_task(kAnn, id));
    CHECK(world.rest(id).pause_reason == PauseReason::breakpoint);
    CHECK(world.steps() == 3);
    const auto hits = world.events(id, "event_breakpoint_hit");
    REQUIRE(hits.size() == 1);
    CHECK(hits[0].at("breakpoint_id") == "tool:clock");
    CHECK(hits[0].at("breakpoint_type") == "tool");
    CHECK(world.events(id, "event_task_paused").back().at("reason") == "breakpoint");
    world.restart();
    world.wait(world.commands->continue_task(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
}

TEST_CASE("a breakpoint on an agent names it, and stops before each of its model calls")
{
    Stepper world;
    const Id id = world.go(model::ExecutionMode::autonomous, {"agent:worker"});
    for (std::size_t step = 0; step < 4; ++step) {
        CHECK(world.rest(id).pause_reason == PauseReason::breakpoint);
        CHECK(world.steps() == step);
        world.wait(world.commands->continue_task(kAnn, id));
    }
    CHECK(world.rest(id).status == TaskStatus::completed);
    const auto hits = world.events(id, "event_breakpoint_hit");
    REQUIRE(hits.size() == 4);
    CHECK(hits[0].at("agent_name") == "worker");
}

TEST_CASE("a condition stops once when it has become true, and again when it is set anew")
{
    Stepper world;
    const Id id = world.go(model::ExecutionMode::autonomous, {"condition:tokens >= 30"});
    CHECK(world.rest(id).pause_reason == PauseReason::breakpoint);
    CHECK(world.steps() == 2);  // 15 tokens each
    world.restart();
    world.wait(world.commands->change_breakpoints(kAnn, id, {.clear = true}));
    world.wait(world.commands->change_breakpoints(kAnn, id, {.add = {"condition:tokens>=30"}}));
    world.wait(world.commands->continue_task(kAnn, id));
    CHECK(world.rest(id).pause_reason == PauseReason::breakpoint);
    CHECK(world.steps() == 2);
    world.wait(world.commands->continue_task(kAnn, id));
    CHECK(world.rest(id).status == TaskStatus::completed);
}

TEST_CASE("breakpoints on agents and tools that the task does not have are refused with those that it has")
{
    Stepper world;
    const Id id = world.go(model::ExecutionMode::step);
    world.rest(id);
    const auto add = [&](const char* text) {
        return error_of([&] { world.wait(world.commands->change_breakpoints(kAnn, id, {.add = {text}})); });
    };
    CHECK(add("agent:wroker") == doctest::Contains("it has: worker"));
    CHECK(add("tool:clok") == doctest::Contains("it has: clock"));
    CHECK(world.state(id).breakpoints.empty());
}

TEST_CASE("what is said to a task that nobody drives is taken in, and nothing else happens to it")
{
    Stepper world;
    const Id id = world.go();
    world.loop.settle();
    world.wait(world.host->drain());  // as after Ctrl-C
    world.restart();
    const std::size_t before = world.steps();
    world.wait(world.commands->instruct(kAnn, id, "be brief"));
    world.wait(world.commands->change_breakpoints(kAnn, id, {.add = {"tool:clock"}}));
    world.loop.settle();
    CHECK(world.host->active() == 0);
    CHECK(world.steps() == before);
    CHECK(world.state(id).status == TaskStatus::running);
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).pause_reason == PauseReason::breakpoint);
    CHECK(world.model->requests[before].messages.back()->text == "be brief");
    CHECK(world.events(id, "event_user_intervention").at(0).at("intervention_type") == "instruction");
}
