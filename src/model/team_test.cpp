#include "model/team.hpp"

#include "base/json.hpp"
#include "model/names.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"
#include "support/golden_list.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

/// The full team of the golden file, with one place of it changed.
std::string problems_after(void (*change)(Team&))
{
    const json::value file = parse_json(golden("model/004_team.json"));
    auto team = from_json<Team>(file.at(0));
    change(team);
    const std::string text = problems_of(team).text();
    // what is made in C++ and what is read obey the same rules
    CHECK(error_of([&] { from_text<Team>(to_json_text(team)); }) ==
          doctest::String(text.empty() ? "" : ("invalid: " + text).c_str()));
    return text;
}

}  // namespace

TEST_CASE("teams and what they are made of are read and written to the letter")
{
    read_golden_list<Team>("model/004_team.json");
    read_golden_list<HandoffRule>("model/004_handoff_rule.json");
    read_golden_list<CollaborationPattern>("model/004_collaboration_pattern.json");
    read_golden_list<GuardrailPolicy>("model/004_guardrail_policy.json");
    read_golden_list<ExecutionConfig>("model/004_execution_config.json");
}

TEST_CASE("what a team needs is asked for, all at once")  // TEAM-02 U, TEAM-04 U, TEAM-05 U, TEAM-06 U
{
    CHECK(error_of([] { from_text<Team>("{}"); }) == "invalid: name: is required\n"
                                                     "description: is required\n"
                                                     "default_llm: is required\n"
                                                     "agents: is required\n"
                                                     "tools: is required");
    CHECK(problems_with<Team>("tools", "[]") ==
          "agents[0].tools[0]: unknown tool \"search\"; define it under tools of this team, or name one of them");
    CHECK(problems_with<Team>("agents", "[]") == "agents: a team needs at least one agent");
    CHECK(from_text<Team>(R"({"name":"t","description":"","default_llm":{},"tools":[],
                              "agents":[{"name":"a","role":"r","prompt":"p"}]})")
              .default_llm == LlmConfig{.provider = "deepseek", .model = "deepseek-chat"});
}

TEST_CASE("what a team may leave out")  // TEAM-03 U, TEAM-07 U, TEAM-08 U, TEAM-09 U, TEAM-10 U, TEAM-11 U, TEAM-12 U
{
    CHECK(default_of<Team>("version") == "\"1.0.0\"");
    CHECK(default_of<Team>("handoff_rules") == "[]");
    CHECK(default_of<Team>("collaboration_patterns") == "[]");
    CHECK(default_of<Team>("guardrail_policies") == "[]");
    CHECK(default_of<Team>("memory_config") ==
          R"({"short_term_limit":10000,"long_term_enabled":true,"semantic_search_enabled":true,)"
          R"("consolidation_interval":3600,"vector_db_config":{}})");
    CHECK(default_of<Team>("execution_config") ==
          R"({"mode":"autonomous","timeout":null,"max_steps":null,"breakpoints":[],"human_intervention_points":[],)"
          R"("success_criteria":[],"failure_criteria":[]})");
    CHECK(default_of<Team>("deployment_config") == "{}");
}

TEST_CASE("the parts of a team: needed, left out, refused")  // TEAM-15 U, TEAM-17 U, TEAM-18 U, TEAM-21 U, TEAM-25 U
{
    CHECK(problems_without<HandoffRule>("from_agent") == "from_agent: is required");
    CHECK(problems_without<HandoffRule>("to_agent") == "to_agent: is required");
    CHECK(default_of<HandoffRule>("handoff_type") == "\"sequential\"");
    CHECK(problems_with<HandoffRule>("handoff_type", R"("random")") ==
          "handoff_type: \"random\" is none of sequential, parallel, hierarchical");
    CHECK(problems_without<CollaborationPattern>("name") == "name: is required");
    CHECK(problems_without<CollaborationPattern>("agents") == "agents: is required");
    CHECK(problems_with<CollaborationPattern>("type", R"("swarm")") ==
          "type: \"swarm\" is none of parallel, hierarchical, consensus");
    CHECK(default_of<CollaborationPattern>("config") == "{}");
    CHECK(problems_with<CollaborationPattern>("config", R"({"rule":"majorty"})") ==
          "config.rule: \"majorty\" is none of majority, unanimous, weighted, did you mean \"majority\"?");
    CHECK(default_of<ExecutionConfig>("mode") == "\"autonomous\"");
    CHECK(problems_with<ExecutionConfig>("mode", R"("auto")") ==
          "mode: \"auto\" is none of autonomous, step, hitl, did you mean \"autonomous\"?");
    CHECK(problems_with<ExecutionConfig>("max_steps", "0") == "max_steps: must be at least 1, is 0");
}

