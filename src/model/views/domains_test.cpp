#include "model/views/domains.hpp"

#include "base/json.hpp"
#include "model/calls.hpp"
#include "support/entity_rules.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;
namespace domains = cadre::model::domains;

namespace {

domains::Message user(const char* at)
{
    return {.role = domains::Speaker::user, .content = "q", .timestamp = time_from_iso(at)};
}
domains::Message assistant(const char* at)
{
    return {.role = domains::Speaker::assistant, .content = "a", .timestamp = time_from_iso(at)};
}

domains::Conversation conversation(std::vector<domains::Message> messages)
{
    domains::Conversation conversation{.session_id = "550e8400-e29b-41d4-a716-446655440000",
                                       .messages = std::move(messages)};
    conversation.created_at = conversation.last_updated = conversation.messages.front().timestamp;
    conversation.last_updated = conversation.messages.back().timestamp;
    return conversation;
}

}  // namespace

TEST_CASE(
    "003: the document's examples are read and written back to the letter")  // STATE-22 U, STATE-35 U, TOOL-49 U, DOM-10 U, DOM-18 U, DOM-27 U, SER-09 U, UNI-12 U
{
    check_golden<domains::Message>("model/003_message.json");
    check_golden<domains::Conversation>("model/003_conversation.json");
    check_golden<domains::ToolCall>("model/003_tool_call.json");
    check_golden<domains::Domain>("model/003_domain.json");
    check_golden<domains::AnswerView>("model/003_agent_response.json");
    check_golden<domains::DomainRoutingDecision>("model/003_routing_decision.json");

    // where the document says "list of … objects", its own examples stand
    const auto conversation = golden_as<domains::Conversation>("model/003_conversation.json");
    const auto call = golden_as<domains::ToolCall>("model/003_tool_call.json");
    REQUIRE(conversation.messages.size() == 2);
    CHECK(conversation.messages[0] == golden_as<domains::Message>("model/003_message.json"));
    CHECK(conversation.messages[1].tool_calls.value().at(0) == call);
    CHECK(golden_as<domains::AnswerView>("model/003_agent_response.json").tool_calls_made.at(0) == call);
}

TEST_CASE(
    "003: every entity reads its example and writes it back equal, and has a schema and a page")  // SER-01 U, STATE-23 U, DOM-01 U, DOM-11 U, DOM-19 U
{
    const auto entities = domains::entities();
    CHECK(entities.size() == 8);
    check_examples(entities);
}

TEST_CASE(
    "003 Message: two roles, content, a time, calls of the assistant only")  // STATE-16 U, STATE-17 U, STATE-18 U, STATE-19 U
{
    check_required<domains::Message>({"role", "content", "timestamp"});
    check_rules<domains::Message>({
        {"role", "\"system\"", "role: \"system\" is none of user, assistant"},
        {"role", "\"tool\"", "role: \"tool\" is none of user, assistant"},
        {"content", "\"\"", "content: must not be empty"},
        {"timestamp", "\"yesterday\"", "timestamp: \"yesterday\" is not a time: the year must be 4 digits"},
        {"tool_calls", "[]", "tool_calls: are for assistant messages only"},
    });
    CHECK(default_of<domains::Message>("tool_calls") == "null");
    json::value answer = parse_json(description_of<domains::Message>().example);
    answer.as_object()["role"] = "assistant";
    answer.as_object()["tool_calls"] = json::array{parse_json(golden("model/003_tool_call.json"))};
    CHECK(read_back(description_of<domains::Message>(), answer).text == to_text(answer));
}

TEST_CASE(
    "003 Conversation: id, first message, turns and times")  // STATE-24 U, STATE-27 U, STATE-29 U, STATE-30 U, STATE-31 U
{
    check_required<domains::Conversation>({"session_id", "messages"});
    check_rules<domains::Conversation>({
        {"session_id", "\"abc\"", "session_id: \"abc\" is not a UUID of version 4"},
        {"created_at", "\"2025-11-02T10:30:01Z\"", "last_updated: must not be before created_at"},
        {"last_updated", "\"2025-11-02T10:30:09Z\"", "last_updated: must be the timestamp of the last message"},
    });
    const char *one = "2025-11-02T10:30:00Z", *two = "2025-11-02T10:31:00Z", *three = "2025-11-02T10:32:00Z";
    CHECK(problems_of(conversation({user(one), assistant(two), user(three)})).text() == "");
    CHECK(problems_of(conversation({assistant(one), user(two)})).text() ==
          "messages[0]: must be the user's: it is the first");
    CHECK(problems_of(conversation({user(one), user(two)})).text() ==
          "messages[1]: must not have the role of the one before it: user and assistant take turns");
    auto busy = assistant(two);
    busy.tool_calls.emplace(3, golden_as<domains::ToolCall>("model/003_tool_call.json"));
    CHECK(problems_of(conversation({user(one), busy})).text() == "");
}

