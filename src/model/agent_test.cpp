#include "model/agent.hpp"

#include "base/json.hpp"
#include "model/team.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"
#include "support/golden_list.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("agents, models, tools and memory settings are read and written to the letter")
{
    read_golden_list<Agent>("model/004_agent.json");
    read_golden_list<LlmConfig>("model/004_llm.json");
    read_golden_list<Tool>("model/004_tool.json");
    read_golden_list<MemoryConfig>("model/004_memory_config.json");
}

TEST_CASE("the name of an agent is a snake")  // AGENT-02 U
{
    for (const char* bad : {"Bad-Name", "9x", "", "a b", "_a", "é"}) {
        CAPTURE(bad);
        CHECK(problems_with<Agent>("name", to_text(json::value(bad))).starts_with("name: \""));
    }
    for (const char* good : {"a_1", "a", "light_agent"}) {
        CAPTURE(good);
        CHECK(problems_with<Agent>("name", to_text(json::value(good))) == "");
    }
}

TEST_CASE("an agent needs a name, a role and a prompt")  // AGENT-03 U, AGENT-14 U, AGENT-15 U
{
    CHECK(problems_without<Agent>("name") == "name: is required");
    CHECK(problems_without<Agent>("role") == "role: is required");
    CHECK(problems_without<Agent>("prompt_template") ==
          "prompt_template: is required; or give the text itself as prompt");
    CHECK(problems_with<Agent>("prompt", R"("You write.")") ==
          "prompt: cannot stand beside prompt_template; give one of the two");
    const auto agent = from_text<Agent>(R"({"name":"a","role":"r","prompt":"You write."})");
    CHECK(agent.prompt == "You write.");
    CHECK(from_text<Agent>(to_json_text(agent)) == agent);
}

TEST_CASE("what an agent leaves out")  // AGENT-18 U, AGENT-19 U, AGENT-21 U
{
    CHECK(default_of<Agent>("tools") == "[]");
    CHECK(default_of<Agent>("memory_config") == "null");
    CHECK(default_of<Agent>("llm_config") == "null");
    CHECK(default_of<Agent>("guardrail_policies") == "[]");
    CHECK(default_of<Agent>("collaboration_patterns") == "[]");
    CHECK(default_of<Agent>("max_parallel_tasks") == "1");
    CHECK(default_of<Agent>("max_iterations") == "not written");
    CHECK(Agent{}.max_iterations == 10);
}

TEST_CASE("no tool is given to an agent twice")  // AGENT-05 U
{
    CHECK(problems_with<Agent>("tools", R"(["a","a"])") == "tools[1]: \"a\" is here twice; remove one of them");
}

TEST_CASE("Cadre's own fields of an agent are written when they say something")
{
    const auto text =
        R"({"name":"light_agent","role":"Lights.","prompt_template":null,"llm_config":null,"tools":[],"memory_config":null,)"
        R"("guardrail_policies":[],"collaboration_patterns":[],"max_parallel_tasks":1,"prompt":"Be brief.","alias":"lamp",)"
        R"("display_name":"Light","max_iterations":4,"temperature":0.1,"timeout":30,"card":{"description":"Lights.",)"
        R"("tags":["home"],"skills":[{"name":"off","examples":["lights off"]}]}})";
    const auto agent = from_text<Agent>(text);
    CHECK(to_json_text(agent) == text);
    CHECK(alias_of(agent) == "lamp");
    CHECK(alias_of(Agent{.name = "light_agent"}) == "light-agent");
    CHECK(problems_with<Agent>("temperature", "2.1") == "temperature: must be at most 2, is 2.1");
    CHECK(problems_with<Agent>("temperature", "-0.1") == "temperature: must be at least 0, is -0.1");
    CHECK(problems_with<Agent>("max_iterations", "0") == "max_iterations: must be at least 1, is 0");
}

