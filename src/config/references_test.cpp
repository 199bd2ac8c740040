// References between files: everything in one go, and one mistake is one message.
#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre::config;

namespace {

std::string flow(const std::string& agents, const std::string& name = "w")
{
    return "name: " + name + "\npatterns: []\nentry_point: n\nnodes:\n  n: {type: agent, agent: " + agents +
           "}\nedges: []\n";
}

std::string team(const std::string& agents, const std::string& more = "")
{
    return "name: t\ndescription: d\ndefault_llm: {}\nagents:\n" + agents + "tools: []\n" + more;
}

const std::string kServers = "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n"
                             "tools:\n  - {name: add, server: calc, description: Adds., input_schema: {}}\n";

}  // namespace

TEST_CASE("a file that cannot be read opens only the names that it may define")
{
    const ProjectFiles sound{{"agents/a.yaml", agent("a", "tools: [ad]\n")},
                             {"config/mcp_servers.yaml", kServers},
                             {"config/domains.yaml", "domains: []\n"},
                             {"cadre.yaml", "team: nobody\n"},
                             {"teams/t.yaml", team("  - {name: x, role: r, prompt: p}\n")},
                             {"workflows/w.yaml", flow("b")}};
    const std::string tool = "tools[0]: unknown tool \"ad\"", agent_name = "unknown agent \"b\"",
                      team_name = "unknown team \"nobody\"";
    struct {
        const char* broken;
        std::vector<std::string> still, no_more;
    } const cases[] = {
        {"", {tool, agent_name, team_name}, {}},
        {"agents/broken.yaml", {tool, agent_name, team_name}, {}},
        {"teams/broken.yaml", {}, {tool, agent_name, team_name}},
        {"config/mcp_servers.yaml", {agent_name, team_name}, {tool}},
        {"config/domains.yaml", {tool, agent_name, team_name}, {}},
        {"workflows/broken.yaml", {tool, agent_name, team_name}, {}},
        {"config/channels.yaml", {tool, agent_name, team_name}, {}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.broken);
        ProjectFiles files = sound;
        if (*c.broken) files[c.broken] = "name: [\n";
        const std::string said = checked(files);
        CAPTURE(said);
        for (const auto& text : c.still) CHECK(said.find(text) != said.npos);
        for (const auto& text : c.no_more) CHECK(said.find(text) == said.npos);
    }
}

TEST_CASE("a badly written name is known as it is written, and hides no other unknown name")
{
    const ProjectFiles files{{"teams/t.yaml", team("  - {name: FrontDesk, role: r, prompt: p}\n")},
                             {"workflows/a.yaml", flow("FrontDesk", "a")},
                             {"workflows/b.yaml", flow("front_desk", "b")},
                             {"workflows/c.yaml", flow("nobody", "c")}};
    CHECK(checked(files) ==
          "teams/t.yaml:5:12: agents[0].name: \"FrontDesk\" is not a name like agent_1 (lower-case letters, digits and "
          "_, a letter first)\n"
          "workflows/c.yaml:5:27: nodes.n.agent: unknown agent \"nobody\"; define it in agents/ or in a team");
}

TEST_CASE("one mistyped name of a field is one message, whatever depends on the field")
{
    CHECK(checked({{"agents/a.yaml", "nam: a\nrole: r\nprompt: p\n"}, {"workflows/w.yaml", flow("a")}}) ==
          "agents/a.yaml:1:1: nam: is not a field of agent, did you mean \"name\"?");
    const std::string handoff = "handoff_rules: [{from_agent: x, to_agent: y}]\n";
    CHECK(checked(
              {{"teams/t.yaml", team("  - {nam: x, role: r, prompt: p}\n  - {name: y, role: r, prompt: p}\n", handoff)},
               {"workflows/w.yaml", flow("x")}}) ==
          "teams/t.yaml:5:6: agents[0].nam: is not a field of agent, did you mean \"name\"?");
    CHECK(
        checked({{"teams/t.yaml", "name: t\ndescription: d\ndefault_llm: {}\nagent:\n"
                                  "  - {name: x, role: r, prompt: p}\n  - {name: y, role: r, prompt: p}\ntools: []\n" +
                                      handoff},
                 {"workflows/w.yaml", flow("x")}}) ==
        "teams/t.yaml:4:1: agent: is not a field of team, did you mean \"agents\"?");
    CHECK(checked({{"config/domains.yaml", "domain:\n  - {name: d, display_name: D, description: x}\n"}}) ==
          "config/domains.yaml:1:1: domain: is not a field of domains, did you mean \"domains\"?");
}

