// Clocks are set, machines sleep and processes are down for days: none of it is time that a task ran, and none of it brings a task down.
#include "base/random.hpp"
#include "engine/body.hpp"
#include "engine/run_state.hpp"
#include "engine/test_world.hpp"
#include "engine/written.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;

namespace {

constexpr std::chrono::days kYear{366};

Async<model::Reply> look_three_times(Run& run)
{
    const Agent& agent = run.agent();
    for (int i = 0; i < 3; ++i) {
        std::vector<model::ToolCall> looks{{.id = "call-" + std::to_string(i), .tool_name = "look"}};
        const auto replies = co_await run.use(agent, std::move(looks));
        if (replies.front().is_error) throw Error(code_of(replies.front().code), replies.front().text);
    }
    co_return run.reply("seen");
}

Async<model::Reply> ask_and_look(Run& run)
{
    const auto answer = co_await run.ask({.agent = "worker", .context = {{"question", "Go?"}}});
    std::vector<model::ToolCall> looks{{.id = "call", .tool_name = "look"}};
    co_await run.use(run.agent(), std::move(looks));
    co_return run.reply(answer.verb == model::HumanVerb::approve ? "went" : "stayed");
}

/// Each look takes ten seconds.
std::shared_ptr<FakeTool> with_look(World& world)
{
    const auto tool = world.add_tool("look", model::Effect::idempotent);
    tool->takes = 10s;
    world.team = team_of({"look"});
    world.patterns.add({"looks@1", look_three_times});
    world.patterns.add({"asks@1", ask_and_look});
    return tool;
}

TaskSpec within(Millis wall)
{
    return {.agent = "worker", .budget = {.wall_ms = wall.count()}};
}

/// Until the tool has been called so often.
void run_until_called(World& world, const FakeTool& tool, std::size_t times)
{
    world.loop.run_until([&] { return tool.dispatched.size() >= times; });
}

}  // namespace

TEST_CASE("attack 03: the time in which no process ran a task is not time that it ran")
{
    World world;
    const auto tool = with_look(world);
    const Id id = world.begin("looks@1", within(60s));
    run_until_called(world, *tool, 2);
    world.crash();
    world.loop.manual_clock().advance(kYear);
    world.start();
    world.wait(world.host->wake(id));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.error == "");
    CHECK(state.ran >= 20s);
    CHECK(state.ran < 60s);
}

TEST_CASE("what a task ran before a crash counts after it")
{
    World world;
    const auto tool = with_look(world);
    const Id id = world.begin("looks@1", within(25s));
    run_until_called(world, *tool, 3);  // twenty seconds are over
    world.restart();
    world.wait(world.host->wake(id));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error == "time (25 s) is used up");
}

TEST_CASE("attack 04: a clock that is set while a task runs neither ends it nor gives it time")
{
    for (const Millis jump : {Millis(1h), Millis(48h), Millis(kYear), Millis(-1h), Millis(-kYear)}) {
        CAPTURE(to_text(jump));
        World world;
        const auto tool = with_look(world);
        const Id enough = world.begin("looks@1", within(60s));
        const Id too_little = world.begin("looks@1", within(25s));
        run_until_called(world, *tool, 4);
        world.loop.manual_clock().jump(jump);
        CHECK(world.rest(enough).error == "");
        CHECK(world.rest(too_little).error == "time (25 s) is used up");
        CHECK(world.rest(enough).ran == 30s);  // and whoever reads the journal knows that
    }
}

TEST_CASE("attack 01: an answer that is given earlier than its question was asked is an answer")
{
    World world;
    with_look(world);
    const Id id = world.begin("asks@1", within(60s));
    REQUIRE(world.rest(id).status == TaskStatus::waiting);
    world.loop.manual_clock().jump(-1h);
    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "went");
    CHECK(state.reply->elapsed_ms == 0);
    for (const auto& record : world.records(id))
        if (record.kind == storage::RecordKind::answer) CHECK(body_of<AnswerBody>(record).answer.get().after_ms == 0);
    CHECK(state.ran == 10s);
}

