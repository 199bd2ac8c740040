#include "model/views/framework_agent.hpp"

#include "support/entity_rules.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;
namespace framework = cadre::model::framework;

TEST_CASE(
    "000 Agent: required fields, name, tools and temperature")  // AGENT-02 U, AGENT-03 U, AGENT-05 U, AGENT-07 U, AGENT-08 U
{
    using framework::Agent;
    check_required<Agent>({"name", "role", "system_prompt", "tools", "llm_config"});
    for (const char* name : {"\"Bad-Name\"", "\"9x\"", "\"\"", "\"a b\"", "\"ä\""}) {
        CAPTURE(name);
        CHECK(problems_with<Agent>("name", name).starts_with("name: "));
    }
    CHECK(problems_with<Agent>("name", "\"a_1\"") == "");
    CHECK(problems_with<Agent>("tools", R"(["a","a"])") == "tools[1]: \"a\" is here twice; remove one of them");
    CHECK(problems_with<Agent>("temperature", "-0.1") == "temperature: must be at least 0, is -0.1");
    CHECK(problems_with<Agent>("temperature", "2.1") == "temperature: must be at most 2, is 2.1");
    CHECK(problems_with<Agent>("temperature", "2") == "");
    CHECK(default_of<Agent>("temperature") == "0.7");
    CHECK(default_of<Agent>("max_iterations") == "10");
    check_required<framework::LLMConfig>({"endpoint", "model"});

    const auto one = from_text<Agent>(description_of<Agent>().example);
    const Agent twice[] = {one, one};
    Problems problems;
    framework::check_agents(twice, problems);
    CHECK(problems.text() == "[1].name: \"writer\" is here twice; rename one of them");
}

TEST_CASE("000 LLMConfig: a key is read and never written, a reference to one is")
{
    auto config = from_text<framework::LLMConfig>(R"({"endpoint":"http://x","model":"m","api_key":"sk-hunter2"})");
    CHECK(config.api_key == "sk-hunter2");
    CHECK(to_json_text(config) == R"({"endpoint":"http://x","model":"m","api_key":null})");
    config.api_key = "${KEY}";
    CHECK(to_json_text(config) == R"({"endpoint":"http://x","model":"m","api_key":"${KEY}"})");
}

TEST_CASE("000 Tool: required fields, timeout, one owner")  // TOOL-02 U, TOOL-04 U, TOOL-07 U, TOOL-09 U
{
    using framework::Tool;
    check_required<Tool>({"name", "server", "description", "input_schema"});
    CHECK(default_of<Tool>("timeout_seconds") == "300");
    CHECK(default_of<Tool>("fallback_tools") == "[]");
    CHECK(default_of<Tool>("output_schema") == "null");
    CHECK(problems_with<Tool>("timeout_seconds", "0") == "timeout_seconds: must be at least 1, is 0");
    CHECK(problems_with<Tool>("timeout_seconds", "-1") == "timeout_seconds: must be at least 1, is -1");
    CHECK(problems_with<Tool>("timeout_seconds", "1.5") ==
          "timeout_seconds: must be a whole number of at most 64 bits");
    auto other = from_text<Tool>(description_of<Tool>().example);
    const Tool first = other;
    other.server = "intranet";
    const Tool both[] = {first, other};
    Problems problems;
    framework::check_tools(both, problems);
    CHECK(problems.text() == "[1].server: \"search\" already belongs to \"web\"");
}

TEST_CASE("000 MCPServer: the shape of its config follows its transport")  // TOOL-12 U, TOOL-13 U
{
    using framework::MCPServer;
    check_required<MCPServer>({"name", "transport", "config"});
    struct {
        const char *transport, *config, *says;
    } const cases[] = {
        {"stdio", R"({"command":"srv","args":["-x"],"env":{"A":"1"}})", ""},
        {"stdio", R"({"command":"srv"})", ""},
        {"stdio", R"({})", "config.command: is required"},
        {"stdio", R"({"url":"http://x"})",
         "config.url: is not a field of stdio_server_config\nconfig.command: is required"},
        {"stdio", R"({"command":"srv","env":{"A":1}})", "config.env.A: must be text, is a number"},
        {"sse", R"({"url":"http://x/sse"})", ""},
        {"sse", R"({})", "config.url: is required"},
        {"sse", R"({"url":"x"})", "config.url: \"x\" is not a URL that starts with http:// or https://"},
        {"streamable_http", R"({"url":"https://x/mcp","headers":{"Authorization":"${TOKEN}"}})", ""},
        {"streamable-http", R"({"command":"srv"})",
         "config.command: is not a field of http_server_config\nconfig.url: is required"},
        {"tcp", R"({"url":"http://x"})", "transport: \"tcp\" is none of stdio, sse, streamable_http, streamable-http"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.transport);
        CAPTURE(c.config);
        const json::value server{{"name", "s"}, {"transport", c.transport}, {"config", parse_json(c.config)}};
        CHECK(read_back(description_of<MCPServer>(), server).problems == c.says);
    }
    const auto server =
        from_text<MCPServer>(R"({"name":"s","transport":"stdio","config":{"command":"c","args":["a"]}})");
    CHECK(framework::stdio_config(server).args == std::vector<std::string>{"a"});
    CHECK(framework::http_config(from_text<MCPServer>(description_of<MCPServer>().example)).url ==
          "https://tools.example.com/sse");
}
