// The documents' own summaries of their constraints, one test a row: 002 "Validation Summary", 003 "Validation & Constraints
// Summary".
#include "model/views/domains.hpp"
#include "model/views/orchestration.hpp"
#include "model/views/orchestration_options.hpp"
#include "model/views/orchestration_route.hpp"
#include "support/entity_rules.hpp"

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;
namespace a2a = cadre::model::orchestration;

namespace {

/// Exactly these fields are required, exactly those may be left out.
template <class T>
void check_fields(const std::set<std::string_view>& required, const std::set<std::string_view>& optional)
{
    std::set<std::string_view> needed, free;
    for (const Field& field : description_of<T>().fields) {
        CAPTURE(field.name);
        const std::string name(field.name);
        const bool can_be_left_out = problems_without<T>(field.name) == "";
        if (!can_be_left_out) CHECK(problems_without<T>(field.name) == name + ": is required");
        (can_be_left_out ? free : needed).insert(field.name);
    }
    CHECK(needed == required);
    CHECK(free == optional);
}

Problems registry_problems(const a2a::AgentChoiceResult& choice)
{
    const std::vector<std::string> registered{"light-agent"};
    Problems problems;
    check_known(choice, registered, {}, problems);
    return problems;
}

}  // namespace

TEST_CASE("002 row TaskContext: id, session and status; the session is not empty")
{
    check_fields<a2a::TaskContext>({"id", "sessionId", "status"}, {"history", "artifacts", "metadata"});
    CHECK(problems_with<a2a::TaskContext>("sessionId", "\"\"") == "sessionId: must not be empty");
}

TEST_CASE("002 row TaskStatus: a state, and a valid one")
{
    check_fields<a2a::TaskStatus>({"state"}, {"message", "timestamp"});
    for (const std::string_view state : {"\"done\"", "\"\"", "5", "null"})
        CHECK(problems_with<a2a::TaskStatus>("state", state).starts_with("state: "));
}

TEST_CASE("002 row AgentChoiceResult: an agent of the registry, a confidence from 0 to 1")
{
    check_fields<a2a::AgentChoiceResult>({"agentId", "confidence"}, {"reasoning", "additionalAgents"});
    for (const char* inside : {"0.0", "0.5", "1.0"})
        CHECK(problems_with<a2a::AgentChoiceResult>("confidence", inside) == "");
    for (const char* outside : {"-0.01", "1.01"})
        CHECK(problems_with<a2a::AgentChoiceResult>("confidence", outside) != "");
    CHECK(registry_problems({.agent_id = "light-agent"}).text() == "");
    CHECK(registry_problems({.agent_id = "oven"}).text() == "agentId: \"oven\" is not a registered agent");
}

TEST_CASE("002 row AgentResponse: what failed says why")
{
    const std::string done = R"({"agentId":"a","success":true,"executionTimeMs":0})";
    CHECK(read_back(description_of<a2a::AgentReplyView>(), parse_json(done)).problems == "");
    check_required<a2a::AgentReplyView>({"agentId", "success", "executionTimeMs"});
    CHECK(problems_without<a2a::AgentReplyView>("content") == "");
    CHECK(problems_without<a2a::AgentReplyView>("errorMessage") == "errorMessage: is required when success is false");
}

TEST_CASE("002 row WorkflowState: every field may be left out")
{
    check_fields<a2a::WorkflowState>({}, {"currentExecutor", "pendingOperations", "startTime", "metadata"});
    CHECK(read_back(description_of<a2a::WorkflowState>(), json::object()).problems == "");
}

TEST_CASE("003 row Message: the role is user or assistant")
{
    for (const char* role : {"\"user\"", "\"assistant\""}) CHECK(problems_with<domains::Message>("role", role) == "");
    for (const std::string role : {"system", "tool", "User", ""})
        CHECK(problems_with<domains::Message>("role", '"' + role + '"') ==
              "role: \"" + role + "\" is none of user, assistant" + (role == "User" ? ", did you mean \"user\"?" : ""));
}

TEST_CASE("003 row Conversation: the first message is the user's")
{
    json::value conversation = parse_json(description_of<domains::Conversation>().example);
    CHECK(read_back(description_of<domains::Conversation>(), conversation).problems == "");
    conversation.at("messages").at(0).as_object()["role"] = "assistant";
    CHECK(read_back(description_of<domains::Conversation>(), conversation).problems ==
          "messages[0]: must be the user's: it is the first");
}

TEST_CASE("003 row ToolCall: it may end as a timeout")
{
    CHECK(problems_with<domains::ToolCall>("status", "\"timeout\"") == "");
}

TEST_CASE("003 row Domain: names are unique")
{
    const auto domain = from_text<domains::Domain>(description_of<domains::Domain>().example);
    domains::Domain other = domain;
    other.name = domain.related_domains[0];
    Problems one_each, twice;
    check_domains(std::vector{domain, other}, domain.mcp_tools, one_each);
    CHECK(one_each.text() == "");
    check_domains(std::vector{domain, domain}, domain.mcp_tools, twice);
    CHECK(twice.list()[0].line() == "[1].name: \"inventory\" is here twice; rename one of them");
}

TEST_CASE("003 row AgentResponse: the whole answer takes less than 60 seconds")
{
    CHECK(problems_with<domains::AnswerView>("total_execution_time_ms", "59999") == "");
    CHECK(problems_with<domains::AnswerView>("total_execution_time_ms", "60000") ==
          "total_execution_time_ms: must be at most 59999, is 60000");
}

TEST_CASE("003 row Routing Decision: at least one domain, unless it asks back")
{
    json::value decision = parse_json(description_of<domains::DomainRoutingDecision>().example);
    CHECK(read_back(description_of<domains::DomainRoutingDecision>(), decision).problems == "");
    decision.as_object()["identified_domains"] = json::array();
    CHECK(read_back(description_of<domains::DomainRoutingDecision>(), decision).problems ==
          "identified_domains: must not be empty unless clarification_needed is true");
    decision.as_object()["clarification_needed"] = true;
    CHECK(read_back(description_of<domains::DomainRoutingDecision>(), decision).problems == "");
}