TEST_CASE("a collaboration pattern has only settings that its type knows, and that can be met")
{
    const std::string parallel = R"({"name":"p","type":"parallel","agents":["a","b"],"config":)";
    const std::string hierarchical = R"({"name":"p","type":"hierarchical","agents":["a","b"],"config":)";
    const std::string consensus = R"({"name":"p","type":"consensus","agents":["ann","bob"],"config":)";
    struct {
        const std::string& begin;
        const char* config;
        const char* says;
    } const cases[] = {
        {hierarchical, R"({})", ""},
        {hierarchical, R"({"quorum":7})", "config: must be empty: a hierarchical pattern has no settings"},
        {parallel, R"({})", ""},
        {parallel, R"({"sync_points":["draft","end"]})", ""},
        {parallel, R"({"sync_points":[]})", "config.sync_points: must not be empty"},
        {parallel, R"({"sync_points":["x","x"]})", "config.sync_points[1]: \"x\" is here twice; remove one of them"},
        {parallel, R"({"sync_points":[""]})", "config.sync_points[0]: must not be empty"},
        {parallel, R"({"sync_point":["x"]})",
         "config.sync_point: is not a field of parallel_config, did you mean \"sync_points\"?"},
        {parallel, R"({"rule":"majority"})", "config.rule: is not a field of parallel_config"},
        {consensus, R"({"rule":"weighted","weights":{"ann":2,"bob":0},"timeout":5,"rounds":3,"quorum":1.5})", ""},
        {consensus, R"({"rounds":0})", "config.rounds: must be at least 1, is 0"},
        {consensus, R"({"rounds":21})", "config.rounds: must be at most 20, is 21"},
        {consensus, R"({"timeout":0})", "config.timeout: must be at least 1, is 0"},
        {consensus, R"({"timeout":86401})", "config.timeout: must be at most 86400, is 86401"},
        {consensus, R"({"timeout":"soon"})", "config.timeout: must be a whole number, is text"},
        {consensus, R"({"tiemout":9})",
         "config.tiemout: is not a field of consensus_config, did you mean \"timeout\"?"},
        {consensus, R"({"rule":"weighted","weights":{"anne":2}})",
         "config.weights.anne: \"anne\" does not vote in this pattern, did you mean \"ann\"?"},
        {consensus, R"({"rule":"weighted","weights":{"ann":-1}})", "config.weights.ann: must be at least 0, is -1"},
        {consensus, R"({"rule":"weighted","weights":{"ann":0,"bob":0}})", "config.weights: must not all be 0"},
        {consensus, R"({"weights":{"ann":2}})", "config.weights: means something only for the rule weighted"},
        {consensus, R"({"quorum":3})", "config.quorum: cannot be reached: all votes together count 2"},
        {consensus, R"({"quorum":0})", "config.quorum: must be more than 0, is 0"},
        {consensus, R"({"otherwise":"coordinator"})",
         "config.otherwise: names a coordinator; add coordination_agent to the pattern"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.config);
        const auto back = read_back(description_of<CollaborationPattern>(), parse_json(c.begin + c.config + "}"));
        CHECK(back.problems == c.says);
    }
    CHECK(problems_with<CollaborationPattern>("agents", "[]") == "agents: must name at least one agent");
}

TEST_CASE("a policy: needed, left out, refused")  // GUARD-06 U, GUARD-07 U, GUARD-09 U
{
    CHECK(problems_without<GuardrailPolicy>("name") == "name: is required");
    CHECK(problems_without<GuardrailPolicy>("rules") == "rules: is required");
    CHECK(problems_with<GuardrailPolicy>("type", R"("policy")") ==
          "type: \"policy\" is none of input_validation, content_filter, rate_limit, compliance");
    CHECK(default_of<GuardrailPolicy>("severity") == "\"medium\"");
    CHECK(default_of<GuardrailPolicy>("action") == "\"warn\"");
    CHECK(problems_with<GuardrailPolicy>("action", R"("stop")") ==
          "action: \"stop\" is none of block, warn, log, rewrite, ask");
    CHECK(problems_after([](Team& team) { team.guardrail_policies[1].name = "calm"; }) ==
          "guardrail_policies[1].name: \"calm\" is here twice; rename one of them");
}

