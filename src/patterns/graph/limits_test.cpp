// max_iterations of workflows, and forks of them.
#include "patterns/graph/test_workflow.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

TEST_CASE("a workflow stops at max_iterations: nodes, and model calls in them")  // FLOW-10 E
{
    const auto ends = [](int most) {
        Flowing world({.nodes = R"("a":{"type":"agent","agent":"a"},"r":{"type":"condition"},
                                   "b":{"type":"tool","tool":"pay","args":{"n":1}},"c":{"type":"agent","agent":"c"})",
                       .edges = "a>r r>b b>c",
                       .more = R"({"max_iterations":)" + std::to_string(most) + "}"});
        return world.play_out();
    };
    CHECK(ends(2).starts_with("failed: max_iterations (2) reached at \"b\""));
    CHECK(ends(5).starts_with("failed: max_iterations (5) reached at \"c\""));
    CHECK(ends(6) == "c heard 3");
}

TEST_CASE("case 9: a loop in a map in a workflow runs out of max_iterations: the innermost node is named")
{
    Flowing world({.nodes = R"("w":{"type":"workflow","workflow":"middle"})",
                   .more = R"({"max_iterations":12})",
                   .nested = R"({"middle":{"name":"middle","patterns":[],"entry_point":"m","edges":[],"nodes":{
                       "m":{"type":"map","map":{"over":"[1]","workflow":"inner"}}}},
                       "inner":{"name":"inner","patterns":[],"entry_point":"deep","edges":[],"nodes":{
                       "deep":{"type":"loop","agent":"a","loop":{"max":50,"until":"false"}}}}})"});
    CHECK(world.play_out().starts_with("failed: max_iterations (12) reached at \"w/m/branch:1.0/deep/turn"));
}

TEST_CASE("case 6: a fork at a checkpoint with another key goes another way, without a model call before it")
{
    Flowing world({.nodes = R"("draft":{"type":"agent","agent":"a"},"sort":{"type":"agent","agent":"b"},
                               "legal":{"type":"agent","agent":"c","prompt":"legal"},
                               "tax":{"type":"agent","agent":"c","prompt":"tax {{ state.n }}"},
                               "end":{"type":"tool","tool":"pay","args":{"n":"{{ state.n }}"}})",
                   .edges = "draft>sort legal>end tax>end",
                   .more_edges = R"([{"from":"sort","to":{"legal":"legal","tax":"tax"}}])",
                   .more = R"({"state":{"n":{"schema":{"type":"integer","default":1}}}})"});
    world.model->answer = [](const llm::Request& request) {
        return says(request.agent == "b" ? "legal" : "re: " + request.messages[0]->text);
    };
    const Id id = world.begin_flow();
    CHECK(ending(world.rest(id)) == "paid 1");
    CHECK(world.model->requests.size() == 3);

    ForkTask request{.from = id, .at = ForkPoint{.by = ForkPoint::By::checkpoint, .number = 1}};
    request.state = {{"routing_key", "tax"}, {"n", 7}};
    const ForkReport fork = world.wait(world.commands->fork(kAnn, request));
    CHECK(fork.model_calls == 2);
    CHECK(world.model->requests.size() == 3);
    world.wait(world.host->wake(fork.task));
    CHECK(ending(world.rest(fork.task)) == "paid 7");
    REQUIRE(world.model->requests.size() == 4);
    CHECK(world.model->requests[3].messages[0]->text == "tax 7");
    CHECK(world.wait(world.commands->replay(kAnn, fork.task)).diverged == "");
}
