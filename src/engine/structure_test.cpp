#include "base/timeout.hpp"
#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;
using storage::RecordKind;

namespace {

/// `boss` delegates to `helper`, who thinks.
struct Office : World {
    Office()
    {
        team = team_of({});
        team->agents.push_back({.name = "helper", .role = "helps", .prompt = "You help."});
        patterns.add({"office@1", [](Run& run) -> Async<model::Reply> {
                          run.tell(run.prompt());
                          if (run.agent().name == "helper") co_return run.reply((co_await run.think(run.agent())).text);
                          const model::Reply reply = co_await run.delegate(run.agent("helper"), "Help me.");
                          co_return run.reply("helper says " + reply.text);
                      }});
        model->answer = [](const llm::Request&) { return says("42"); };
        model->delay = 50ms;
    }
};

Async<std::string> nap(Run& run, int milliseconds)
{
    co_await run.sleep(Millis(milliseconds));
    co_return std::to_string(milliseconds);
}

}  // namespace

TEST_CASE("a delegated task has its own journal and answers its parent once")
{
    Office world;
    const Id id = world.begin("office@1", {.description = "Do it.", .agent = "worker"});
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "helper says 42");
    const auto tasks = world.wait(world.store.tasks({}));
    REQUIRE(tasks.size() == 2);
    CHECK(world.model->requests.size() == 1);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("a crash between parent and child starts no second child")
{
    for (int turns = 1; turns < 12; ++turns) {
        CAPTURE(turns);
        Office world;
        const Id id = world.begin("office@1", {.description = "Do it.", .agent = "worker"});
        for (int i = 0; i < turns; ++i) world.loop.step();
        world.restart();
        world.wait(world.host->wake_all());
        CHECK(world.rest(id).status == TaskStatus::completed);
        CHECK(world.wait(world.store.tasks({})).size() == 2);
    }
}

TEST_CASE("a delegation that is too deep is refused, and that is on record")
{
    Office world;
    world.patterns.add({"deep@1", [](Run& run) -> Async<model::Reply> {
                            const DelegateReply child = co_await run.try_delegate(run.agent("helper"), "Help me.");
                            co_await run.ask({.context = {{"question", "and now?"}}});
                            co_return run.reply(child.failure->what());
                        }});
    TaskSpec spec{.description = "Do it.", .agent = "worker"};
    spec.budget.depth = 0;
    const Id id = world.begin("deep@1", std::move(spec));
    world.rest(id);
    world.restart();
    world.wait(world.host->wake_all());
    const TaskState waiting = world.rest(id);
    REQUIRE(waiting.questions.size() == 1);
    world.wait(world.commands->answer(kAnn, id, waiting.questions.front().request.id, {}));
    const TaskState state = world.rest(id);
    REQUIRE(state.reply);
    CHECK(state.reply->text == "depth (0) reached: helper is not started");
    CHECK(outcome_at(world.records(id), "delegate:1").find("depth (0) reached") != std::string::npos);
    CHECK(world.wait(world.store.tasks({})).size() == 1);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("cancelling a task cancels what it has delegated")
{
    Office world;
    const Id id = world.begin("office@1", {.description = "Do it.", .agent = "worker"});
    world.loop.settle();
    world.wait(world.commands->cancel(kAnn, id, ""));
    world.rest(id);
    for (int i = 0; i < 100 && world.host->active() > 0; ++i) world.loop.step();
    for (const auto& entry : world.wait(world.store.tasks({}))) CHECK(entry.status == "cancelled");
}

TEST_CASE("who loses a race is cancelled with what it has delegated")
{
    Office world;
    world.patterns.add({"contest@1", [](Run& run) -> Async<model::Reply> {
                            if (run.agent().name == "helper") {
                                run.tell(run.prompt());
                                co_return run.reply((co_await run.think(run.agent())).text);
                            }
                            const auto [who, what] = co_await run.first(
                                std::vector<int>{0, 10}, [](Run& branch, int wait) -> Async<std::string> {
                                    if (wait == 0)
                                        co_return (co_await branch.delegate(branch.agent("helper"), "Help me.")).text;
                                    co_return co_await nap(branch, wait);
                                });
                            co_await run.ask({.context = {{"question", "ok?"}}});
                            co_return run.reply(what);
                        }});
    const Id id = world.begin("contest@1", {.description = "Do it.", .agent = "worker"});
    CHECK(world.rest(id).status == TaskStatus::waiting);
    for (int i = 0; i < 100 && world.host->active() > 0; ++i) world.loop.step();
    int cancelled = 0;
    for (const auto& entry : world.wait(world.store.tasks({}))) cancelled += entry.status == "cancelled";
    CHECK(cancelled == 1);  // the child, although its parent lives on
}

TEST_CASE("first: the winner is recorded, the others are cancelled, and a replay agrees")
{
    World world;
    world.patterns.add({"race@1", [](Run& run) -> Async<model::Reply> {
                            const auto [who, what] = co_await run.first(std::vector<int>{500, 20, 300}, nap);
                            co_await run.ask({.context = {{"question", "ok?"}}});
                            co_return run.reply(std::to_string(who) + " " + what);
                        }});
    const Id id = world.begin("race@1");
    CHECK(world.rest(id).status == TaskStatus::waiting);
    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {}));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "1 20");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("within: what takes too long is cut off for good, the shortest limit wins, and a replay agrees")
{
    World world;
    world.patterns.add({"limits@1", [](Run& run) -> Async<model::Reply> {
                            const auto slow = [](Run& inner) { return nap(inner, 300); };
                            const auto quick = co_await run.within(1000ms, slow);
                            const auto cut = co_await run.within(1000ms, [&](Run& outer) -> Async<std::string> {
                                co_return (co_await outer.within(50ms, slow)).value_or("inner");
                            });
                            const auto outer = co_await run.within(50ms, [&](Run& inner) -> Async<std::string> {
                                co_return (co_await inner.within(1000ms, slow)).value_or("inner");
                            });
                            std::string failure;
                            try {
                                co_await run.within(1000ms,
                                                    [](Run&) -> Async<int> { throw Error(Code::invalid, "broken"); });
                            } catch (const Error& error) {
                                failure = error.what();
                            }
                            co_await run.ask({.context = {{"question", "ok?"}}});
                            co_return run.reply(quick.value_or("-") + " " + cut.value_or("-") + " " +
                                                outer.value_or("outer") + " " + failure);
                        }});
    const Id id = world.begin("limits@1");
    CHECK(world.rest(id).status == TaskStatus::waiting);
    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {}));
    CHECK(world.rest(id).reply->text == "300 inner outer broken");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("map keeps the order of its items, whoever is quicker")
{
    World world;
    world.patterns.add({"map@1", [](Run& run) -> Async<model::Reply> {
                            std::string all;
                            for (const std::string& one : co_await run.map(std::vector<int>{30, 10, 20}, nap))
                                all += one + " ";
                            co_return run.reply(all);
                        }});
    const Id id = world.begin("map@1");
    CHECK(world.rest(id).reply->text == "30 10 20 ");
}

