#include "engine/compare.hpp"

#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

namespace {

/// An agent that may use a tool before it answers.
struct Shop : World {
    Shop()
    {
        patterns.add({"shop@1", [](Run& run) -> Async<model::Reply> {
                          run.tell(run.prompt());
                          while (true) {
                              const Step step = co_await run.think(run.agent());
                              if (step.calls.empty()) co_return run.reply(step.text);
                              co_await run.use(run.agent(), step.calls);
                          }
                      }});
        team = team_of({"lookup"});
        lookup = add_tool("lookup", model::Effect::pure);
        model->answer = [](const llm::Request& request) {
            if (request.messages.size() == 1) return calls("lookup");
            return says(request.instructions);
        };
    }
    Id shopped()
    {
        const Id id = begin("shop@1", {.description = "Buy.", .agent = "worker"});
        rest(id);
        return id;
    }
    std::shared_ptr<FakeTool> lookup;
};

}  // namespace

TEST_CASE("two runs of the same are the same, whatever their ids and times")
{
    Shop world;
    const Id a = world.shopped();
    const std::uint32_t end = world.state(a).end.seq;
    const Id b = world.wait(world.commands->fork(kAnn, {.from = a, .at = ForkPoint{ForkPoint::By::record, end}})).task;
    const Comparison out = compare(world.records(a), world.records(b));
    CHECK(!out.first);
    CHECK(out.task.empty());
    REQUIRE(out.steps.size() == 3);
    CHECK(out.steps[0].effect == "think");
    CHECK(out.steps[1].effect == "use");
    CHECK(out.steps[1].a->who == "lookup");
    CHECK(out.steps[0].a->text == "calls lookup {}");
    CHECK(out.steps[0].a->tokens == 15);
    CHECK(!out.steps[0].a->reused);
    CHECK(out.steps[0].b->reused);
}

TEST_CASE("the first difference is named by the part of the request that differs, or by the outcome")
{
    Shop world;
    const Id a = world.shopped();
    const Id b = world.wait(world.commands->fork(kAnn, {.from = a, .prompt = "You shop."})).task;
    world.wait(world.host->wake(b));
    world.rest(b);
    Comparison out = compare(world.records(a), world.records(b));
    REQUIRE(out.first);
    CHECK(out.steps[*out.first].path == "think:1");
    CHECK(out.steps[*out.first].differs == std::vector<std::string>{"instructions"});
    CHECK(out.task == std::vector<std::string>{"team"});

    // the same request, another answer; then a step that only one of them has
    world.model->answer = [](const llm::Request&) { return says("No."); };
    const ForkPoint begin{ForkPoint::By::record, 2};
    const Id c = world.wait(world.commands->fork(kAnn, {.from = a, .at = begin})).task;
    world.wait(world.host->wake(c));
    world.rest(c);
    out = compare(world.records(a), world.records(c));
    CHECK(out.first == 0u);
    CHECK(out.steps[0].differs == std::vector<std::string>{"outcome"});
    CHECK(!out.steps[1].b);
    out = compare(world.records(c), world.records(a));
    CHECK(!out.steps[1].a);
    CHECK(out.steps[1].path == "use:1.0");
}