TEST_CASE("003 Conversation: a message is appended, and those before it keep every byte")  // STATE-26 U, STATE-27 U
{
    const ManualClock clock;
    const auto filled = from_text<domains::Conversation>(
        R"({"session_id":"550e8400-e29b-41d4-a716-446655440000","messages":[{"role":"user","content":"x",)"
        R"("timestamp":"2099-01-01T00:00:00Z","tool_calls":null,"metadata":{}}],)"
        R"("last_updated":"2099-01-01T00:00:00Z","metadata":{}})",
        {.clock = &clock});
    CHECK(filled.created_at == clock.now());
    const auto before = conversation({user("2025-11-02T10:30:00Z")});
    const auto after = appended(before, assistant("2025-11-02T10:31:00Z"));
    CHECK(after.last_updated == after.messages.back().timestamp);
    CHECK(to_json_text(after.messages[0]) == to_json_text(before.messages[0]));
    CHECK(problems_of(after).text() == "");
}

TEST_CASE("003 Conversation: created, active, idle by the clock")  // STATE-32 U
{
    using namespace std::chrono;
    const auto asked = conversation({user("2025-11-02T10:30:00Z")});
    const auto answered = appended(asked, assistant("2025-11-02T10:30:00Z"));
    const Time start = asked.created_at;
    CHECK(state_of(asked, start) == ConversationState::created);
    CHECK(state_of(answered, start) == ConversationState::active);
    CHECK(state_of(answered, start + minutes(59)) == ConversationState::active);
    CHECK(state_of(answered, start + hours(1) - Millis(1)) == ConversationState::active);
    CHECK(state_of(answered, start + hours(1)) == ConversationState::idle);
    CHECK(state_of(answered, start + minutes(61)) == ConversationState::idle);
    CHECK(state_of(asked, start + minutes(61)) == ConversationState::idle);
    const auto resumed = appended(answered, user("2025-11-02T12:30:00Z"));
    CHECK(state_of(resumed, start + hours(2)) == ConversationState::active);
}

TEST_CASE("003: metadata that nobody knows survives")  // DOM-33 U
{
    const char* const text = R"({"role":"user","content":"q","timestamp":"2025-11-02T10:30:00Z","tool_calls":null,)"
                             R"("metadata":{"from_2031":{"x":[1,2.5,null]}}})";
    CHECK(to_json_text(from_text<domains::Message>(text)) == text);
}

TEST_CASE(
    "003 ToolCall: fields, statuses, outcomes and times")  // TOOL-40 U, TOOL-41 U, TOOL-42 U, TOOL-43 U, TOOL-44 U, TOOL-45 U
{
    using domains::ToolCall;
    check_required<ToolCall>({"tool_id", "tool_name", "domain", "input_params", "status"});
    check_rules<ToolCall>({
        {"input_params", "\"x\"", "input_params: must be an object, is text"},
        {"input_params", R"({"a":{"b":[1]}})", ""},
        {"status", "\"done\"", "status: \"done\" is none of pending, in_progress, completed, failed, timeout"},
        {"status", "\"pending\"", "status: must be completed, failed or timeout when there is a result or an error"},
        {"status", "\"in_progress\"",
         "status: must be completed, failed or timeout when there is a result or an error"},
        {"status", "\"failed\"", "error: is required when status is failed"},
        {"error", "\"oops\"", "result: cannot stand beside error; only one of the two can be non-null"},
        {"started_at", "null", "started_at: is required unless status is pending"},
        {"execution_time_ms", "6999", "execution_time_ms: must be completed_at - started_at, which is 7000"},
        {"execution_time_ms", "null", ""},
    });
    CHECK(problems_with<ToolCall>("completed_at", "\"2025-11-02T10:30:04Z\"")
              .starts_with("completed_at: must not be before started_at"));
    const ToolCall pending =
        from_text<ToolCall>(R"({"tool_id":"1","tool_name":"t","domain":"d","input_params":{},"status":"pending"})");
    CHECK(!pending.result);
    CHECK(!pending.error);
    CHECK(to_json_text(pending) ==
          R"({"tool_id":"1","tool_name":"t","domain":"d","input_params":{},"status":"pending","result":null,)"
          R"("error":null,"started_at":null,"completed_at":null,"execution_time_ms":null})");
    const auto example = golden_as<ToolCall>("model/003_tool_call.json");
    CHECK(duration_ms(from(example)) == 7000);
    CHECK(domains::view(from(example)).execution_time_ms == 7000);
    CHECK(!domains::view(from(pending)).execution_time_ms);
}