TEST_CASE("an agent in the names of document 000 with a mistyped one is told of that one only")
{
    const std::string rest =
        R"("role": "r", "tools": [], "llm_config": {"endpoint": "https://x.example", "model": "m"}})";
    CHECK(checked({{"agents/a.json", R"({"name": "a", "systm_prompt": "p", )" + rest}}) ==
          "agents/a.json:1:15: systm_prompt: is not a field of framework_agent, did you mean \"system_prompt\"?");
    CHECK(checked({{"agents/a.json", R"({"nmae": "a", "system_prompt": "p", )" + rest}}) ==
          "agents/a.json:1:2: nmae: is not a field of framework_agent, did you mean \"name\"?");
    CHECK(checked({{"agents/a.yaml", "name: a\nrole: r\npromt: p\n"}}) ==
          "agents/a.yaml:3:1: promt: is not a field of agent, did you mean \"prompt\"?");
}

TEST_CASE("a thing with one fault is checked for all others too, and no place is told of twice")
{
    CHECK(checked({{"agents/a.yaml", agent("a", "bogus: 1\nmax_iterations: 0\ntools: [ad, 5]\nalias: b\n")},
                   {"agents/b.yaml", agent("b", "prompt_template: 7\n")},
                   {"config/mcp_servers.yaml", kServers}}) ==
          "agents/a.yaml:4:1: bogus: is not a field of agent; remove it\n"
          "agents/a.yaml:5:17: max_iterations: must be at least 1, is 0\n"
          "agents/a.yaml:6:9: tools[0]: unknown tool \"ad\", did you mean \"add\"?\n"
          "agents/a.yaml:6:13: tools[1]: must be text, is a number\n"
          "agents/b.yaml:1:7: name: the alias \"b\" is already that of agent \"a\" in agents/a.yaml; give one of them "
          "another\n"
          "agents/b.yaml:4:18: prompt_template: must be text, is a number");
    CHECK(
        checked({{"teams/t.yaml",
                  "name: t\ndescription: 1\ndefault_llm: {}\n"
                  "agents: [{name: x, role: r, prompt_template: /etc/hostname}]\n"
                  "tools: [{name: y, type: mcp, server: cal}, {name: z, type: custom, path: ../../z.py, server: 5}]\n"},
                 {"config/mcp_servers.yaml", kServers}}) ==
        "teams/t.yaml:2:14: description: must be text, is a number\n"
        "teams/t.yaml:4:46: agents[0].prompt_template: the template \"/etc/hostname\" is an absolute path, and a "
        "project "
        "names only files inside of it; copy the file into the project and write its path from there\n"
        "teams/t.yaml:5:38: tools[0].server: unknown server \"cal\", did you mean \"calc\"?\n"
        "teams/t.yaml:5:74: tools[1].path: the program \"../../z.py\" leads out of the project, and a project names "
        "only "
        "files inside of it; copy the file into the project and write its path from there\n"
        "teams/t.yaml:5:94: tools[1].server: must be text, is a number");
    CHECK(
        checked({{"config/mcp_servers.yaml", "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n"
                                             "tools:\n  - {name: add, description: Adds., input_schema: {}}\n"
                                             "  - {nam: sub, server: calc, description: Subtracts., input_schema: {}}\n"
                                             "  - {name: mul, server: cal, description: 5, input_schema: {}}\n"}}) ==
        "config/mcp_servers.yaml:4:5: tools[0].server: is required\n"
        "config/mcp_servers.yaml:5:6: tools[1].nam: is not a field of framework_tool, did you mean \"name\"?\n"
        "config/mcp_servers.yaml:6:25: tools[2].server: unknown server \"cal\", did you mean \"calc\"?\n"
        "config/mcp_servers.yaml:6:43: tools[2].description: must be text, is a number");
}

TEST_CASE("every knot of a workflow is printed, each with the edge that closes it")  // FLOW-18 U
{
    const std::string nodes = "name: w\npatterns: []\nentry_point: a\nnodes: {a: {type: human}, b: {type: human}, "
                              "c: {type: human}, d: {type: human}}\nedges:\n";
    const std::string fix = "; a workflow has no way back: remove this edge, or let a pattern like reflection repeat "
                            "inside a node";
    CHECK(
        checked({{"workflows/w.yaml", nodes + "  - {from: a, to: b}\n  - {from: b, to: a}\n  - {from: b, to: c}\n"
                                              "  - {from: c, to: d}\n  - {from: d, to: c}\n  - {from: d, to: d}\n"}}) ==
        "workflows/w.yaml:7:5: cycle: a → b → a" + fix + "\nworkflows/w.yaml:10:5: cycle: c → d → c" + fix);
    const std::string closed = nodes + "  - {from: a, to: b}\n  - {from: b, to: c}\n";
    CHECK(checked({{"workflows/w.yaml", closed + "  - {from: c, to: d}\n"}}) == "");
}

