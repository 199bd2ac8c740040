#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;

namespace {

Async<model::Reply> think_until_done(Run& run)
{
    const Agent& agent = run.agent();
    run.tell(run.prompt());
    while (true) {
        const Step step = co_await run.think(agent);
        if (step.calls.empty()) co_return run.reply(step.text);
        co_await run.use(agent, step.calls);
    }
}

/// A model that calls `tool` once and then repeats what the tool answered.
void call_once(World& world, std::string tool, boost::json::object args = {})
{
    world.model->answer = [tool, args](const llm::Request& request) {
        const llm::Message& last = *request.messages.back();
        return last.role == model::Role::tool ? says("It said: " + last.text) : calls(tool, args);
    };
}

World& with_agent(World& world, std::vector<std::string> tools)
{
    world.patterns.add({"loop@1", think_until_done});
    world.team = team_of(std::move(tools));
    return world;
}

}  // namespace

TEST_CASE("a run asks the model, calls the tool and answers, and its journal says so")
{
    World world;
    const auto tool = world.add_tool("look", model::Effect::pure);
    with_agent(world, {"look"});
    call_once(world, "look");
    const Id id = world.begin("loop@1", {.description = "Look!", .agent = "worker"});
    const TaskState state = world.rest(id);

    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "It said: done");
    CHECK(tool->dispatched.size() == 1);
    CHECK(state.steps == 2);
    CHECK(state.usage.input == 20);
    REQUIRE(world.model->requests.size() == 2);
    const auto& second = world.model->requests[1].messages;
    REQUIRE(second.size() == 3);
    CHECK(second[1]->calls.front().id == second[2]->call_id);

    std::vector<std::string> story;
    for (const auto& record : world.records(id)) story.push_back(storage::name_of(record.kind) + " " + record.path);
    CHECK(story == std::vector<std::string>{"created ", "started ", "intent think:1", "outcome think:1",
                                            "intent use:1.0", "outcome use:1.0", "intent think:2", "outcome think:2",
                                            "completed "});
}

TEST_CASE("a question costs no coroutine, survives a restart, and is answered once")
{
    World world;
    world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                            const auto answer = co_await run.ask({.agent = "worker", .context = {{"question", "Go?"}}});
                            co_return run.reply(answer.verb == model::HumanVerb::approve ? "went" : "stayed");
                        }});
    const Id id = world.begin("ask@1");
    TaskState state = world.rest(id);
    CAPTURE(state.error);
    CHECK(state.status == TaskStatus::waiting);
    CHECK(world.host->active() == 0);
    REQUIRE(state.questions.size() == 1);

    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}));
    state = world.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text == "went");
    CHECK_THROWS_WITH_AS(world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::reject})),
                         doctest::Contains("already answered: approved"), Error);
}

TEST_CASE("an answer that does not suit is refused and the question stays; a held answer starts nothing")
{
    World world;
    world.patterns.add({"ask@1", [](Run& run) -> Async<model::Reply> {
                            const auto answer =
                                co_await run.ask({.type = model::HumanRequestType::feedback,
                                                  .context = {{"question", "Which?"}, {"choices", {"red", "blue"}}}});
                            co_await run.sleep(1ms);
                            co_return run.reply(answer.message);
                        }});
    const Id id = world.begin("ask@1");
    world.rest(id);
    CHECK_THROWS_WITH_AS(world.wait(world.commands->answer(kAnn, id, "", {.message = "green"})),
                         doctest::Contains("answer with one of: \"red\", \"blue\""), Error);
    CHECK(world.state(id).questions.size() == 1);
    world.wait(world.commands->answer(kAnn, id, "", {.message = "blue"}, true));
    world.wait(world.host->park(id));
    CHECK(world.state(id).timers.empty());
    world.wait(world.commands->resume(kAnn, id));
    CHECK(world.rest(id).reply->text == "blue");
}

