// Team nodes: a collaboration pattern as one node of a workflow.
#include "patterns/graph/test_workflow.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

namespace {

using Texts = std::vector<std::string>;

model::CollaborationPattern pattern_from(std::string_view text)
{
    return model::from_text<model::CollaborationPattern>(text);
}

constexpr std::string_view kStudy = R"({"name":"study","type":"parallel","agents":["a","b"]})";
constexpr std::string_view kVote = R"({"name":"vote","type":"consensus","agents":["a","b"],"coordination_agent":"c"})";
constexpr std::string_view kLed = R"({"name":"led","type":"hierarchical","agents":["a","b"],"coordination_agent":"c"})";

void add_patterns_to(Stage& stage)
{
    prepare(stage);
    for (const std::string_view text : {kStudy, kVote, kLed})
        stage.team->collaboration_patterns.push_back(pattern_from(text));
}

struct Together : Flowing {
    explicit Together(const Sketch& sketch) : Flowing(sketch) { add_patterns_to(*this); }
};

}  // namespace

TEST_CASE("a team node: its agents hear the task and who came before, and its answer is that of all")
{
    Together world({.nodes = R"("first":{"type":"agent","agent":"c"},"all":{"type":"team","pattern":"study"},
                                "last":{"type":"agent","agent":"worker"})",
                    .edges = "first>all all>last"});
    CHECK(world.play_out() == "worker heard 3");
    REQUIRE(world.model->requests.size() == 4);
    CHECK(Flowing::heard(world.model->requests[1]) == Texts{"Go.", "[c] c heard 1"});
    CHECK(Flowing::heard(world.model->requests[3]) ==
          Texts{"Go.", "[first] c heard 1", "[all] [a] a heard 2\n\n[b] b heard 2"});
}

TEST_CASE("a team node: prompt, context, output and set are those of any node")
{
    Together world(
        {.nodes = R"("first":{"type":"agent","agent":"c"},
                                "all":{"type":"team","pattern":"study","prompt":"Study {{ last }}.","context":"none",
                                       "output":"found","set":{"size":"answer | length"}},
                                "last":{"type":"agent","agent":"worker","prompt":"{{ state.size }}","context":"none"})",
         .edges = "first>all all>last",
         .more = R"({"state":{"found":{"schema":{"type":"string"}},"size":{"schema":{"type":"integer"}}}})"});
    CHECK(world.play_out() == "worker heard 1");
    CHECK(Flowing::heard(world.model->requests[1]) == Texts{"Study c heard 1."});
    CHECK(Flowing::heard(world.model->requests[3]) == Texts{"28"});
}

TEST_CASE("a team node: a vote that finds no decision fails as any node does")
{
    const Sketch sketch{.nodes = R"("all":{"type":"team","pattern":"vote"},"sorry":{"type":"agent","agent":"worker"})",
                        .more_edges = R"([{"from":"all","to":"sorry","on":"error"}])"};
    Together world(sketch);
    world.model->answer = [](const llm::Request& request) {
        if (request.agent == "c") return says(R"({"decision":"Yes.","reasoning":"Why not."})");
        if (request.agent == "worker") return says("Sorry.");
        return says(R"({"vote":"reject","reasoning":"No."})");
    };
    CHECK(world.play_out() == "Sorry.");
}

TEST_CASE("a team node: a coordinator delegates to tasks of their own")
{
    Together world({.nodes = R"("all":{"type":"team","pattern":"led"})"});
    world.model->answer = [](const llm::Request& request) {
        if (request.agent != "c") return says("Done.");
        if (request.messages.back()->role == model::Role::tool) return says("All " + request.messages.back()->text);
        llm::Completion step = says("");
        step.calls = {{.id = "d1", .tool_name = "delegate", .args = {{"to", "a"}, {"task", "Do it."}}}};
        return step;
    };
    CHECK(world.play_out() == "All Done.");
}

TEST_CASE("a team node that names no pattern of the team says so")
{
    Together world({.nodes = R"("t":{"type":"team","pattern":"council"})"});
    CHECK(world.play_out() == "failed: node 't': the team team has no collaboration pattern called \"council\"");
}

TEST_CASE("a team node that died after any record comes to the same end")
{
    const auto setup = workflow({.nodes = R"("first":{"type":"agent","agent":"c"},
                                             "all":{"type":"team","pattern":"study","retry":{"max":2,"delay":1}},
                                             "pays":{"type":"tool","tool":"pay","args":{"n":3}},
                                             "last":{"type":"agent","agent":"worker"})",
                                 .edges = "first>all first>pays all>last pays>last"});
    check_cuts(pattern_of(setup), "worker heard 4", true, add_patterns_to);
}
