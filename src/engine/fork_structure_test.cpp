// Forks of runs with branches, races, nodes and delegated work.
#include "engine/test_flow.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;
using storage::Record;
using storage::RecordKind;

namespace {

using Paths = std::vector<std::string>;

model::Team pair()
{
    return {.name = "pair",
            .agents = {{.name = "writer", .role = "writes", .prompt = "You write."},
                       {.name = "editor", .role = "edits", .prompt = "You edit."}}};
}

Paths thinkers(const std::vector<llm::Request>& requests)
{
    Paths names;
    for (const llm::Request& request : requests) names.push_back(request.agent);
    return names;
}

}  // namespace

TEST_CASE("only the branch that changed goes live, and everything behind the join")
{
    World world;
    world.patterns.add({"map@1", [](Run& run) -> Async<model::Reply> {
                            const auto both = co_await run.map(
                                Paths{"writer", "editor"}, [](Run& branch, std::string name) -> Async<std::string> {
                                    branch.tell("Go.");
                                    co_await branch.think(branch.agent(name));
                                    branch.tell("Again.");
                                    co_return (co_await branch.think(branch.agent(name))).text;
                                });
                            run.tell(both[0]);
                            co_return run.reply((co_await run.think(run.agent("writer"))).text);
                        }});
    world.team = pair();
    world.model->delay = 5ms;
    world.model->answer = [](const llm::Request& request) { return says(request.messages.back()->text); };
    const Id id = world.begin("map@1", {.agent = "writer"});
    CHECK(world.rest(id).status == TaskStatus::completed);
    world.model->requests.clear();

    const ForkReport report =
        world.wait(world.commands->fork(kAnn, {.from = id, .agent = "editor", .prompt = "You edit well."}));
    CHECK(report.live == Paths{"branch:1.1/think:1"});
    CHECK(report.model_calls == 2);
    world.wait(world.host->wake(report.task));
    CHECK(world.rest(report.task).status == TaskStatus::completed);
    // behind the join the request is the same, and yet it is made again
    CHECK(thinkers(world.model->requests) == Paths{"editor", "editor", "writer"});
}

TEST_CASE("who lost a race is not run again because its prompt changed; who won it is")
{
    World world;
    world.patterns.add({"race@1", [](Run& run) -> Async<model::Reply> {
                            const auto [who, what] = co_await run.first(
                                Paths{"writer", "editor"}, [](Run& branch, std::string name) -> Async<std::string> {
                                    branch.tell("Go.");
                                    if (name == "editor") co_await branch.sleep(50ms);
                                    co_return (co_await branch.think(branch.agent(name))).text;
                                });
                            run.tell(what);
                            co_return run.reply((co_await run.think(run.agent("writer"))).text);
                        }});
    world.team = pair();
    world.model->delay = 5ms;
    world.model->answer = [](const llm::Request& request) { return says(request.instructions); };
    const Id id = world.begin("race@1", {.agent = "writer"});
    CHECK(world.rest(id).status == TaskStatus::completed);
    for (const auto& [agent, live, asked] : {std::tuple("editor", 0u, 0u), {"writer", 2u, 2u}}) {
        CAPTURE(agent);
        world.model->requests.clear();
        const ForkReport report =
            world.wait(world.commands->fork(kAnn, {.from = id, .agent = agent, .prompt = "You run."}));
        CHECK(report.live.size() == live);
        world.wait(world.host->wake(report.task));
        CHECK(world.rest(report.task).status == TaskStatus::completed);
        CHECK(world.model->requests.size() == asked);
        CHECK(world.wait(world.commands->replay(kAnn, report.task)).diverged == "");
    }
}