TEST_CASE("after a crash a once call without outcome is never dispatched again by us")
{
    struct {
        const char* name;
        model::HumanAnswer answer;
        std::size_t dispatches;
        const char* reply;
    } const cases[] = {
        {"it happened", {.verb = model::HumanVerb::happened, .updates = {{"result", "paid"}}}, 1, "It said: paid"},
        {"it did not", {.verb = model::HumanVerb::not_happened}, 2, "It said: done"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        World world;
        const auto tool = world.add_tool("pay", model::Effect::once);
        with_agent(world, {"pay"});
        call_once(world, "pay");
        tool->takes = 1h;
        const Id id = world.begin("loop@1", {.description = "Pay.", .agent = "worker"});
        world.loop.settle();
        REQUIRE(tool->dispatched.size() == 1);

        world.restart();
        tool->takes = 0ms;
        world.wait(world.host->wake(id));
        TaskState state = world.rest(id);
        CHECK(state.status == TaskStatus::waiting);
        CHECK(tool->dispatched.size() == 1);
        REQUIRE(state.questions.size() == 1);
        CHECK(state.questions[0].request.type == model::HumanRequestType::outcome_unknown);

        world.restart();
        world.wait(world.commands->answer(kAnn, id, "", c.answer));
        state = world.rest(id);
        CHECK(state.status == TaskStatus::completed);
        CHECK(state.reply->text == c.reply);
        CHECK(tool->dispatched.size() == c.dispatches);
        if (c.dispatches == 2) CHECK(tool->dispatched[0] != tool->dispatched[1]);
    }
}

TEST_CASE("after a crash calls of other classes are dispatched again with the same key")
{
    for (const auto effect : {model::Effect::pure, model::Effect::idempotent, model::Effect::keyed}) {
        World world;
        const auto tool = world.add_tool("put", effect);
        with_agent(world, {"put"});
        call_once(world, "put");
        tool->takes = 1h;
        const Id id = world.begin("loop@1", {.description = "Put.", .agent = "worker"});
        world.loop.settle();
        world.restart();
        tool->takes = 0ms;
        world.wait(world.host->wake(id));
        CHECK(world.rest(id).status == TaskStatus::completed);
        REQUIRE(tool->dispatched.size() == 2);
        CHECK(tool->dispatched[0] == tool->dispatched[1]);
        CHECK(world.model->requests.size() == 2);
    }
}

TEST_CASE("a cancelled run stops what is under way and ends cancelled, whatever its pattern makes of it")
{
    World world;
    const auto tool = world.add_tool("slow", model::Effect::once);
    world.team = team_of({"slow"});
    world.patterns.add({"stubborn@1", [](Run& run) -> Async<model::Reply> {
                            try {
                                co_await run.use(run.agent(), {{.id = "a", .tool_name = "slow"}});
                            } catch (...) {}
                            co_return run.reply("I do not care");
                        }});
    tool->takes = 1h;
    const Id id = world.begin("stubborn@1", {.agent = "worker"});
    world.loop.settle();
    CHECK(world.wait(world.commands->cancel(kAnn, id, "enough")));
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::cancelled);
    CHECK_FALSE(world.wait(world.commands->cancel(kAnn, id, "again")));
    for (const auto& record : world.records(id))
        if (record.kind == storage::RecordKind::intent) CHECK(record.seq == 3);
}

TEST_CASE("the error of a join is that of the branch that failed by itself, and siblings are recorded as cancelled")
{
    World world;
    const auto slow = world.add_tool("slow", model::Effect::once);
    slow->takes = 1h;
    world.team = team_of({"slow"});
    world.patterns.add({"join@1", [](Run& run) -> Async<model::Reply> {
                            co_await run.map(std::vector<int>{0, 1}, [](Run& branch, int which) -> Async<std::string> {
                                if (which == 0) {
                                    co_await branch.use(branch.agent(), {{.id = "a", .tool_name = "slow"}});
                                    co_return "slow";
                                }
                                co_await branch.sleep(5ms);
                                throw Error(Code::upstream, "branch 1 broke");
                            });
                            co_return run.reply("never");
                        }});
    const Id id = world.begin("join@1", {.agent = "worker"});
    const TaskState state = world.rest(id);
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error == "branch 1 broke");
    const auto report = world.wait(world.commands->replay(kAnn, id));
    CHECK(report.diverged == "");
    CHECK(slow->dispatched.size() == 1);
}

TEST_CASE("a finished node is not run again, and what it gave is what was recorded")
{
    World world;
    int runs = 0;
    world.patterns.add({"nodes@1", [&runs](Run& run) -> Async<model::Reply> {
                            struct Body {
                                int& runs;
                                Async<std::string> operator()(Run& inner)
                                {
                                    ++runs;
                                    const Id id = co_await inner.fresh_id();
                                    co_return to_string(id);
                                }
                            };
                            const std::string first = co_await run.node("draft", Body{runs});
                            co_await run.ask({.context = {{"question", "ok?"}}});
                            co_return run.reply(first);
                        }});
    const Id id = world.begin("nodes@1");
    world.rest(id);
    CHECK(runs == 1);
    world.restart();
    world.wait(world.commands->answer(kAnn, id, "", {}));
    const TaskState state = world.rest(id);
    CHECK(runs == 1);
    CHECK(state.status == TaskStatus::completed);
    CHECK(find_id(state.reply->text));
}

TEST_CASE("code that no longer fits the journal stops visibly and performs nothing")
{
    struct {
        const char* name;
        std::vector<std::string> tools;  // what the new code calls, in order
        const char* says;
    } const cases[] = {
        {"another tool", {"two", "ask"}, "use:1.0 asks for something else than it did (tool"},
        {"one dropped", {"ask"}, "which the code no longer asks for"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        World world;
        const auto one = world.add_tool("one", model::Effect::once);
        const auto two = world.add_tool("two", model::Effect::once);
        world.team = team_of({"one", "two"});
        std::vector<std::string> script{"one", "ask"};
        world.patterns.add({"story@1", [&script](Run& run) -> Async<model::Reply> {
                                for (const std::string& what : script) {
                                    if (what == "ask") co_await run.ask({.context = {{"question", "ok?"}}});
                                    else co_await run.use(run.agent(), {{.id = "x", .tool_name = what}});
                                }
                                co_return run.reply("end");
                            }});
        const Id id = world.begin("story@1", {.agent = "worker"});
        world.rest(id);
        CHECK(one->dispatched.size() == 1);

        world.restart();
        script = c.tools;
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged.find(c.says) != std::string::npos);
        world.wait(world.host->wake(id));
        TaskState state = world.rest(id);
        CHECK(state.status == TaskStatus::paused);
        CHECK(state.pause_reason == model::PauseReason::diverged);
        CHECK(state.pause_text.find(c.says) != std::string::npos);
        CHECK(one->dispatched.size() == 1);
        CHECK(two->dispatched.empty());

        // the old code is back: it goes on
        script = {"one", "ask"};
        world.restart();
        world.wait(world.commands->resume(kAnn, id));
        CHECK(world.rest(id).status == TaskStatus::waiting);
    }
}
