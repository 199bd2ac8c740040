#include "model/views/framework.hpp"

#include "base/id.hpp"
#include "base/random.hpp"
#include "model/graph.hpp"
#include "support/entity_rules.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;
namespace framework = cadre::model::framework;

TEST_CASE(
    "000: every entity reads its example and writes it back equal, and has a schema and a page")  // SER-01 U, TASK-01 U, AGENT-01 U, STATE-01 U, TOOL-01 U, TOOL-10 U, CKPT-01 U, SUB-01 U, TRACE-01 U
{
    const auto entities = framework::entities();
    CHECK(entities.size() == 22);
    check_examples(entities);
}

TEST_CASE(
    "000: each entity has the document's fields under the document's names, and `ext` or what is ours beside them")
{
    const std::pair<const Entity*, std::string> cases[] = {
        {&description_of<framework::Task>(), "id description status assigned_agent result error created_at started_at "
                                             "completed_at retention_days parent_task_id ext "},
        {&description_of<framework::Agent>(),
         "name role system_prompt tools max_iterations llm_config temperature ext "},
        {&description_of<framework::LLMConfig>(), "endpoint model api_key "},
        {&description_of<framework::State>(), "messages next_action current_agent routing_key metadata "},
        {&description_of<framework::Message>(), "role content tool_calls timestamp "},
        {&description_of<framework::ToolCall>(), "id server tool arguments "},
        {&description_of<framework::Tool>(),
         "name server description input_schema output_schema timeout_seconds fallback_tools ext "},
        {&description_of<framework::MCPServer>(), "name transport config ext "},
        {&description_of<framework::StdioConfig>(), "command args env "},
        {&description_of<framework::TraceLog>(), "task_id steps sub_agent_sessions created_at updated_at ext "},
        {&description_of<framework::StepRecord>(), "step_name message timestamp status agent tool_calls duration_ms "},
        {&description_of<framework::ToolCallRecord>(), "server tool arguments result error duration_ms "},
        {&description_of<framework::SubAgentSessionInfo>(), "session_id agent message_count status "},
        {&description_of<framework::SubAgentSession>(), "session_id parent_task_id agent_name task_description "
                                                        "message_history summary status created_at ext "},
        {&description_of<Graph>(),
         "name patterns nodes edges entry_point checkpoints max_iterations state reflection ext "},
        {&description_of<NodeDef>(),
         "type agent tool prompt context output set args timeout retry on_error join loop map workflow pattern ext "},
        {&description_of<EdgeDef>(), "from to condition on "},
        {&description_of<framework::Checkpoint>(),
         "checkpoint_id task_id state position sequence created_at awaiting_human ext "},
        {&description_of<framework::HumanFeedback>(), "action message state_updates "},
        {&description_of<framework::RetentionPolicy>(), "default_days by_task by_status scope "},
    };
    for (const auto& [entity, wanted] : cases) {
        std::string names;
        for (const Field& field : entity->fields) names += std::string(field.name) + " ";
        CHECK(names == wanted);
    }
}

TEST_CASE(
    "000 Task: required fields, rules, statuses and defaults")  // TASK-02 U, TASK-03 U, TASK-04 U, TASK-05 U, TASK-08 U, TASK-11 U
{
    using framework::Task;
    check_required<Task>({"id", "description", "status", "assigned_agent"});
    CHECK(problems_with<Task>("id", "\"3f2b8c1e-9d4a-1e6b-8f7a-1c2d3e4f5a6b\"") ==  // version 1
          "id: \"3f2b8c1e-9d4a-1e6b-8f7a-1c2d3e4f5a6b\" is not a UUID of version 4");
    CHECK(problems_with<Task>("description", "\"\"") == "description: must not be empty");
    check_values<Task>("status", {"pending", "running", "completed", "failed"});
    CHECK(default_of<Task>("retention_days") == "7");
    check_filled_now<Task>({"created_at"});
    for (const char* field : {"result", "error", "started_at", "completed_at", "parent_task_id"})
        CHECK(default_of<Task>(field) == "null");
    CHECK(problems_with<Task>("ext", R"({"schema_version":"2.0.0"})") ==
          "ext.schema_version: 2.0.0 was written by a newer release; this one reads up to 1.0.0");
}