TEST_CASE("a model that says nothing is DeepSeek's")  // AGENT-23 U, AGENT-24 U, AGENT-25 U, AGENT-27 U
{
    CHECK(to_json_text(from_text<LlmConfig>("{}")) ==
          R"({"provider":"deepseek","model":"deepseek-chat","temperature":0.7,"max_tokens":null,"api_key":null,)"
          R"("base_url":null,"timeout":30,"retry_policy":{}})");
}

TEST_CASE("a key is read and never written; where it is may be")  // AGENT-27 U
{
    const auto literal = from_text<LlmConfig>(R"({"api_key":"sk-canary-123456"})");
    CHECK(literal.api_key == "sk-canary-123456");
    CHECK(to_json_text(literal).find("canary") == std::string::npos);

    const auto reference = from_text<LlmConfig>(R"({"api_key":"${DEEPSEEK_API_KEY}"})");
    CHECK(from_text<LlmConfig>(to_json_text(reference)) == reference);

    for (const char* half : {"${KEY", "$KEY", "${KEY}x", "${sk-canary-1}", "${}"}) {  // not quite: could be a key
        CAPTURE(half);
        CHECK(to_json_text(LlmConfig{.api_key = half}).find("\"api_key\":null") != std::string::npos);
    }
    CHECK(error_of([] { from_text<LlmConfig>(R"({"api_key":"x","api_key_env":"KEY"})"); }) ==
          "invalid: api_key_env: cannot stand beside api_key; give one of the two");
}

TEST_CASE("settings of a model outside their range are refused")
{
    CHECK(problems_with<LlmConfig>("temperature", "2.01") == "temperature: must be at most 2, is 2.01");
    CHECK(problems_with<LlmConfig>("timeout", "0") == "timeout: must be at least 1, is 0");
    CHECK(problems_with<LlmConfig>("timeout", "1.5") == "timeout: must be a whole number of at most 64 bits");
    CHECK(problems_with<LlmConfig>("base_url", R"("api.example.org")") ==
          "base_url: \"api.example.org\" is not a URL that starts with http:// or https://");
}

TEST_CASE("a tool needs a name and a type that exists")  // TOOL-18 U, TOOL-19 U, TOOL-20 U
{
    CHECK(problems_without<Tool>("name") == "name: is required");
    CHECK(problems_without<Tool>("type") == "type: is required");
    CHECK(problems_with<Tool>("type", R"("plugin")") == "type: \"plugin\" is none of builtin, custom, mcp, hitl");
    CHECK(default_of<Tool>("config") == "{}");
    CHECK(error_of([] { from_text<Tool>(R"({"name":"lint","type":"custom"})"); }) ==
          "invalid: path: is required: it names the program of a custom tool");
}

TEST_CASE("a tool is never called twice by us unless it says that it may be")
{
    CHECK(from_text<Tool>(R"({"name":"x","type":"builtin"})").effect == Effect::once);
    const auto text =
        R"({"name":"x","type":"mcp","config":{},"path":null,"function":null,"server_url":null,"timeout":5,)"
        R"("escalation_policy":null,"description":"Finds.","input_schema":{"type":"object"},)"
        R"("server":"files","fallback_tools":["y"],"retry_policy":{"max_retries":1},"effect":"keyed",)"
        R"("permission":"ask"})";
    CHECK(to_json_text(from_text<Tool>(text)) == text);
    CHECK(problems_with<Tool>("effect", R"("twice")") == "effect: \"twice\" is none of pure, idempotent, keyed, once");
    CHECK(problems_with<Tool>("timeout", "0") == "timeout: must be at least 1, is 0");
}

TEST_CASE("memory settings have the document's defaults")  // MEM-09 U
{
    CHECK(to_json_text(from_text<MemoryConfig>("{}")) ==
          R"({"short_term_limit":10000,"long_term_enabled":true,"semantic_search_enabled":true,)"
          R"("consolidation_interval":3600,"vector_db_config":{}})");
}
