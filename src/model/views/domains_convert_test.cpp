#include "model/views/domains.hpp"

#include "base/json.hpp"
#include "model/calls.hpp"
#include "support/entity_rules.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;
namespace domains = cadre::model::domains;

TEST_CASE("calls, decisions and replies become 003's and come back")
{
    const auto example = golden_as<domains::ToolCall>("model/003_tool_call.json");
    CHECK(domains::view(domains::from(example)) == example);
    const auto decision = golden_as<domains::DomainRoutingDecision>("model/003_routing_decision.json");
    CHECK(domains::view(domains::from(decision)) == decision);
    Decision unsure = domains::from(decision);
    unsure.confidence = 0.5;
    CHECK(domains::view(unsure).clarification_needed);  // C-34

    Call call = domains::from(example);
    call.id = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
    call.result = json::value("just text");
    CHECK(domains::view(call).tool_id == "tc_7c9e6679742540de944be07fc1f90ae7");
    CHECK(domains::view(call).result == json::object{{"value", "just text"}});
    call.status = CallStatus::timeout;
    call.timeout_ms = domains::kToolLimitMs;
    CHECK(domains::view(call).error == "timeout after 50 s");
    CHECK(!domains::view(call).result);

    const Reply reply{.text = "Product A.",
                      .elapsed_ms = 900,
                      .sources = {"customer_behavior.genie"},
                      .calls = {call},
                      .suggestions = {"1", "2", "3", "4"},
                      .confidence = Confidence::low,
                      .partial = true};
    const auto answer = domains::view(reply);
    CHECK(answer.suggestions.size() == 3);
    CHECK(answer.partial_results);
    CHECK(answer.tool_calls_made.size() == 1);
    CHECK(problems_of(answer).text() == "");
}

TEST_CASE("a session's steps are shown as questions and answers that take turns")
{
    const auto domain = golden_as<domains::Domain>("model/003_domain.json");
    const auto call = domains::from(golden_as<domains::ToolCall>("model/003_tool_call.json"));
    const Time start = time_from_iso("2025-11-02T10:30:00Z");
    const auto at = [&](int second) { return start + std::chrono::seconds(second); };
    const auto text = [](const char* words) { return std::vector<Part>{TextPart{.text = words}}; };
    const Step history[] = {
        {.id = "1", .role = Role::user, .parts = text("lost question"), .at = at(0)},
        {.id = "2", .role = Role::user, .parts = text("What is abandoned?"), .at = at(4)},
        {.id = "3", .role = Role::assistant, .parts = {ToolCallPart{tool_call_of(call)}}, .at = at(5)},
        {.id = "4", .role = Role::tool, .parts = {ToolResultPart{tool_result_of(call)}}, .at = at(12)},
        {.id = "5", .role = Role::system, .parts = text("not for people"), .at = at(12)},
        {.id = "6", .role = Role::assistant, .parts = text("Product A."), .at = at(13)},
    };
    const Session session{.id = "550e8400-e29b-41d4-a716-446655440000",
                          .user = "user@example.com",
                          .created_at = start,
                          .updated_at = start};
    const auto shown = domains::view(session, history, {&domain, 1});
    CHECK(problems_of(shown).text() == "");
    REQUIRE(shown.messages.size() == 4);
    CHECK(shown.messages[1].content == "This question could not be answered.");
    CHECK(shown.messages[3].content == "Product A.");
    REQUIRE(shown.messages[3].tool_calls);
    CHECK(shown.messages[3].tool_calls->at(0).domain == "customer_behavior");
    CHECK(shown.messages[3].tool_calls->at(0).execution_time_ms == 7000);
    CHECK(shown.messages[3].metadata == json::object{{"domains", json::array{"customer_behavior"}}});
    CHECK(shown.last_updated == at(13));
    CHECK(shown.metadata.at("user_id") == "user@example.com");
}

TEST_CASE("003: what a turn said and did before its end is kept, and what the document has no place for is left out")
{
    const auto text = [](const char* words) { return Part{TextPart{.text = words}}; };
    const auto called = [](const char* id) { return Part{ToolCallPart{{.id = id, .tool_name = "t"}}}; };
    const Step history[] = {
        {.id = "0", .parts = {text("before the first question")}, .duration = 9},
        {.id = "1", .role = Role::user, .parts = {text("one")}, .duration = 9},
        {.id = "2", .parts = {text("I look."), called("tc_a")}, .duration = 20},
        {.id = "3", .role = Role::tool, .parts = {text("from a tool")}, .duration = 300},
        {.id = "4", .parts = {text("Still looking."), called("tc_b")}},
        {.id = "5", .role = Role::system, .parts = {text("from the system")}},
        {.id = "6", .parts = {text("Here."), GuardrailPart{}}, .duration = 1},
        {.id = "7", .role = Role::user, .parts = {text("two")}},
        {.id = "8", .parts = {called("tc_c")}, .duration = 7},
        {.id = "9", .role = Role::user, .parts = {text("three")}},
    };
    const auto shown = domains::view(Session{}, history).messages;
    REQUIRE(shown.size() == 5);
    CHECK(shown[0].content == "one");
    CHECK(shown[1].content == "Here.");
    CHECK(to_text(shown[1].metadata) ==
          R"({"execution_time_ms":321,"domains":[""],"said_before":["I look.","Still looking."]})");
    REQUIRE(shown[1].tool_calls);
    CHECK(shown[1].tool_calls->size() == 2);
    CHECK(to_text(shown[3].metadata) == R"({"error":true,"execution_time_ms":7,"domains":[""]})");  // it died
    REQUIRE(shown[3].tool_calls);
    CHECK(shown[3].tool_calls->at(0).tool_id == "tc_c");
    CHECK(shown[4].content == "three");
    // a loss that the header names
    for (const auto& message : shown) CHECK(to_json_text(message).find("from ") == std::string::npos);
    for (const auto& message : shown) CHECK(to_json_text(message).find("before the first") == std::string::npos);
}