TEST_CASE("a hundred thousand task ids are distinct")  // TASK-02 U
{
    std::set<Id> ids;
    SeededRandom random(1);
    for (int i = 0; i < 100'000; ++i) ids.insert(new_id(random));
    CHECK(ids.size() == 100'000);
}

TEST_CASE(
    "000 State, Message and ToolCall: required fields and rules")  // STATE-02 U, STATE-06 U, STATE-07 U, STATE-08 U, STATE-09 U, STATE-10 U, STATE-11 U, STATE-12 U, STATE-13 U
{
    using framework::Message;
    using framework::ToolCall;
    check_required<framework::State>({"messages", "current_agent"});
    CHECK(problems_with<framework::State>("metadata", R"({"a":{"b":[1,{"c":null}]}})") == "");
    const char* const nested = R"({"messages":[],"next_action":"x","current_agent":"a","routing_key":"k",)"
                               R"("metadata":{"a":{"b":[1,{"c":null}]}}})";
    CHECK(to_json_text(from_text<framework::State>(nested)) == nested);
    check_values<Message>("role", {"user", "assistant", "tool", "system"});
    const char* const utf8 = R"({"role":"user","content":"zwei\nZeilen, ü, 🙂 \"q\"","tool_calls":null,)"
                             R"("timestamp":"2026-01-12T09:00:00.250Z"})";
    CHECK(to_json_text(from_text<Message>(utf8)) == utf8);
    CHECK(problems_with<Message>("timestamp", "\"yesterday\"") != "");
    const std::string calls = "[" + std::string(description_of<ToolCall>().example) + "]";
    for (const char* role : {"user", "tool", "system"}) {
        json::value message = parse_json(description_of<Message>().example);
        message.as_object()["role"] = role;
        message.as_object()["tool_calls"] = parse_json(calls);
        CHECK(read_back(description_of<Message>(), message).problems == "tool_calls: are for assistant messages only");
        message.as_object()["role"] = "assistant";
        CHECK(read_back(description_of<Message>(), message).text == to_text(message));
    }
    check_required<ToolCall>({"id", "server", "tool", "arguments"});
    CHECK(problems_with<ToolCall>("id", "\"tc_1\"") == "id: \"tc_1\" is not a UUID of version 4");
    CHECK(problems_with<ToolCall>("arguments", "[1]") == "arguments: must be an object, is a list");
}

TEST_CASE(
    "000 Checkpoint and feedback: required fields, rules, defaults")  // CKPT-02 U, CKPT-03 U, CKPT-07 U, CKPT-08 U
{
    using framework::Checkpoint;
    check_required<Checkpoint>({"checkpoint_id", "task_id", "state", "position", "sequence"});
    CHECK(problems_with<Checkpoint>("checkpoint_id", "\"7\"") == "checkpoint_id: \"7\" is not a UUID of version 4");
    CHECK(problems_with<Checkpoint>("sequence", "-1") == "sequence: must be at least 0, is -1");
    CHECK(default_of<Checkpoint>("awaiting_human") == "false");
    check_filled_now<Checkpoint>({"created_at"});
    check_required<framework::HumanFeedback>({"action"});
    CHECK(
        problems_with<framework::HumanFeedback>("action", "\"timeout\"").starts_with("action: \"timeout\" is none of"));
    for (const auto& [spelling, verb] : {std::pair("approve", HumanVerb::approve),
                                         {"approved", HumanVerb::approve},
                                         {"reject", HumanVerb::reject},
                                         {"rejected", HumanVerb::reject},
                                         {"modify", HumanVerb::modify},
                                         {"modified", HumanVerb::modify}}) {
        const json::value body{{"action", spelling}, {"message", "m"}, {"state_updates", {{"routing_key", "x"}}}};
        const HumanAnswer answer = from(from_json<framework::HumanFeedback>(body));
        CHECK(answer.verb == verb);
        CHECK(answer.message == "m");
        CHECK(answer.updates == json::object{{"routing_key", "x"}});
    }
}

TEST_CASE(
    "000 SubAgentSession: required fields, statuses, a known agent")  // SUB-02 U, SUB-03 U, SUB-04 U, SUB-05 U, SUB-08 U, SUB-09 U
{
    using framework::SubAgentSession;
    check_required<SubAgentSession>(
        {"session_id", "parent_task_id", "agent_name", "task_description", "message_history", "status"});
    CHECK(problems_with<SubAgentSession>("session_id", "\"x\"") == "session_id: \"x\" is not a UUID of version 4");
    check_values<SubAgentSession>("status", {"running", "completed", "failed"});
    check_filled_now<SubAgentSession>({"created_at"});
    CHECK(default_of<SubAgentSession>("summary") == "null");
    const auto session = from_text<SubAgentSession>(description_of<SubAgentSession>().example);
    const std::string agents[] = {"writer", "critic"};
    Problems problems;
    framework::check_known(session, agents, problems);
    CHECK(problems.text() == "agent_name: \"reader\" is not an agent");
}

TEST_CASE("000 TraceLog and its records: required fields, levels, defaults")  // TRACE-02 U, TRACE-05 U, TRACE-09 U
{
    check_required<framework::TraceLog>({"task_id", "steps", "sub_agent_sessions"});
    check_filled_now<framework::TraceLog>({"created_at", "updated_at"});
    check_values<framework::StepRecord>("status", {"info", "warning", "error"});
    check_required<framework::SubAgentSessionInfo>({"session_id", "agent", "message_count", "status"});
    CHECK(problems_with<framework::ToolCallRecord>("duration_ms", "-1") == "duration_ms: must be at least 0, is -1");
    CHECK(problems_with<framework::ToolCallRecord>("result", "\"text\"") == "result: must be an object, is text");
}