TEST_CASE("a journal in which a clock has left a negative time can be read, cancelled and continued")
{
    World world;
    with_look(world);
    const Id id = world.begin("asks@1", within(60s));
    const TaskState asked = world.rest(id);
    world.crash();
    // as an older release wrote it
    const model::HumanAnswer answer{.verb = model::HumanVerb::approve, .after_ms = -3'600'000};
    const auto records = world.records(id);
    storage::Record record = records.back();
    record.kind = storage::RecordKind::answer;
    ++record.seq;
    record.event_seq += 2;
    record.path = asked.questions.front().path;
    record.body = text_of(AnswerBody{
        .request = asked.questions.front().request.id, .type = asked.questions.front().request.type, .answer = answer});
    storage::seal(record, records.back().hash);
    CHECK(body_of<AnswerBody>(record).answer.get().after_ms == 0);
    CHECK_THROWS_AS(expect_writable(record), Error);
    auto all = records;
    all.push_back(record);
    CHECK(fold(all).questions.empty());
    for (const auto& one : all) CHECK_NOTHROW(public_events(one, Body(one)));
}

TEST_CASE("attack 02: a run during which the clock was set back ends, and can be cancelled")
{
    World world;
    const auto tool = with_look(world);
    const Id ends = world.begin("looks@1", within(60s));
    const Id cancelled = world.begin("looks@1", within(60s));
    run_until_called(world, *tool, 2);
    world.loop.manual_clock().jump(-kYear);
    CHECK(world.wait(world.host->cancel(cancelled, "ann", "")));
    CHECK(world.rest(ends).status == TaskStatus::completed);
    CHECK(world.rest(ends).reply->elapsed_ms == 0);
    CHECK(world.rest(cancelled).status == TaskStatus::cancelled);
}

TEST_CASE("pauses and waiting for a person are not time that a task ran, however the clock is set meanwhile")
{
    for (const Millis jump : {Millis(kYear), Millis(-kYear)}) {
        World world;
        with_look(world);
        const Id id = world.begin("asks@1", within(15s));
        world.rest(id);
        world.loop.manual_clock().advance(48h);
        world.loop.manual_clock().jump(jump);
        world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
        const TaskState state = world.rest(id);
        CHECK(state.error == "");
        CHECK(state.ran == 10s);
    }
}

TEST_CASE("a deadline comes when its time has passed, however the clock is set meanwhile")  // P9
{
    for (const Millis jump : {Millis(kYear), Millis(1h), Millis(-1h), Millis(-kYear)}) {
        CAPTURE(to_text(jump));
        World world;
        world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                                const auto answer = co_await run.ask({.agent = "worker", .timeout = 1h});
                                const bool late = answer.verb == model::HumanVerb::timeout;
                                co_await run.sleep(1h);
                                co_return run.reply(late ? "nobody answered" : "somebody answered");
                            }});
        const Id id = world.begin("ask@1");
        world.loop.settle();
        CHECK(world.host->active() == 0);  // it is parked
        const Instant begin = world.loop.now();
        world.loop.manual_clock().jump(jump);
        world.wait(world.host->wake(id));
        world.loop.settle();
        CHECK(world.state(id).questions.size() == 1);
        world.loop.run_until([&] { return world.state(id).finished(); });
        CHECK(world.state(id).reply->text == "nobody answered");
        CHECK(world.loop.now() - begin >= 2h);
        CHECK(world.loop.now() - begin <= 2h + 1s);
    }
}

