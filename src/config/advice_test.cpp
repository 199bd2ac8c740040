#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

TEST_CASE("a team's file may leave out its tools and its model")
{
    const std::string team = "name: t\ndescription: d\nagents: [{name: a, role: r, prompt: p}]\n";
    for (const char* rest : {"", "tools: []\n", "default_llm: {}\n"})
        CHECK(checked({{"cadre.yaml", "model: openai/gpt-5-mini\n"}, {"teams/t.yaml", team + rest}}) == "");
}

TEST_CASE("a field of another program is answered with ours, and not with its removal")
{
    const auto of_agent = [](const std::string& field) {
        const std::string said = checked({{"agents/a.yaml", agent("a", field + ": x\n")}});
        return said.substr(said.find("is not"));
    };
    CHECK(of_agent("model") == "is not a field of agent; write `llm_config: {provider: …, model: …}`");
    CHECK(of_agent("instructions") == "is not a field of agent; write it as `prompt`");
    CHECK(of_agent("goal") == "is not a field of agent; write it into `prompt`");
    CHECK(of_agent("backstory") == "is not a field of agent; write it into `prompt`");
    CHECK(of_agent("handoffs") == "is not a field of agent; write `handoff_rules` in the team");
    CHECK(of_agent("colour") == "is not a field of agent; remove it");

    const std::string team = "name: t\ndescription: d\n";
    const std::string agents = "agents: [{name: a, role: r, prompt: p}]\n";
    CHECK(checked({{"teams/t.yaml", team + agents + "members: []\n"}}) ==
          "teams/t.yaml:4:1: members: is not a field of team; write it as `agents`");
    CHECK(checked({{"teams/t.yaml", team + agents + "default_llm: {}\ntools: []\ntasks: []\n"}}) ==
          "teams/t.yaml:6:1: tasks: is not a field of team; remove it: a task is what a run is given as its prompt");
    CHECK(checked({{"teams/t.yaml", team + "agents: {a: {role: r}}\ndefault_llm: {}\ntools: []\n"}}) ==
          "teams/t.yaml:3:9: agents: must be a list, is an object; write each as `- name: …`");
    CHECK(checked({{"config/retention_policy.yaml", "default_days: 7\nby_kind: {a: 1}\n"}}) ==
          "config/retention_policy.yaml:2:1: by_kind: is not a field of retention_policy; write it as `by_task`");
}
