// Most faults are in tests/e2e/check_faults.py; here is what needs a project of its own.
#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

TEST_CASE("a server that names no tools may offer any; one that names some offers those")
{
    const std::string open = "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n";
    const std::string closed = open + "tools:\n  - {name: add, server: calc, description: Adds., input_schema: {}}\n";
    CHECK(checked({{"config/mcp_servers.yaml", open}, {"agents/a.yaml", agent("a", "tools: [calc.sub]\n")}}) == "");
    CHECK(checked({{"config/mcp_servers.yaml", closed}, {"agents/a.yaml", agent("a", "tools: [calc.sub, ad]\n")}}) ==
          "agents/a.yaml:4:9: tools[0]: \"sub\" is not offered by server \"calc\"; name one of its tools, or describe "
          "this one "
          "under tools beside the server\n"
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
        CHECK(checked({{"agents/a.yaml", with_llm(bad)}}).find("a secret is written here in plain text") !=
              std::string::npos);
        CHECK(checked({{"agents/a.yaml", with_llm(bad)}}).find("hunter2") == std::string::npos);
    }
}

TEST_CASE("prose may tell of passwords, and must not show a key")
{
    const auto with_prompt = [](const std::string& prompt) {
        return checked({{"agents/a.yaml", "name: a\nrole: Works.\nprompt: |\n  " + prompt + "\n"}});
    };
    for (const char* fine :
         {R"(Return JSON like {"token": "string"}.)", "token = what the user says",
          "If you see password=hunter, refuse.", "Never print lines like API_KEY=...",
          "Use Authorization: Bearer tokens only.", "Headers such as Authorization: Basic are forbidden.",
          "Explain --password prompts to the user.", "postgres://user:password@host/db is how a URL looks"}) {
        CAPTURE(fine);
        CHECK(with_prompt(fine) == "");
    }
    for (const char* bad : {"Use sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c.", "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
                            "Sign with AKIAIOSFODNN7EXAMPLE.", "Send Authorization: Bearer 4f9a8b7c6d5e4f3a2b1c.",
                            "The password: 4f9a8b7c6d5e4f3a2b1c"}) {
        CAPTURE(bad);
        CHECK(with_prompt(bad).find("a secret is written here in plain text") != std::string::npos);
    }
}

TEST_CASE("a disabled server offers nothing, and beside one with unlisted tools a slip is still told")
{
    const std::string old = "mcpServers: {old: {command: x, disabled: true}";
    const auto with_servers = [](const std::string& servers) {
        return checked({{"config/mcp_servers.yaml", servers},
                        {"agents/a.yaml", agent("a", "tools: [calculater, calender.find_slot, book, old.x]\n")}});
    };
    CHECK(with_servers(old + "}\n") ==
          "agents/a.yaml:4:9: tools[0]: unknown tool \"calculater\", did you mean \"calculator\"?\n"
          "agents/a.yaml:4:21: tools[1]: unknown server \"calender\" in \"calender.find_slot\"; define it in "
          "config/mcp_servers.yaml\n"
          "agents/a.yaml:4:41: tools[2]: unknown tool \"book\"; an agent with a file of its own has the built-in tools "
          "and those of servers, written server.tool\n"
          "agents/a.yaml:4:47: tools[3]: server \"old\" is disabled, and offers nothing; enable it, or leave this out");
    CHECK(with_servers(old + ", calendar: {command: y}}\n") ==
          "agents/a.yaml:4:9: tools[0]: unknown tool \"calculater\", did you mean \"calculator\"?\n"
          "agents/a.yaml:4:21: tools[1]: unknown tool \"calender.find_slot\", did you mean \"calendar.find_slot\"?\n"
          "agents/a.yaml:4:41: tools[2]: unknown tool \"book\"; a tool of server \"calendar\", whose tools are not "
          "listed, is written calendar.TOOL\n"
          "agents/a.yaml:4:47: tools[3]: server \"old\" is disabled, and offers nothing; enable it, or leave this out");
}

TEST_CASE("a file in the folder of another kind is told where it belongs, and nothing else")
{
    const std::string flow = "name: w\npatterns: []\nentry_point: n\nnodes: {n: {type: human}}\nedges: []\n";
    CHECK(checked({{"teams/w.yaml", flow}}) == "teams/w.yaml:1:1: this looks like a workflow; move it to workflows/");
    CHECK(checked({{"workflows/a.yaml", agent("a")}}) ==
          "workflows/a.yaml:1:1: this looks like an agent; move it to agents/");
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
          "workflows/w.yaml:7:13: nodes.m.type: \"robot\" is none of agent, tool, condition, human, loop, map, "
          "workflow, team\n"
          "workflows/w.yaml:9:19: edges[0].to: \"x\" is not a node of this workflow; define it under nodes, or name "
          "one of "
          "them\n"
          "workflows/w.yaml:10:5: edges[1].from: is required");
    CHECK(checked({{"workflows/w.yaml", "name: w\npatterns: []\nentry_point: n\nnode: {n: {type: human}}\n"
                                        "edges: [{from: n, to: x}]\n"}}) ==
          "workflows/w.yaml:4:1: node: is not a field of workflow, did you mean \"nodes\"?");
}

TEST_CASE("one server in two files of a project is said once, with both files, and not as a clash of its tools")
{
    const std::string servers = "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n"
                                "tools:\n  - {name: add, server: calc, description: Adds., input_schema: {}}\n";
    CHECK(checked({{"config/mcp_servers.yaml", servers}, {"mcp.yaml", servers}}) ==
          "config/mcp_servers.yaml:2:12: servers[0].name: \"calc\" is already the name of the server at "
          "mcp.yaml:2:12; rename one of them");
    CHECK(checked({{"config/mcp_servers.yaml", servers}, {"mcp_servers.yaml", servers}}) ==
          "config/mcp_servers.yaml:1:1: is a list of MCP servers, and mcp_servers.yaml is one too, which may say "
          "otherwise; put both into mcp_servers.yaml");
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
    CHECK(checked(files, {"agents/z.yaml"}) == "agents/z.yaml:4:1: bogus: is not a field of agent; remove it");
    CHECK(checked(files, {"teams/aaa.yaml"}).find("\nand 1002 more") != std::string::npos);
}