TEST_CASE("of many cycles the first are printed, and of a long one its two ends")
{
    std::string nodes = "name: w\npatterns: []\nentry_point: n0\nnodes:\n", knots = "edges:\n", ring = "edges:\n";
    for (int i = 0; i < 500; ++i) {
        const std::string node = "n" + std::to_string(i), next = "n" + std::to_string((i + 1) % 500);
        nodes += "  " + node + ": {type: human}\n";
        knots += "  - {from: " + node + ", to: " + node + "}\n";
        ring += "  - {from: " + node + ", to: " + next + "}\n";
    }
    const std::string said = checked({{"workflows/w.yaml", nodes + knots}});
    CHECK(std::ranges::count(said, '\n') + 1 == 20);
    CHECK(
        checked({{"workflows/w.yaml", nodes + ring}})
            .starts_with("workflows/w.yaml:1005:5: cycle: n0 → n1 → n2 → n3 → n4 → n5 → n6 → n7 → (485 more) → n493 → "
                         "n494 → n495 → n496 → n497 → n498 → n499 → n0; a workflow has no way back"));
}

TEST_CASE("names with dots and brackets are told of where they stand")
{
    CHECK(checked({{"agents/a.yaml", agent("a", "llm_config:\n  fallback: []\nllm_config.fallback: 1\n")}}) ==
          "agents/a.yaml:6:1: llm_config.fallback: is not a field of agent; remove it");
    CHECK(checked({{"workflows/w.yaml", "name: w\npatterns: []\nentry_point: a\nnodes:\n  a: {type: agent, agent: x}\n"
                                        "  a.agent: {type: agent, agent: y}\nedges: [{from: a, to: a.agent}]\n"}}) ==
          "workflows/w.yaml:5:27: nodes.a.agent: unknown agent \"x\"; define it in agents/ or in a team\n"
          "workflows/w.yaml:6:33: nodes.a.agent.agent: unknown agent \"y\"; define it in agents/ or in a team");
}

TEST_CASE("a block of servers under a mistyped name is read, and the name corrected")
{
    const std::string servers = R"({"calc": {"command": "calc"}})";
    for (const char* name : {"mcp_servers", "mcpserver", "mcpservers", "MCPServers", "mcp-servers", "mcpServer"}) {
        CAPTURE(name);
        const std::string text = std::string("{\"") + name + "\": " + servers + "}";
        const std::string says =
            std::string(":1:2: ") + name + ": is not a field of mcp_servers, did you mean \"mcpServers\"?";
        const ProjectFiles agents{{"agents/a.yaml", agent("a", "tools: [calc.add]\n")}};
        for (const char* file : {"mcp.json", "config/mcp_servers.json"}) {
            ProjectFiles files = agents;
            files[file] = text;
            CHECK(checked(files) == file + says);
        }
        CHECK(checked({{"pasted.json", text}}, {"pasted.json"}) == "pasted.json" + says);
    }
    CHECK(
        checked({{"config/mcp_servers.yaml", "server:\n  - {name: calc, transport: stdio, config: {command: c}}\n"}}) ==
        "config/mcp_servers.yaml:1:1: server: is not a field of mcp_servers, did you mean \"servers\"?");
    CHECK(checked({{"config/mcp_servers.yaml", "server: {command: calc}\n"}}) == "");  // one that is called so
}

TEST_CASE("built-in tools need no definition")
{
    for (const char* name : {"calculator", "clock", "read_file", "write_file", "list_files", "ask_human", "shell",
                             "python", "fetch", "remember", "recall"}) {
        CAPTURE(name);
        CHECK(checked({{"agents/a.yaml", agent("a", std::string("tools: [") + name + "]\n")}}) == "");
    }
    CHECK(checked({{"agents/a.yaml", agent("a", "tools: [calculater]\n")}}) ==
          "agents/a.yaml:4:9: tools[0]: unknown tool \"calculater\", did you mean \"calculator\"?");
}
