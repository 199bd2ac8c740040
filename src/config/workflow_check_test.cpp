#include "config/project_fixture.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace cadre::config;

namespace {

const std::string kHead =
    "name: w\npatterns: [react]\nentry_point: a\nstate: {topic: {schema: {type: string}}}\nnodes:\n";

/// What is said of a workflow with this first node (on line 6) and these edges.
std::string said(const std::string& node, const std::string& edges = "[]")
{
    return checked({{"agents/x.yaml", agent("x")},
                    {"workflows/w.yaml", kHead + "  a: " + node + "\n  b: {type: human}\nedges: " + edges + "\n"}});
}

}  // namespace

TEST_CASE(
    "templates and expressions of a workflow are read when it is loaded, and told of at their place")  // FLOW-17 U
{
    const std::string on = "[{from: a, to: b}]", lost = "";
    struct {
        const char* name;
        std::string node, edges;
        const char* says;
    } const cases[] = {
        {"fine", "{type: agent, agent: x, prompt: 'On {{ state.topic }} by {{ agent.name }}'}", on, ""},
        {"unknown filter", "{type: agent, agent: x, prompt: 'On {{ state.topic | uper }}'}", on,
         "6:59: nodes.a.prompt: unknown filter \"uper\", did you mean \"upper\"?"},
        {"block of lines", "\n    type: agent\n    agent: x\n    prompt: |\n      Write.\n      {{ state.topc }}", on,
         "11:16: nodes.a.prompt: \"topc\" is not a field of this workflow's state, did you mean \"topic\"?"},
        {"unknown name", "{type: agent, agent: x, set: {topic: anser}}", on,
         "6:43: nodes.a.set.topic: \"anser\" is not a name that is known here, did you mean \"answer\"?"},
        {"condition", "{type: agent, agent: x}", "[{from: a, to: b, condition: 'state.topic =='}]",
         "8:52: edges[0].condition: a value is expected here, not the end"},
        {"own name of an item", "{type: map, agent: x, prompt: 'Clean {{ row }}', map: {over: 'state.topic', as: row}}",
         on, ""},
        {"name of no item", "{type: map, agent: x, prompt: 'Clean {{ row }}', map: {over: 'state.topic'}}", on,
         "6:46: nodes.a.prompt: \"row\" is not a name that is known here; these are: task, state, agent, team, last, "
         "answers, "
         "errors, item, loop"},
        {"what the node itself will say", "{type: agent, agent: x, prompt: 'Shorter than {{ answer }}'}", on,
         "6:55: nodes.a.prompt: \"answer\" is not a name that is known here, did you mean \"answers\"?"},
        {"arguments", "{type: tool, tool: calculator, args: {expression: ['{{ state.x }}']}}", on,
         "6:67: nodes.a.args.expression[0]: \"x\" is not a field of this workflow's state; declare it under state; "
         "there are: "
         "next_action, current_agent, routing_key, metadata, topic"},
        {"until", "{type: loop, agent: x, loop: {max: 2, until: 'state.'}}", on,
         "6:58: nodes.a.loop.until: a name or a number is expected here, not the end"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(said(c.node, c.edges) == (*c.says ? fmt::format("workflows/w.yaml:{}", c.says) : ""));
    }
}

TEST_CASE("what a variable gave to an expression is not told")
{
    const std::string text =
        Project({{"agents/x.yaml", agent("x")},
                 {"workflows/w.yaml", kHead + "  a: {type: agent, agent: x, set: {topic: '${HUSH}'}}\nedges: []\n"}})
            .checked({}, "", {{"HUSH", "secret_word"}});
    CHECK(text.find("secret_word") == text.npos);
    CHECK(text.find("nodes.a.set.topic") != text.npos);
}

TEST_CASE("workflows that run each other in a circle are refused, and the whole way is told")
{
    const auto flow = [](const std::string& name, const std::string& node) {
        return "name: " + name + "\npatterns: []\nentry_point: n\nnodes:\n  n: " + node + "\nedges: []\n";
    };
    CHECK(checked({{"workflows/a.yaml", flow("a", "{type: workflow, workflow: b}")},
                   {"workflows/b.yaml", flow("b", "{type: loop, loop: {max: 2, workflow: c}}")},
                   {"workflows/c.yaml", flow("c", "{type: map, map: {over: '[1]', workflow: a}}")}}) ==
          "workflows/c.yaml:5:47: nodes.n.map.workflow: cycle: a → b → c → a; a workflow must not run itself, not by "
          "way of "
          "others either: remove one of these nodes");
    CHECK(checked({{"workflows/a.yaml", flow("a", "{type: workflow, workflow: nowhere}")}}) ==
          "workflows/a.yaml:5:33: nodes.n.workflow: unknown workflow \"nowhere\"; define it in workflows/");
}

TEST_CASE("the critic of a reflection is an agent that there is")
{
    CHECK(
        checked({{"agents/x.yaml", agent("x")},
                 {"workflows/w.yaml", "name: w\npatterns: [react, reflection]\nentry_point: a\nreflection: {agent: y}\n"
                                      "nodes: {a: {type: agent, agent: x}}\nedges: []\n"}}) ==
        "workflows/w.yaml:4:21: reflection.agent: unknown agent \"y\"; define it in agents/ or in a team");
}
