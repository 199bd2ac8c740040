#include "engine/iterations.hpp"

#include "engine/spent.hpp"
#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;

namespace {

Async<std::string> think_in(Run& run)
{
    co_return (co_await run.think(run.agent())).text;
}

/// Two model calls in a node, a tool call in another, then a loop of nodes that think, until the limit.
Async<model::Reply> work(Run& run, int most)
{
    run.limit_iterations(most);
    co_await run.node("draft", [](Run& node) -> Async<std::string> {
        co_await think_in(node);
        co_return co_await think_in(node);
    });
    co_await run.node("decide", [](Run&) -> Async<std::string> { co_return "nothing to do"; });
    co_await run.node("pay", [](Run& node) -> Async<std::string> {
        co_await pay_for(node, 1);
        co_return co_await pay_for(node, 2);
    });
    std::string said;
    for (int i = 0; i < 3; ++i) {
        run.count_iteration();
        said = co_await run.node("review", think_in);
    }
    co_return run.reply(said);
}

/// draft 1 + 2, pay 1 + 1, three turns with a node and a think.
constexpr int kAll = 3 + 2 + 3 * 3;

std::function<Async<model::Reply>(Run&)> work_up_to(int most)
{
    return [most](Run& run) { return work(run, most); };
}

struct Limited : Stage {
    explicit Limited(int most) : Stage(work_up_to(most))
    {
        model->answer = [](const llm::Request&) { return says("ok"); };
    }
};

}  // namespace

TEST_CASE("iterations: what lies around an effect is paid once")
{
    Iterations owed;
    owed.owe("");
    owed.owe("a/");
    owed.owe("a/b/");
    owed.owe("c/");
    CHECK(owed.owed_at("a/think:1") == 2);
    CHECK(owed.owed_at("a/b/think:1") == 3);
    owed.pay_at("a/think:1");
    CHECK(owed.owed_at("a/b/think:1") == 1);
    CHECK(owed.owed_at("c/use:1.0") == 1);
    owed.forget("c/");
    CHECK(owed.owed_at("c/use:1.0") == 0);
}

TEST_CASE("iterations: nodes, model calls, tool nodes and turns of loops count, conditions and further calls do not")
{
    Limited world(kAll);
    const Id id = world.play();
    const TaskState state = world.finish(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(spent_in(world.records(id), state).iterations == kAll);
}

TEST_CASE("iterations: at the limit the effect fails, on record, and names its node")
{
    Limited world(kAll - 1);
    const Id id = world.play();
    const TaskState state = world.finish(id);
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error_code == "limit");
    CHECK(state.error == R"(max_iterations (13) reached at "review/3", before review/3/think:1)");
    CHECK(outcome_at(world.records(id), "review/3/think:1").find("max_iterations") != std::string::npos);
    CHECK(world.model->requests.size() == 4);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("iterations: a crash after any record counts nothing twice and nothing too little")
{
    for (const int most : {kAll, kAll - 1}) {
        Limited world(most);
        const Id id = world.play();
        const std::string end = ending(world.finish(id));
        const auto journal = world.records(id);
        for (std::size_t length = 2; length < journal.size(); ++length) {
            CAPTURE(length);
            Limited again(most);
            again.adopt(journal, length);
            const TaskState state = again.finish(id);
            CHECK(ending(state) == end);
            CHECK(spent_in(again.records(id), state).iterations <= most);
        }
    }
}

TEST_CASE("iterations: a model call that is tried again is one iteration")
{
    Limited world(kAll);
    int calls = 0;
    world.model->answer = [&](const llm::Request&) {
        if (++calls == 1) throw llm::ModelError(Code::unavailable, "busy", true);
        return says("ok");
    };
    const Id id = world.play();
    CHECK(world.finish(id).status == TaskStatus::completed);
    CHECK(spent_in(world.records(id), world.state(id)).iterations == kAll);
}

TEST_CASE("iterations: those of tasks below count, and the budget's own limit holds beside the pattern's")
{
    World world;
    world.team = team_of({});
    world.model->answer = [](const llm::Request&) { return says("ok"); };
    world.patterns.add({"child@1", [](Run& run) -> Async<model::Reply> {
                            for (int i = 0; i < 2; ++i) co_await run.think(run.agent());
                            co_return run.reply("done");
                        }});
    world.patterns.add({"parent@1", [](Run& run) -> Async<model::Reply> {
                            run.limit_iterations(5);
                            co_await run.delegate(run.agent(), "help", {.pattern = "child@1"});
                            co_return co_await run.delegate(run.agent(), "help", {.pattern = "child@1"});
                        }});
    const Id id = world.begin("parent@1", {.agent = "worker"});
    CHECK(world.rest(id).status == TaskStatus::completed);
    CHECK(spent_in(world.records(id), world.state(id)).iterations == 4);
    TaskSpec spec{.agent = "worker"};
    spec.budget.iterations = 3;
    const Id poor = world.begin("parent@1", std::move(spec));
    const TaskState state = world.rest(poor);
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error.find("max_iterations (3) reached") != std::string::npos);
}
