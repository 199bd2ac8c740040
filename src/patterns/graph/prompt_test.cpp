// Prompts that are templates, in workflows.
#include "patterns/graph/test_workflow.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

TEST_CASE("a prompt's template sees the state of its node, and so does the critic's")
{
    Flowing world(
        {.nodes = R"("draft":{"type":"agent","agent":"a","output":"text"},"end":{"type":"agent","agent":"b"})",
         .edges = "draft>end",
         .more = R"({"state":{"text":{"schema":{"type":"string"}},"n":{"schema":{"type":"integer"}}},
                               "patterns":["react","reflection"],"reflection":{"agent":"c","loop":{"max":1}}})"});
    for (const std::size_t at : {std::size_t{2}, std::size_t{3}}) {
        world.team->agents.at(at).prompt.reset();
        world.team->agents[at].prompt_template = "p.j2";
    }
    world.team->templates["p.j2"] = "{{ agent.name }}: {{ state.text|default('nothing', true) }}, {{ state.n + 1 }}";
    world.model->answer = [](const llm::Request& request) {
        return says(request.agent == "c" ? "approve" : "by " + request.agent);
    };
    const Id id = world.begin_flow({{"n", 2}});
    CHECK(world.rest(id).status == model::TaskStatus::completed);
    std::vector<std::string> told;
    for (const llm::Request& request : world.model->requests) told.push_back(request.instructions);
    CHECK(told == std::vector<std::string>{"You work.", "c: nothing, 3", "b: by a, 3", "c: by a, 3"});
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}
