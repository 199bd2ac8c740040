// Patience: who is asked to wait waits, and who is killed again and again asks a person; neither is a failure.
#include "engine/body.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::PauseReason;
using model::TaskStatus;

namespace {

/// A world with one agent that thinks once.
struct Patient : World {
    Patient()
    {
        team = team_of({});
        patterns.add({"think@1", [](Run& run) -> Async<model::Reply> {
                          run.tell(run.prompt());
                          const Step step = co_await run.think(run.agent());
                          co_return run.reply(step.text);
                      }});
    }
    Id think(Budget budget = {})
    {
        return begin("think@1", {.description = "Think!", .agent = "worker", .budget = budget});
    }
};

/// As the gate of a key says it, whose turn comes later than a call may take.
llm::ModelError come_back_in(Millis wait)
{
    return {Code::rate_limited, "throttled: openai allows the next request in " + to_text(wait),
            llm::ModelFault{.retry_after = wait, .dispatched = false}};
}

}  // namespace

TEST_CASE("attack 12: however long a vendor wants to be left alone, the task waits, and says until when")
{
    for (const Millis wait : {Millis(11min), Millis(5h), Millis(20h)}) {
        CAPTURE(to_text(wait));
        Patient world;
        int refusals = 3;
        world.model->answer = [&](const llm::Request&) {
            if (refusals-- > 0) throw come_back_in(wait / 4);
            return says("at last");
        };
        const Instant begin = world.loop.now();
        const Id id = world.think({.wall_ms = Millis(24h).count()});
        const auto watch = world.wait(world.commands->watch(kAnn, id, 0));
        std::vector<Time> until;
        const auto look = [&]() -> Async<> {
            while (auto seen = co_await watch->next())
                if (const auto* chunk = std::get_if<model::StreamChunk>(&*seen); chunk && chunk->throttled_until)
                    until.push_back(*chunk->throttled_until);
        };
        world.wait(look());
        const TaskState state = world.rest(id);
        CHECK(state.error == "");
        CHECK(state.reply->text == "at last");
        CHECK(world.loop.now() - begin >= wait / 4 * 3);
        CHECK(until.size() >= 2);  // the first one was told before anybody watched
    }
}

TEST_CASE("a vendor that wants more time than the task has ends it, with both named")
{
    Patient world;
    world.model->answer = [](const llm::Request&) -> llm::Completion { throw come_back_in(30h); };
    const TaskState state = world.rest(world.think({.wall_ms = Millis(24h).count()}));
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error ==
          "throttled: openai allows the next request in 1 d 6 h; of the time that the task may run, 1 d is left");
}

TEST_CASE("waiting for a vendor survives a restart, and is not begun anew")
{
    Patient world;
    int refusals = 1;
    world.model->answer = [&](const llm::Request&) {
        if (refusals-- > 0) throw come_back_in(10h);
        return says("at last");
    };
    const Id id = world.think();
    world.loop.run_until([&] { return refusals == 0; });
    world.loop.settle();
    world.crash();
    world.loop.manual_clock().advance(9h);
    world.start();
    const Instant begin = world.loop.now();
    world.wait(world.host->wake(id));
    CHECK(world.rest(id).reply->text == "at last");
    CHECK(world.loop.now() - begin >= 59min);
    CHECK(world.loop.now() - begin <= 61min);
}

TEST_CASE("attack 28: a model call that is cut off again and again pauses and asks, and resumes when told to")
{
    Patient world;
    world.model->delay = 1min;
    world.model->answer = [](const llm::Request&) { return says("at last"); };
    const Id id = world.think();
    for (std::size_t i = 1; i <= 20; ++i) {
        world.loop.run_until([&] { return world.model->requests.size() == i; });
        world.restart();
        world.wait(world.host->wake(id));
    }
    TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::paused);
    CHECK(state.pause_reason == PauseReason::interrupted);
    CHECK(state.pause_text == "the process ended 20 times during think:1; resuming it tries again");
    CHECK(world.model->requests.size() == 20);
    world.wait(world.commands->resume(kAnn, id));
    state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "at last");
}