namespace {

/// Sets the clock, has the machine sleep, or ends the process for any time, at any moments of one run; then lets it end.
void live_through(std::uint64_t seed)
{
    CAPTURE(seed);
    SeededRandom random(seed);
    const auto below = [&](std::uint64_t most) { return random.next() % most; };
    const auto any_time = [&] {
        return Millis(below(std::uint64_t{1} << below(36)));
    };  // up to two years, short ones as often
    World world(seed);
    const auto tool = with_look(world);
    const bool asks = below(2) == 0;
    const Id id = world.begin(asks ? "asks@1" : "looks@1", within(1h));
    Millis tolerated = kClockTolerance;  // in each process: times of records are not corrected for less
    for (std::uint64_t faults = 1 + below(5); faults > 0; --faults) {
        for (std::uint64_t steps = below(60); steps > 0 && world.loop.step(); --steps) {}
        ManualClock& clock = world.loop.manual_clock();
        const bool dies = below(2) == 0;
        if (dies) world.crash();
        if (below(2) == 0) clock.jump(below(2) == 0 ? any_time() : -any_time());
        if (!dies) continue;
        clock.advance(any_time());
        tolerated += kClockTolerance;
        world.start();
        world.wait(world.host->wake(id));
    }
    if (world.rest(id).status == TaskStatus::waiting)
        world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    const TaskState state = world.rest(id);
    CHECK(state.error == "");
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply.value().elapsed_ms >= 0);
    CHECK(state.ran >= (asks ? 10s : 30s) - tolerated);
    CHECK(state.ran <= 10s * tool->dispatched.size() + tolerated);  // one that was cut off is made again
    for (const auto& record : world.records(id)) {
        const Body body(record);
        CHECK_NOTHROW(body.expect_readable());
        CHECK_NOTHROW(public_events(record, body));
    }
}

}  // namespace

TEST_CASE("10,000 runs whose clocks are set and whose processes are down at any moment end, and ran as long as their "
          "tools took")
{
    for (std::uint64_t seed = 0; seed < 10'000; ++seed) live_through(seed);
}

TEST_CASE("an answer in time counts although the clock was set beyond the deadline")
{
    World world;
    world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                            const auto answer = co_await run.ask({.agent = "worker", .timeout = 1h});
                            co_return run.reply(answer.verb == model::HumanVerb::approve ? "yes" : "no");
                        }});
    const Id id = world.begin("ask@1");
    world.loop.settle();
    world.loop.manual_clock().jump(kYear);
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    CHECK(world.rest(id).reply->text == "yes");
}

TEST_CASE("after a restart under a clock that was set back, a deadline is no further away than it ever was")
{
    World world;
    world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                            co_await run.ask({.agent = "worker", .timeout = 1h});
                            co_return run.reply("over");
                        }});
    const Id id = world.begin("ask@1");
    world.loop.settle();
    world.crash();
    world.loop.manual_clock().jump(-kYear);
    world.start();
    const Instant begin = world.loop.now();
    world.wait(world.host->wake(id));
    world.loop.run_until([&] { return world.state(id).finished(); });
    CHECK(world.loop.now() - begin <= 1h + 1s);
}

TEST_CASE("a task runs while one below it does, and rests while that one waits for a person")
{
    World world;
    with_look(world);
    world.patterns.add({"boss@1", [](Run& run) -> Async<model::Reply> {
                            const auto reply = co_await run.delegate(run.agent(), "look", {.pattern = "asks@1"});
                            co_return run.reply(reply.text);
                        }});
    const Id id = world.begin("boss@1", within(60s));
    world.loop.settle();
    const auto children = world.state(id).children;
    REQUIRE(children.size() == 1);
    world.loop.manual_clock().advance(1h);
    world.wait(world.commands->answer(kAnn, children.front().second, "", {.verb = model::HumanVerb::approve}));
    world.loop.run_until([&] { return world.state(id).finished(); });
    CHECK(world.state(id).error == "");
    CHECK(world.state(id).ran >= 9s);  // what the one below took; up to a second is not told apart
    CHECK(world.state(id).ran <= 11s);
}

TEST_CASE("a journal says nothing of clocks where nothing was set")
{
    World world;
    with_look(world);
    const Id id = world.begin("looks@1", within(60s));
    CHECK(world.rest(id).ran == 30s);
    for (const auto& record : world.records(id)) CHECK(record.kind != storage::RecordKind::note);
}