TEST_CASE("003 ToolCall: its tool and its domain are registered, its id is shown")  // TOOL-38 U, TOOL-39 U, DOM-09 U
{
    const auto domain = golden_as<domains::Domain>("model/003_domain.json");
    auto call = golden_as<domains::ToolCall>("model/003_tool_call.json");
    const auto problems = [&] {
        Problems found;
        check_known(call, {&domain, 1}, domain.mcp_tools, found);
        return found.text();
    };
    CHECK(problems() == "");
    call.tool_name = "other";
    CHECK(problems() == "tool_name: \"other\" is not a registered tool");
    call.tool_name = domain.mcp_tools[0];
    call.domain = "weather";
    CHECK(problems() == "domain: \"weather\" is not a registered domain");

    const Call a{.id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"}, b{.id = "9b2d4f6a-8c1e-4a3b-b5d7-0f9e8d7c6b5a"};
    CHECK(domains::view(a).tool_id != domains::view(b).tool_id);
}

TEST_CASE("003 Domain: name and texts, and what it refers to")  // DOM-02 U, DOM-03 U
{
    check_required<domains::Domain>({"name", "display_name", "description"});
    for (const char* name : {"\"Customer\"", "\"customer-behavior\"", "\"\"", "\"1x\""})
        CHECK(problems_with<domains::Domain>("name", name).starts_with("name: "));
    CHECK(default_of<domains::Domain>("enabled") == "true");

    domains::Domain behavior = golden_as<domains::Domain>("model/003_domain.json");
    const std::vector<std::string> tools = behavior.mcp_tools;
    std::vector<domains::Domain> all{behavior, {.name = "inventory"}, {.name = "pricing"}, {.name = "marketing"}};
    const auto problems = [&] {
        Problems found;
        check_domains(all, tools, found);
        return found.text();
    };
    CHECK(problems() == "");
    CHECK(domains::find_domain(all, tools[1])->name == "customer_behavior");
    CHECK(!domains::find_domain(all, "other"));
    all[3] = behavior;
    CHECK(problems() == "[3].name: \"customer_behavior\" is here twice; rename one of them\n"
                        "[0].related_domains[2]: \"marketing\" is not a registered domain\n"
                        "[3].related_domains[2]: \"marketing\" is not a registered domain");
    all.resize(3);
    all[0].related_domains.clear();
    all[0].mcp_tools.push_back("gone");
    CHECK(problems() == "[0].mcp_tools[2]: \"gone\" is not a registered tool");
}

TEST_CASE(
    "003 DomainRoutingDecision: domains unless clarifying, confidence, reasons")  // DOM-12 U, DOM-13 U, DOM-14 U, DOM-15 U
{
    using domains::DomainRoutingDecision;
    check_required<DomainRoutingDecision>({"user_query", "identified_domains", "reasoning", "confidence"});
    check_rules<DomainRoutingDecision>({
        {"identified_domains", "[]", "identified_domains: must not be empty unless clarification_needed is true"},
        {"confidence", "1.1", "confidence: must be at most 1, is 1.1"},
        {"confidence", "-0.1", "confidence: must be at least 0, is -0.1"},
        {"confidence", "1", ""},
    });
    const DomainRoutingDecision unclear{.user_query = "q", .clarification_needed = true};
    CHECK(problems_of(unclear).text() == "");
    const DomainRoutingDecision silent{
        .user_query = "q", .identified_domains = {"a", "b"}, .confidence = 0.9, .ambiguity_detected = true};
    CHECK(problems_of(silent).text() == "reasoning: must explain the alternatives when ambiguity_detected is true");
}

TEST_CASE(
    "003 AgentResponse: answer, sources, calls, suggestions, time")  // DOM-20 U, DOM-21 U, DOM-22 U, DOM-23 U, DOM-25 U
{
    using domains::AnswerView;
    check_required<AnswerView>({"answer", "sources", "tool_calls_made", "confidence", "total_execution_time_ms"});
    check_rules<AnswerView>({
        {"answer", "\"\"", "answer: must not be empty"},
        {"suggestions", R"(["a","b","c","d"])", "suggestions: must have at most 3 elements, has 4"},
        {"suggestions", R"(["a","b","c"])", ""},
        {"confidence", "\"sure\"", "confidence: \"sure\" is none of high, medium, low"},
        {"total_execution_time_ms", "60000", "total_execution_time_ms: must be at most 59999, is 60000"},
        {"total_execution_time_ms", "59999", ""},
    });
    AnswerView answer = golden_as<AnswerView>("model/003_agent_response.json");
    CHECK(problems_of(answer).text() == "");
    answer.tool_calls_made.pop_back();
    CHECK(problems_of(answer).text() == "sources[1]: \"inventory.genie\" has no call in tool_calls_made");
    AnswerView bare = answer;
    bare.tool_calls_made.clear();
    CHECK(problems_of(bare).text() == "sources[0]: \"customer_behavior.genie\" has no call in tool_calls_made\n"
                                      "sources[1]: \"inventory.genie\" has no call in tool_calls_made");
    answer.sources.resize(1);
    CHECK(problems_of(answer).text() == "");
    answer.sources.clear();
    CHECK(problems_of(answer).text() == "sources: must name at least one: the answer is based on data");
}
