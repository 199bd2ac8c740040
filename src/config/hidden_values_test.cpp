// What a variable holds is nobody's business: findings show the reference.
#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

TEST_CASE("what came from a variable is shown as it is written, whatever the variable is called")
{
    struct {
        const char *name, *value, *field, *says;
    } const cases[] = {
        {"OPENAI_API_KEY", "plainpassword99", "tools: [\"${OPENAI_API_KEY}\"]",
         "tools[0]: unknown tool \"${OPENAI_API_KEY}\"; an agent with a file of its own has the built-in tools and "
         "those of servers, written server.tool; it comes from the variable OPENAI_API_KEY"},
        {"WORD", "hush.hush", "tools: [\"${WORD}\"]", "tools[0]: unknown server \"${WORD}\" in \"${WORD}\""},
        {"WORD", "hush", "tools: [\"${WORD}\"]", "tools[0]: unknown tool \"${WORD}\""},
        {"WORD", "hush", "alias: x ${WORD}", "alias: \"x ${WORD}\" is not a name like light-agent"},
        {"WORD", "calc.hush", "tools: [\"${WORD}\"]", "tools[0]: \"${WORD}\" is not offered by server \"${WORD}\""},
        {"WORD", "hush", "tools: [\"calc.${WORD}\"]",
         "tools[0]: \"calc.${WORD}\" is not offered by server \"calc.${WORD}\""},
        {"WORD", "hush hush \\\"hush\\\" hush hush hush hush hush hush hush", "alias: ${WORD}",
         "alias: \"${WORD}\" is"},
        {"PIN", "-4711", "max_iterations: ${PIN}",
         "max_iterations: must be at least 1; it comes from the variable PIN"},
        {"PIN", "99999999999", "max_iterations: ${PIN}", "max_iterations: ${PIN} is out of range; it comes from"},
        {"PIN", "4711", "temperature: ${PIN}", "temperature: must be at most 2; it comes from the variable PIN"},
        {"URL", "ftp://hush.example", "llm_config: {base_url: \"${URL}\"}",
         "llm_config.base_url: \"${URL}\" is not a URL"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.field);
        const std::string said = checked(
            {{".env", std::string(c.name) + "=\"" + c.value + "\"\n"},
             {"config/mcp_servers.yaml", "servers:\n  - {name: calc, transport: stdio, config: {command: calc}}\n"
                                         "tools:\n  - {name: add, server: calc, description: Adds., input_schema: "
                                         "{}}\n"},
             {"agents/a.yaml", agent("a", std::string(c.field) + "\n")}});
        CAPTURE(said);
        CHECK(said.find(c.says) != said.npos);
        for (const char* secret : {"hush", "4711", "99999999999", "plainpassword99"})
            CHECK(said.find(secret) == said.npos);
    }
}

TEST_CASE("it is not told where something else is told of either")
{
    const std::string said = checked(
        {{".env", "WORD=hush_hush\nSHORT=pst\n"},
         {"agents/a.yaml", "name: ${SHORT}\nrole: r\nprompt: p\nalias: same\n"},
         {"agents/b.yaml", agent("b", "alias: same\n")},
         {"teams/t.yaml",
          "name: t\ndescription: d\ndefault_llm: {}\nagents: [{name: \"${WORD}\", role: r, prompt: p}]\ntools: []\n"
          "handoff_rules: [{from_agent: hush_hus, to_agent: hush_hus}]\n"},
         {"workflows/w.yaml", "name: w\npatterns: []\nentry_point: n\nnodes: {n: {type: agent, agent: hush_hus}}\n"
                              "edges: []\n"}});
    CAPTURE(said);
    CHECK(said.find("did you mean \"${WORD}\"?") != said.npos);
    CHECK(said.find("is already that of agent \"${SHORT}\"") != said.npos);
    CHECK(
        said.find("name: \"${SHORT}\" is in the file a.yaml, and would not be found by its name; rename one of them") !=
        said.npos);
    CHECK(said.find("hush_hush") == said.npos);
    CHECK(said.find("pst") == said.npos);
}

TEST_CASE("what is written in the file itself is shown, unless it looks like a secret")
{
    CHECK(checked({{"agents/a.yaml", agent("a", "tools: [\"${NONE:-serach}\"]\n")}}) ==
          "agents/a.yaml:4:9: tools[0]: unknown tool \"serach\"; an agent with a file of its own has the "
          "built-in tools and those of servers, written server.tool");
}
