// Breakpoints and steps of a task hold for what it delegates.
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::ExecutionMode;
using model::PauseReason;
using model::TaskStatus;

namespace {

/// The first delegates to the middle, which delegates to the last; each thinks once before, and once after.
struct Chain : World {
    Chain()
    {
        team = team_of({});
        model->answer = [](const llm::Request&) { return says("thought"); };
        patterns.add({"chain@1", [](Run& run) -> Async<model::Reply> {
                          run.tell(run.prompt());
                          co_await run.think(run.agent());
                          if (run.prompt() != "last")
                              co_await run.delegate(run.agent(), run.prompt() == "first" ? "middle" : "last");
                          co_await run.think(run.agent());
                          co_return run.reply(run.prompt() + " is done");
                      }});
    }

    Id go(TaskSpec spec)
    {
        spec.description = "first";
        spec.agent = "worker";
        const Id id = begin("chain@1", std::move(spec));
        wait(host->until_resting(id, true));
        return id;
    }
    /// What the tree does next, however it stops.
    void then(Id id, Async<> command)
    {
        wait(std::move(command));
        wait(host->until_resting(id, true));
    }
    /// Who is paused: the descriptions of the tasks.
    std::string paused(Id id)
    {
        std::string names;
        for (const auto& task : wait(queries->open_tree(kAnn, id)))
            if (task->pause_reason) names += (names.empty() ? "" : ", ") + task->spec.description;
        return names;
    }
    std::size_t thoughts() const { return model->requests.size(); }
};

}  // namespace

TEST_CASE("in step mode a step of the root is a step of whichever task below is stopped, over a restart too")
{
    Chain chain;
    const Id root = chain.go({.mode = ExecutionMode::step});
    std::vector<std::string> stops;
    for (int i = 0; i < 6; ++i) {
        stops.push_back(chain.paused(root));
        CHECK(chain.thoughts() == static_cast<std::size_t>(i));
        if (i == 3) chain.restart();
        chain.then(root, chain.commands->resume(kAnn, root, 1));
    }
    CHECK(stops == std::vector<std::string>{"first", "middle", "last", "last", "middle", "first"});
    CHECK(chain.state(root).status == TaskStatus::completed);
}

TEST_CASE("continue of the root lets all below it run freely; of a task below only that one")
{
    Chain chain;
    const Id root = chain.go({.mode = ExecutionMode::step});
    chain.then(root, chain.commands->resume(kAnn, root, 1));
    chain.then(root, chain.commands->resume(kAnn, root, 1));
    REQUIRE(chain.paused(root) == "last");
    const auto tree = chain.wait(chain.queries->open_tree(kAnn, root));
    REQUIRE(tree.size() == 3);

    chain.then(root, chain.commands->continue_task(kAnn, tree[2]->id));
    CHECK(chain.state(tree[2]->id).status == TaskStatus::completed);
    CHECK(chain.paused(root) == "middle");
    chain.then(root, chain.commands->continue_task(kAnn, root));
    CHECK(chain.state(root).status == TaskStatus::completed);

    const Id other = chain.go({.mode = ExecutionMode::step});
    chain.then(other, chain.commands->resume(kAnn, other, 1));
    REQUIRE(chain.paused(other) == "middle");
    chain.then(other, chain.commands->continue_task(kAnn, other));
    CHECK(chain.state(other).status == TaskStatus::completed);
}

TEST_CASE("breakpoints of a task, as they are when it delegates, stop what it delegates")
{
    Chain chain;
    const Id root = chain.go({.breakpoints = {"condition:steps >= 1"}});
    CHECK(chain.paused(root) == "first");  // before what it does after its first step
    chain.wait(chain.commands->change_breakpoints(kAnn, root, {.clear = true, .add = {"agent:worker"}}));
    chain.then(root, chain.commands->continue_task(kAnn, root));
    CHECK(chain.paused(root) == "middle");
    const auto tree = chain.wait(chain.queries->open_tree(kAnn, root));
    REQUIRE(tree.size() == 2);
    CHECK(tree[1]->pause_reason == PauseReason::breakpoint);
    CHECK(tree[1]->breakpoints == std::vector<std::string>{"agent:worker"});
    for (const char* next : {"last", "last", "middle", "first"}) {
        chain.then(root, chain.commands->continue_task(kAnn, root));
        CHECK(chain.paused(root) == next);
    }
    chain.then(root, chain.commands->continue_task(kAnn, root));
    CHECK(chain.state(root).status == TaskStatus::completed);
}