TEST_CASE("a rule of a policy has the value that its kind needs")
{
    struct {
        const char* rule;
        const char* says;
    } const cases[] = {
        {R"({"kind":"max_length","value":100})", ""},
        {R"({"kind":"max_length"})", "value: must be a whole number of at least 0"},
        {R"({"kind":"min_length","value":0})", "value: must be a whole number of at least 1"},
        {R"({"kind":"max_calls","value":"many"})", "value: must be a whole number of at least 0"},
        {R"({"kind":"max_calls","value":5,"window_s":60,"on":"tool"})", ""},
        {R"({"kind":"regex","value":"[0-9]+","on":"output"})", ""},
        {R"({"kind":"regex","value":["a"]})", "value: must be a pattern, as text"},
        {R"({"kind":"keywords","value":["a","b"]})", ""},
        {R"({"kind":"keywords","value":[]})", "value: must be a list of words"},
        {R"({"kind":"keywords","value":["a",1]})", "value: must be a list of words"},
        {R"({"kind":"pii"})", ""},
        {R"({"kind":"pii","value":["email"]})", ""},
        {R"({"kind":"pii","value":true})", "value: must be a list of kinds, or left out for all"},
        {R"({"kind":"pii","window_s":3})", "window_s: means something only for max_calls"},
        {R"({"kind":"rgex","value":"x"})", "kind: \"rgex\" is none of max_length, min_length, regex, keywords, pii, "
                                           "max_calls, schema, injection, similar, "
                                           "urls, did you mean \"regex\"?"},
        {R"({"kind":"pii","where":"input"})", "where: is not a field of guardrail_rule"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.rule);
        const auto back = read_back(description_of<GuardrailRule>(), parse_json(c.rule));
        CHECK(back.problems == c.says);
        if (back.problems.empty()) CHECK(back.text == c.rule);
    }
}

TEST_CASE("nobody in a team speaks of what is not there")  // AGENT-18 U, AGENT-21 U, TEAM-13 U, TEAM-19 U
{
    struct {
        void (*change)(Team&);
        const char* says;
    } const cases[] = {
        {[](Team&) {}, ""},
        {[](Team& team) { team.agents[0].tools[1] = "serach"; },
         "agents[0].tools[1]: unknown tool \"serach\", did you mean \"search\"?"},
        {[](Team& team) { team.agents[1].tools = {"calculator", "ask_human"}; }, ""},  // everybody has these
        {[](Team& team) { team.agents[1].tools = {"zzz"}; },
         "agents[1].tools[0]: unknown tool \"zzz\"; define it under tools of this team, or name one of them"},
        {[](Team& team) { team.agents[0].guardrail_policies[0] = "clam"; },
         "agents[0].guardrail_policies[0]: unknown policy \"clam\", did you mean \"calm\"?"},
        {[](Team& team) { team.agents[0].collaboration_patterns[0] = "votes"; },
         "agents[0].collaboration_patterns[0]: unknown pattern \"votes\", did you mean \"vote\"?"},
        {[](Team& team) { team.handoff_rules[0].from_agent = "plannr"; },
         "handoff_rules[0].from_agent: unknown agent \"plannr\", did you mean \"planner\"?"},
        {[](Team& team) { team.handoff_rules[1].to_agent = "nobody"; },
         "handoff_rules[1].to_agent: unknown agent \"nobody\"; define it under agents of this team, or name one of "
         "them"},
        {[](Team& team) { team.collaboration_patterns[1].agents[1] = "writr"; },
         "collaboration_patterns[1].agents[1]: unknown agent \"writr\", did you mean \"writer\"?"},
        {[](Team& team) { team.collaboration_patterns[0].coordination_agent = "boss"; },
         "collaboration_patterns[0].coordination_agent: unknown agent \"boss\"; define it under agents of this team, "
         "or name one of them"},
        {[](Team& team) { team.handoff_rules[0].to_agent = team.handoff_rules[0].from_agent; },
         "handoff_rules[0].to_agent: must be another agent than from_agent"},
        {[](Team& team) { team.collaboration_patterns[1].name = "code review"; },
         "collaboration_patterns[1].name: must begin with a letter or _, and have letters, digits, _ . - and at most "
         "64 of them"},
        {[](Team& team) { team.tools[0].fallback_tools = {"lnit"}; },
         "tools[0].fallback_tools[0]: unknown tool \"lnit\", did you mean \"lint\"?"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        CHECK(problems_after(c.change) == c.says);
    }
}

TEST_CASE("no two things of one kind have one name")  // AGENT-02 U, AGENT-14 U, TOOL-18 U
{
    CHECK(problems_after([](Team& team) { team.tools[3].name = "search"; }) ==
          "tools[3].name: \"search\" is here twice; rename one of them");
    CHECK(problems_after([](Team& team) { team.collaboration_patterns[1].name = "vote"; }) ==
          "collaboration_patterns[1].name: \"vote\" is here twice; rename one of them");
    CHECK(problems_after([](Team& team) { team.agents.push_back(team.agents[1]); }) ==
          "agents[2].name: \"writer\" is here twice; rename one of them");
}

TEST_CASE("no two agents have one alias")  // UNI-09 U
{
    CHECK(problems_after([](Team& team) { team.agents[0].alias = "writer"; }) ==
          "agents[1].alias: \"writer\" is already the alias of \"planner\"; give one of them another");
    CHECK(problems_after([](Team& team) { team.agents[0].alias = "boss"; }) == "");
    CHECK(name_of_alias(alias_of(Agent{.name = "light_agent"})) == "light_agent");
}
