// Most faults are in tests/e2e/check_faults.py; here is what needs a project of its own.
#include "config/checked.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

TEST_CASE("a server that names no tools may offer any; one that names some offers those")
{
    const std::string open = "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n";
    const std::string closed = open + "tools:\n  - {name: add, server: calc, description: Adds., input_schema: {}}\n";
    CHECK(checked({{"config/mcp_servers.yaml", open},
                   {"agents/a.yaml", agent("a", "tools: [calc.sub, anything]\n")}}) == "");
    CHECK(checked({{"config/mcp_servers.yaml", closed}, {"agents/a.yaml", agent("a", "tools: [calc.sub, ad]\n")}}) ==
          "agents/a.yaml:4:9: tools[0]: \"sub\" is not offered by server \"calc\"\n"
          "agents/a.yaml:4:19: tools[1]: unknown tool \"ad\", did you mean \"add\"?");
    CHECK(checked({{"agents/a.yaml", agent("a", "tools: [shell]\n")}}) == "");
}

TEST_CASE("a file that cannot be read does not make its users look wrong")
{
    const std::string flow = "name: w\npatterns: []\nentry_point: n\nnodes: {n: {type: agent, agent: a}}\nedges: []\n";
    CHECK(checked({{"agents/a.yaml", "name: [\n"}, {"workflows/w.yaml", flow}}) ==
          "agents/a.yaml:1:7: the '[' that begins here is not closed; write ']' where it ends, and a ',' between its "
          "items");
    CHECK(checked({{"agents/a.yaml", agent("a", "rolle: x\n")}, {"workflows/w.yaml", flow}}) ==
          "agents/a.yaml:4:1: rolle: is not a field of agent, did you mean \"role\"?");
    CHECK(checked({{"agents/b.yaml", agent("b")}, {"workflows/w.yaml", flow}}) ==
          "workflows/w.yaml:4:33: nodes.n.agent: unknown agent \"a\"; define it in agents/ or in a team");
}

TEST_CASE("aliases that clash are found, given or made from names")  // AGENT-02 U
{
    CHECK(checked({{"agents/a_b.yaml", agent("a_b")}, {"agents/c.yaml", agent("c", "alias: a-b\n")}}) ==
          "agents/c.yaml:4:8: alias: the alias \"a-b\" is already that of agent \"a_b\" in agents/a_b.yaml; give one "
          "of them "
          "another");
    CHECK(checked(
              {{"agents/a.yaml", agent("a")}, {"agents/a.json", R"({"name":"a","role":"Works.","prompt":"Work."})"}}) ==
          "agents/a.yaml:1:7: name: \"a\" is already the name of the agent at agents/a.json:1:9; rename one of them");
}

TEST_CASE("a reference is a number where one is wanted, and what is wrong with it is said once")
{
    CHECK(checked({{"agents/a.yaml", agent("a", "max_iterations: ${N:-3}\n")}}) == "");
    CHECK(checked({{"agents/a.yaml", agent("a", "max_iterations: ${N}\n")}}) ==
          "agents/a.yaml:4:17: the variable N is not set; set it in the environment or in .env, or write a default: "
          "${N:-…}");
    CHECK(checked({{"agents/a.yaml", agent("a", "max_iterations: ${N}\n")}, {".env", "N=3\n"}}) == "");
    CHECK(checked({{"agents/a.yaml", agent("a", "max_iterations: ${N}\n")}, {".env", "N=x\n"}}) ==
          "agents/a.yaml:4:17: max_iterations: must be a whole number, is text; it comes from the variable N");
    CHECK(checked({{"agents/a.yaml", agent("a", "max_iterations: ${N}\n")}, {".env", "N=\n"}}) ==
          "agents/a.yaml:4:17: max_iterations: must be a whole number, is null; the variable N is set but empty");
}

TEST_CASE("secrets are found by the field's name and by their look, and what only names one is none")
{
    const auto with_llm = [](const std::string& llm) { return agent("a", "llm_config: " + llm + "\n"); };
    for (const char* fine : {"{api_key: '${OPENAI_API_KEY:-none}'}", "{api_key: OPENAI_API_KEY}", "{max_tokens: 100}",
                             "{api_key_env: OPENAI_API_KEY}", "{api_key: <your key>}", "{api_key: your-api-key}",
                             "{api_key: xxxx}", "{retry_policy: {args: [--api-key, '${KEY:-}', --token, --x]}}",
                             "{retry_policy: {args: [--max-tokens, '5', '--password <your secret>']}}",
                             "{retry_policy: {command: 'x --token ${KEY:-} --password'}}"}) {
        CAPTURE(fine);
        CHECK(checked({{"agents/a.yaml", with_llm(fine)}}) == "");
    }
    for (const char* bad :
         {"{api_key: hunter2}", "{base_url: 'https://ann:hunter2@x.example/v1'}",
          "{retry_policy: {note: sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c}}",
          "{api_key: '${K:-sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c}'}",
          "{retry_policy: {note: '${K:-sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c}'}}",
          "{api_key: '${K:-4f9a8b7c6d5e4f3a2b1c}'}", "{retry_policy: {args: [--api-key, hunter2]}}",
          "{retry_policy: {args: [-x, --password, hunter2]}}", "{retry_policy: {args: ['--token hunter2']}}",
          "{api_key: 'Bearer hunter2'}", "{retry_policy: {command: 'x --token  hunter2'}}"}) {
        CAPTURE(bad);
        CHECK(checked({{"agents/a.yaml", with_llm(bad)}}).find("a secret stands here in plain sight") !=
              std::string::npos);
        CHECK(checked({{"agents/a.yaml", with_llm(bad)}}).find("hunter2") == std::string::npos);
    }
}