TEST_CASE(
    "a fork takes who was counted at a join over where those are taken over, and decides it again where they are not")
{
    World world;
    world.patterns.add(
        {"flow@1", [](Run& run) -> Async<model::Reply> {
             const TestFlow flow(
                 {{.name = "writer"}, {.name = "editor"}, {.name = "sum", .inputs = {0, 1}, .policy = Policy::enough}});
             const auto body = [](Run& at, std::size_t part, const Inputs<std::string>& inputs) -> Async<std::string> {
                 at.tell("Go.");
                 if (part == 1) co_await at.sleep(50ms);
                 if (part < 2) co_return (co_await at.think(at.agent(part == 0 ? "writer" : "editor"))).text;
                 at.tell(*inputs.result(inputs.counted().front()).value);
                 co_return (co_await at.think(at.agent("writer"))).text;
             };
             co_return run.reply(*(co_await run.flow<std::string>(flow, body))[2].value);
         }});
    world.team = pair();
    world.model->delay = 5ms;
    world.model->answer = [](const llm::Request& request) { return says(request.instructions); };
    const Id id = world.begin("flow@1", {.agent = "writer"});
    CHECK(world.rest(id).status == TaskStatus::completed);
    for (const auto& [agent, live, asked] : {std::tuple("editor", 0u, 0u), {"writer", 2u, 2u}}) {
        CAPTURE(agent);
        world.model->requests.clear();
        const ForkReport report =
            world.wait(world.commands->fork(kAnn, {.from = id, .agent = agent, .prompt = "You run."}));
        CHECK(report.live.size() == live);
        world.wait(world.host->wake(report.task));
        CHECK(world.rest(report.task).status == TaskStatus::completed);
        CHECK(world.model->requests.size() == asked);
        CHECK(world.wait(world.commands->replay(kAnn, report.task)).diverged == "");
    }
}

TEST_CASE("a finished node is taken over only if everything in it is")
{
    World world;
    world.patterns.add({"nodes@1", [](Run& run) -> Async<model::Reply> {
                            for (const char* name : {"writer", "editor"})
                                co_await run.node(name, [name](Run& node) -> Async<std::string> {
                                    node.tell("Go.");
                                    co_return (co_await node.think(node.agent(name))).text;
                                });
                            co_return run.reply("done");
                        }});
    world.team = pair();
    world.model->answer = [](const llm::Request& request) { return says(request.instructions); };
    const Id id = world.begin("nodes@1", {.agent = "writer"});
    CHECK(world.rest(id).status == TaskStatus::completed);
    world.model->requests.clear();
    const ForkReport report =
        world.wait(world.commands->fork(kAnn, {.from = id, .agent = "editor", .prompt = "You edit well."}));
    CHECK(report.live == Paths{"editor/think:1"});
    const auto done = [&] {
        return std::ranges::count(world.records(report.task), RecordKind::node_done, &Record::kind);
    };
    CHECK(done() == 1);
    world.wait(world.host->wake(report.task));
    CHECK(world.rest(report.task).status == TaskStatus::completed);
    CHECK(thinkers(world.model->requests) == Paths{"editor"});
    CHECK(done() == 2);
}

TEST_CASE("a fork delegates anew where it is live, and takes the answer over where it is not")
{
    World world;
    world.team = team_of({});
    world.team->agents.push_back({.name = "helper", .role = "helps", .prompt = "You help."});
    world.patterns.add({"office@1", [](Run& run) -> Async<model::Reply> {
                            run.tell(run.prompt());
                            if (run.agent().name == "helper")
                                co_return run.reply((co_await run.think(run.agent())).text);
                            const Step step = co_await run.think(run.agent());
                            co_return co_await run.delegate(run.agent("helper"), step.text);
                        }});
    world.model->answer = [](const llm::Request& request) { return says(request.instructions); };
    const Id id = world.begin("office@1", {.description = "Do it.", .agent = "worker"});
    CHECK(world.rest(id).reply->text == "You help.");
    CHECK(world.wait(world.store.tasks({})).size() == 2);

    const std::uint32_t end = world.state(id).end.seq;
    const Id same =
        world.wait(world.commands->fork(kAnn, {.from = id, .at = ForkPoint{ForkPoint::By::record, end}})).task;
    world.wait(world.host->wake(same));
    CHECK(world.rest(same).status == TaskStatus::completed);
    CHECK(world.wait(world.store.tasks({})).size() == 3);  // no child

    const Id other = world.wait(world.commands->fork(kAnn, {.from = id, .agent = "worker", .prompt = "You ask."})).task;
    world.wait(world.host->wake(other));
    CHECK(world.rest(other).status == TaskStatus::completed);
    CHECK(world.wait(world.store.tasks({})).size() == 5);  // and a child of its own

    // what the parent asks is the same, but who is asked is not
    const ForkReport third =
        world.wait(world.commands->fork(kAnn, {.from = id, .agent = "helper", .prompt = "You assist."}));
    CHECK(third.live == Paths{"delegate:1"});
    world.wait(world.host->wake(third.task));
    CHECK(world.rest(third.task).reply->text == "You assist.");
}
