#include "model/views/agentx_requests.hpp"

#include "model/views/agentx_interop.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"
#include "support/golden_list.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::model::agentx;
using namespace cadre::test;

TEST_CASE("a task is asked for by its description, under either name")
{
    CHECK(agentx::description_of(from_text<CreateTask>(R"({"description":"x"})")) == "x");
    CHECK(agentx::description_of(from_text<CreateTask>(R"({"initial_prompt":"x"})")) == "x");
    CHECK(error_of([] { from_text<CreateTask>(R"({"team":"t"})"); }) ==
          "invalid: description: is required; or say it as initial_prompt");
    CHECK(error_of([] { from_text<CreateTask>(R"({"description":"x","initial_prompt":"y"})"); }) ==
          "invalid: initial_prompt: is another name for description; give one of the two");
    CHECK(problems_with<CreateTask>("execution_mode", R"("fast")") ==
          "execution_mode: \"fast\" is none of autonomous, step, hitl");
}

TEST_CASE("a person answers in either document's words")
{
    for (const char* text : {R"({"response_type":"modified","response_data":{"a":1},"message":"m"})",
                             R"({"action":"modify","state_updates":{"a":1},"message":"m"})",
                             R"({"response_type":"modify","state_updates":{"a":1},"message":"m"})"}) {
        CAPTURE(text);
        CHECK(answer_of(from_text<Respond>(text)) ==
              HumanAnswer{.verb = HumanVerb::modify, .message = "m", .updates = {{"a", 1}}});
    }
    CHECK(answer_of(from_text<Respond>(R"({"action":"approved"})")).verb == HumanVerb::approve);

    struct {
        const char* text;
        const char* says;
    } const refused[] = {
        {"{}", "response_type: is required; or say it as action"},
        {R"({"action":"approve","response_type":"approved"})",
         "action: is another name for response_type; give one of the two"},
        {R"({"response_type":"timeout"})", "response_type: timeout is what happens when nobody answers"},
        {R"({"action":"approve","response_data":{"a":1},"state_updates":{"a":1}})",
         "state_updates: is another name for response_data; give one of the two"},
    };
    for (const auto& c : refused) {
        CAPTURE(c.text);
        CHECK(error_of([&] { from_text<Respond>(c.text); }) == (std::string("invalid: ") + c.says).c_str());
    }
}

TEST_CASE("an intervention says what it changes")
{
    CHECK(from_text<Intervene>(R"({"instruction":"Be brief."})").intervention_type == InterventionType::instruction);
    CHECK(error_of([] { from_text<Intervene>("{}"); }) == "invalid: instruction: is required");
    CHECK(error_of([] { from_text<Intervene>(R"({"intervention_type":"agent_override"})"); }) ==
          "invalid: details: must say what changes");
    CHECK(problems_with<Intervene>("intervention_type", R"("stop")") ==
          "intervention_type: \"stop\" is none of instruction, plan_update, agent_override, team_modification");
}

TEST_CASE("a plan file is the task's plan without its id")
{
    const auto file = from_text<PlanFile>(description_of<PlanFile>().example);
    const Plan plan = from_plan_file(file, "p");
    CHECK(plan.id == "p");
    CHECK(plan.items.size() == 2);
    CHECK(to_plan_file(plan) == file);
    CHECK(error_of([] {
              from_text<PlanFile>(R"({"goal":"g","tasks":[{"id":"a","agent":"x","action":"y","depends_on":["b"]}]})");
          }) == "invalid: tasks[0].depends_on[0]: \"b\" is not in the plan; add it, or name an item that is");
}

TEST_CASE("imports have the document's shape")  // INTEROP-01 U, INTEROP-03 U, INTEROP-05 U
{
    read_golden_list<LangChainImport>("model/004_langchain_import.json");
    read_golden_list<AutoGenImport>("model/004_autogen_import.json");
    read_golden_list<CrewAIImport>("model/004_crewai_import.json");
    for (const std::string field : {"chain_type", "chain_config", "agents", "tools"})
        CHECK(problems_without<LangChainImport>(field) == field + ": is required");
    for (const std::string field : {"group_chat_config", "agents", "conversation_patterns"})
        CHECK(problems_without<AutoGenImport>(field) == field + ": is required");
    for (const std::string field : {"crew_config", "agents", "tasks", "tools"})
        CHECK(problems_without<CrewAIImport>(field) == field + ": is required");
    CHECK(default_of<LangChainImport>("memory_config") == "null");
    CHECK(problems_with<AutoGenImport>("agents", R"(["writer"])") == "agents[0]: must be an object, is text");
}

TEST_CASE("exports have the document's shape")
{
    read_golden_list<LangChainExport>("model/004_langchain_export.json");
    read_golden_list<AutoGenExport>("model/004_autogen_export.json");
    read_golden_list<CrewAIExport>("model/004_crewai_export.json");
    CHECK(problems_with<CrewAIExport>("role_mappings", R"({"a":1})") == "role_mappings.a: must be text, is a number");
    CHECK(problems_with<LangChainExport>("agentx_team", "{}").starts_with("agentx_team.name: is required"));
}