TEST_CASE("servers in the wrong file are told about once, and not by those who use them")
{
    CHECK(checked({{"agents/a.yaml", agent("a", "tools: [calc.add]\nmcpServers: {calc: {command: calc}}\n")}}) ==
          "agents/a.yaml:5:1: mcpServers: is not a field of agent; put it into config/mcp_servers.yaml");
}

TEST_CASE("a tool's schema must be one")
{
    const auto servers = [](const std::string& schema) {
        return "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n"
               "tools:\n  - {name: add, server: calc, description: Adds., input_schema: " +
               schema + "}\n";
    };
    CHECK(checked({{"config/mcp_servers.yaml", servers("{type: object, properties: {a: {type: number}}}")}}) == "");
    CHECK(checked({{"config/mcp_servers.yaml", servers("{type: objekt}")}})
              .starts_with("config/mcp_servers.yaml:4:65: tools[0].input_schema: is not a JSON Schema: "));
    CHECK(checked({{"team.yaml", "name: t\ndescription: d\ndefault_llm: {}\nagents: [{name: a, role: r, prompt: p}]\n"
                                 "tools: [{name: x, type: builtin, output_schema: {minimum: low}}]\n"}})
              .find("tools[0].output_schema: is not a JSON Schema: ") != std::string::npos);
}

TEST_CASE("a workflow with a wrong field still says all that is wrong with its ways, once")
{
    CHECK(checked({{"agents/a.yaml", agent("a")},
                   {"workflows/w.yaml", "name: w\npatterns: []\nentry_point: n\nmax_iterations: 0\n"
                                        "nodes:\n  n: {type: agent, agent: aa}\n  m: {type: robot}\n"
                                        "edges:\n  - {from: n, to: x}\n  - {to: m}\n"}}) ==
          "workflows/w.yaml:4:17: max_iterations: must be at least 1, is 0\n"
          "workflows/w.yaml:6:27: nodes.n.agent: unknown agent \"aa\"; define it in agents/ or in a team\n"
          "workflows/w.yaml:7:13: nodes.m.type: \"robot\" is none of agent, tool, condition, human\n"
          "workflows/w.yaml:9:19: edges[0].to: \"x\" is not a node of this workflow\n"
          "workflows/w.yaml:10:5: edges[1].from: is required");
    CHECK(checked({{"workflows/w.yaml", "name: w\npatterns: []\nentry_point: n\nnode: {n: {type: human}}\n"
                                        "edges: [{from: n, to: x}]\n"}}) ==
          "workflows/w.yaml:4:1: node: is not a field of workflow, did you mean \"nodes\"?");
}

TEST_CASE("one server in two files of a project is said once, with both files, and not as a clash of its tools")
{
    const std::string servers = "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n"
                                "tools:\n  - {name: add, server: calc, description: Adds., input_schema: {}}\n";
    CHECK(checked({{"config/mcp_servers.yaml", servers}, {"mcp_servers.yaml", servers}}) ==
          "config/mcp_servers.yaml:2:12: servers[0].name: \"calc\" is already the name of the server at "
          "mcp_servers.yaml:2:12; rename one of them");
}

TEST_CASE("$schema at the top is for editors")
{
    CHECK(checked({{"agents/a.json", R"({"$schema": "../x.json", "name": "a", "role": "Works.", "prompt": 7})"}}) ==
          "agents/a.json:1:67: prompt: must be text, is a number");
}

TEST_CASE("one file with a thousand faults hides no other, and what is left out is counted")
{
    std::string many;
    for (int i = 0; i < 1200; ++i) many += "same: 1\n";
    const ProjectFiles files{{"teams/aaa.yaml", many}, {"agents/z.yaml", agent("z", "bogus: 1\n")}};
    CHECK(checked(files, {"agents/z.yaml"}) == "agents/z.yaml:4:1: bogus: is not a field of agent");
    CHECK(checked(files, {"teams/aaa.yaml"}).find("\nand 1004 more") != std::string::npos);
}
