#include "model/condition.hpp"

#include "base/json.hpp"
#include "model/agent.hpp"
#include "model/graph.hpp"
#include "model/plan.hpp"
#include "model/team.hpp"
#include "support/entity.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

struct Lamp {
    bool on = false;
    std::optional<std::string> colour{};
    std::vector<std::string> rooms{};
    json::value extra{};
};
const Entity& describe(const Lamp*)
{
    static const Entity entity{
        .name = "lamp",
        .doc = "Shines.",
        .fields = {field("on", &Lamp::on, "Whether."), field("colour", &Lamp::colour, "Which."),
                   field("rooms", &Lamp::rooms, "Where."), field("extra", &Lamp::extra, "What else.")},
        .demands = {{.when = {is("on", {"true"})}, .then = given("colour"), .says = "is required while it is on"},
                    {.when = {given("colour"), !given("extra")}, .then = filled("rooms"), .says = "must name one"}}};
    return entity;
}

}  // namespace

TEST_CASE("a demand is made when all its conditions hold")
{
    struct {
        const char *lamp, *says;
    } const cases[] = {
        {"{}", ""},
        {R"({"on":true})", "colour: is required while it is on"},
        {R"({"on":true,"colour":"red"})", "rooms: must name one"},
        {R"({"on":true,"colour":"red","rooms":["hall"]})", ""},
        {R"({"colour":"red","extra":0})", ""},
        {R"({"on":true,"colour":"","extra":null})", "rooms: must name one"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.lamp);
        CHECK(read_back(description_of<Lamp>(), parse_json(c.lamp)).problems == c.says);
    }
}

TEST_CASE("a wrong field does not keep rules between other fields from being looked at")
{
    struct {
        const char *agent, *says;
    } const cases[] = {
        {R"({"name":"a","role":5,"prompt":"p","prompt_template":"t"})",
         "role: must be text, is a number\nprompt: cannot stand beside prompt_template; give one of the two"},
        {R"({"name":"a","role":5})",
         "role: must be text, is a number\nprompt_template: is required; or give the text itself as prompt"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.agent);
        CHECK(read_back(description_of<Agent>(), parse_json(c.agent)).problems == c.says);
    }
}

TEST_CASE("a wrong field has no consequences: rules that need it are not looked at")
{
    struct {
        const char *agent, *says;
    } const cases[] = {
        {R"({"name":"a","role":"r","prompt":5})", "prompt: must be text, is a number"},
        {R"({"name":"a","role":"r","prompt":5,"prompt_template":"t"})", "prompt: must be text, is a number"},
        {R"({"name":"a","role":"r","prompt_templat":"t"})",
         "prompt_templat: is not a field of agent, did you mean \"prompt_template\"?"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.agent);
        CHECK(read_back(description_of<Agent>(), parse_json(c.agent)).problems == c.says);
    }
    CHECK(
        read_back(description_of<NodeDef>(), parse_json(R"({"type":"agnt"})")).problems ==
        "type: \"agnt\" is none of agent, tool, condition, human, loop, map, workflow, team, did you mean \"agent\"?");
    CHECK(problems_with<HandoffRule>("from_agent", "5") == "from_agent: must be text, is a number");
}

TEST_CASE("a team is looked at as a whole even when a field is wrong, and one mistake is one message")
{
    const auto problems = [](std::string_view agents, std::string_view rest) {
        std::string text =
            R"({"name":"t","description":"","default_llm":{},"tools":[{"name":"saw","type":"builtin"}],"agents":)";
        return read_back(description_of<Team>(), parse_json(text.append(agents).append(rest).append("}"))).problems;
    };
    const std::string ann = R"({"name":"ann","role":"r","prompt":"p","tools":["saw"]})";
    const std::string handoff = R"(,"handoff_rules":[{"from_agent":"ann","to_agent":"bob"}])";
    // beside the wrong field
    CHECK(
        problems(R"([{"name":"ann","role":"r","prompt":"p","tools":["swa"],"timeout":0}])", "") ==
        "agents[0].timeout: must be at least 1, is 0\nagents[0].tools[0]: unknown tool \"swa\", did you mean \"saw\"?");
    // whoever is meant may be the one whose name is wrong, missing, mistyped or given twice
    for (const std::string bob : {R"({"name":"Bob!","role":"r","prompt":"p"})", R"({"role":"r","prompt":"p"})", "7",
                                  R"({"name":"ann","role":"r","prompt":"p"})"}) {
        CAPTURE(bob);
        CHECK(problems("[" + ann + "," + bob + "]", handoff).find("unknown") == std::string::npos);
    }
    CHECK(problems("[" + ann + "]", handoff) ==
          "handoff_rules[0].to_agent: unknown agent \"bob\"; define it under agents of this team, or name one of them");
    CHECK(problems("5", handoff) == "agents: must be a list, is a number");
    CHECK(problems("[]", handoff) == "agents: a team needs at least one agent");
    // a reference that could not be read is nobody's name; two names that are missing are not one
    CHECK(problems("[" + ann + "]", R"(,"handoff_rules":[{"from_agent":5,"to_agent":"ann"}])") ==
          "handoff_rules[0].from_agent: must be text, is a number");
    CHECK(problems(R"([{"role":"r","prompt":"p"},{"role":"r","prompt":"p"}])", "") ==
          "agents[0].name: is required\nagents[1].name: is required");
}

TEST_CASE("a workflow and a plan are looked at as a whole too")
{
    CHECK(problems_with<Graph>("max_iterations", "0") == "max_iterations: must be at least 1, is 0");
    const char* graph =
        R"({"name":5,"patterns":[],"nodes":{"a":{"type":"agnt"}},"edges":[{"from":"a","to":"b"},{"from":"a"}],
        "entry_point":"c"})";
    CHECK(read_back(description_of<Graph>(), parse_json(graph)).problems ==
          "name: must be text, is a number\n"
          "nodes.a.type: \"agnt\" is none of agent, tool, condition, human, loop, map, workflow, team, did you mean "
          "\"agent\"?\n"
          "edges[1].to: is required\n"
          "entry_point: \"c\" is not a node of this workflow; define it under nodes, or name one of them\n"
          "edges[0].to: \"b\" is not a node of this workflow; define it under nodes, or name one of them");
    CHECK(problems_with<Graph>("nodes", "[]") == "nodes: must be an object, is a list");
    CHECK(problems_with<Plan>("tasks", R"([{"id":"a","agent":1,"action":"y","depends_on":["b"]},
                                           {"id":"a","agent":"x","action":"y"}])") ==
          "tasks[0].agent: must be text, is a number\ntasks[1].id: \"a\" is here twice; rename one of them");
}