TEST_CASE("two effects at once in one scope are refused")
{
    World world;
    world.patterns.add({"both@1", [](Run& run) -> Async<model::Reply> {
                            std::vector<Async<>> both;
                            both.push_back(run.sleep(10ms));
                            both.push_back(run.sleep(10ms));
                            co_await all(std::move(both));
                            co_return run.reply("never");
                        }});
    const TaskState state = world.rest(world.begin("both@1"));
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error.find("use map()") != std::string::npos);
    CHECK(state.error.find("sleep:2 begins while sleep:1 is running") != std::string::npos);
}

TEST_CASE("the scope around branches does nothing while they are at work")
{
    struct {
        std::function<Async<>(Run&)> deed;
        const char* says;
    } const cases[] = {
        {[](Run& run) -> Async<> { co_await run.sleep(10ms); }, "x/sleep:1 begins while x/branch:1. is running"},
        {[](Run& run) -> Async<> { co_await run.node("y", [](Run& in) { return nap(in, 1); }); },
         "x/y begins while x/branch:1. is running"},
        {[](Run& run) -> Async<> { co_await run.map(std::vector<int>{1}, nap); },
         "x/branch:2. begins while x/branch:1. is running"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        Stage world([&c](Run& run) -> Async<model::Reply> {
            const auto body = [&c](Run& outer) -> Async<std::string> {
                const auto branch = [&outer, &c](Run&, int) -> Async<std::string> {
                    co_await c.deed(outer);  // not its own
                    co_return "";
                };
                co_return (co_await outer.map(std::vector<int>{1, 2}, branch))[0];
            };
            co_return run.reply(co_await run.node("x", body));
        });
        CHECK(ending(world.finish(world.play())).find(c.says) != std::string::npos);
    }
}

TEST_CASE("a delegated task that another process still holds is cancelled when that one's time is over")
{
    Office world;
    const Id id = world.begin("office@1", {.description = "Do it.", .agent = "worker"});
    world.loop.settle();
    Id child;
    for (const auto& entry : world.wait(world.store.tasks({})))
        if (entry.task != id) child = entry.task;
    world.crash();
    world.wait(sleep_for(11s));
    world.wait(world.store.acquire(child, "a process that dies", 10s));
    world.start();
    world.wait(world.commands->cancel(kAnn, id, ""));
    CHECK(world.rest(id).status == TaskStatus::cancelled);
    CHECK(world.state(child).status == TaskStatus::running);
    world.wait(sleep_for(21s));
    CHECK(world.rest(child).status == TaskStatus::cancelled);
}

TEST_CASE("who lost a race is cancelled after a crash too, although its parent lives on")
{
    Office world;
    world.patterns.add({"contest@1", [](Run& run) -> Async<model::Reply> {
                            if (run.agent().name == "helper") {
                                co_await run.ask({.context = {{"question", "help how?"}}});
                                co_return run.reply("");
                            }
                            co_await run.first(std::vector<int>{0, 10},
                                               [](Run& branch, int wait) -> Async<std::string> {
                                                   if (wait == 0)
                                                       co_await branch.delegate(branch.agent("helper"), "Help me.");
                                                   co_return co_await nap(branch, wait);
                                               });
                            co_await run.ask({.context = {{"question", "ok?"}}});
                            co_return run.reply("");
                        }});
    const Id id = world.begin("contest@1", {.description = "Do it.", .agent = "worker"});
    while (world.state(id).orphans.empty()) world.loop.step();
    world.restart();
    world.wait(world.host->wake(id));
    CHECK(world.rest(id).status == TaskStatus::waiting);
    const Id child = world.state(id).orphans.front();
    world.loop.settle();
    CHECK(world.rest(child).status == TaskStatus::cancelled);
}
