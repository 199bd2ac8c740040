#include "model/views/orchestration_route.hpp"

#include "base/sim_loop.hpp"
#include "model/read.hpp"
#include "model/views/aggregate.hpp"
#include "model/views/orchestration_options.hpp"
#include "model/write.hpp"
#include "support/entity_rules.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::model::orchestration;
using namespace cadre::test;

namespace {

AgentReplyView said(std::string text)
{
    return {.agent_id = "a", .content = std::move(text), .success = true};
}
AgentReplyView failed(std::string why)
{
    return {.agent_id = "b", .success = false, .error_message = std::move(why)};
}

/// Every field with its default, written or not.
template <class T>
std::string defaults_of()
{
    std::string out;
    for (const Field& field : description_of<T>().fields) {
        out += (out.empty() ? "{\"" : ",\"") + std::string(field.name) + "\":";
        write_value(out, field.initial, *field.type);
    }
    return out + "}";
}

}  // namespace

// A2A-27 U, A2A-28 U, A2A-29 U, A2A-30 U, SER-04 U, SER-05 U
TEST_CASE("002: a choice names an agent and how sure it is")
{
    for (const std::string field : {"agentId", "confidence"})
        CHECK(problems_without<AgentChoiceResult>(field) == field + ": is required");
    CHECK(problems_with<AgentChoiceResult>("agentId", "\"\"") == "agentId: must not be empty");
    CHECK(problems_with<AgentChoiceResult>("confidence", "-0.01") == "confidence: must be at least 0, is -0.01");
    CHECK(problems_with<AgentChoiceResult>("confidence", "1.01") == "confidence: must be at most 1, is 1.01");
    for (const char* edge : {"0", "1", "\"0.95\""}) CHECK(problems_with<AgentChoiceResult>("confidence", edge) == "");
    CHECK(default_of<AgentChoiceResult>("reasoning") == "not written");
    CHECK(default_of<AgentChoiceResult>("additionalAgents") == "not written");
    CHECK(problems_with<AgentChoiceResult>("additionalAgents", R"(["music-agent","light-agent"])") ==
          "additionalAgents[1]: is the primary agent already");
    CHECK(problems_with<AgentChoiceResult>("additionalAgents", R"(["x",""])") ==
          "additionalAgents[1]: must not be empty");
    CHECK(problems_with<AgentChoiceResult>("additionalAgents", R"(["x","x"])") ==
          "additionalAgents[1]: \"x\" is here twice; remove one of them");
    CHECK(from_text<AgentChoiceResult>(R"({"AgentID":"x","Confidence":"0.95"})").confidence == 0.95);
}

TEST_CASE("002: only registered agents can be chosen, and the two that always are")  // A2A-27 U, A2A-65 U, A2A-67 U
{
    const std::vector<std::string> registered{"light-agent", "music-agent"};
    auto problems = [&](AgentChoiceResult choice, RouterExecutorOptions options = {}) {
        Problems found;
        check_known(choice, registered, options, found);
        return found.text();
    };
    CHECK(problems({.agent_id = "light-agent", .additional_agents = {{"music-agent"}}}) == "");
    CHECK(problems({.agent_id = "toaster-agent"}) == "agentId: \"toaster-agent\" is not a registered agent");
    CHECK(problems({.agent_id = "light-agent", .additional_agents = {{"musik-agent"}}}) ==
          "additionalAgents[0]: \"musik-agent\" is not a registered agent, did you mean \"music-agent\"?");
    CHECK(problems({.agent_id = "clarification-agent"}) == "");
    CHECK(problems({.agent_id = "fallback-agent"}) == "");
    CHECK(problems({.agent_id = "asker"}, {.clarification_agent_id = "asker"}) == "");
    CHECK(problems({.agent_id = "giver"}, {.fallback_agent_id = "giver"}) == "");
    CHECK(clarification_agent({}) == "clarification-agent");
    CHECK(fallback_agent({}) == "fallback-agent");
}

// A2A-36 U, A2A-37 U, A2A-38 U, A2A-39 U, A2A-40 U, SER-06 U
TEST_CASE("002: an agent's answer says why it failed, and only then")
{
    for (const std::string field : {"agentId", "success", "executionTimeMs"})
        CHECK(problems_without<AgentReplyView>(field) == field + ": is required");
    CHECK(problems_with<AgentReplyView>("agentId", "\"\"") == "agentId: must not be empty");
    CHECK(default_of<AgentReplyView>("content") == "\"\"");
    CHECK(problems_with<AgentReplyView>("errorMessage", "null") == "errorMessage: is required when success is false");
    CHECK(problems_with<AgentReplyView>("success", "true") == "errorMessage: must be null when success is true");
    CHECK(problems_with<AgentReplyView>("executionTimeMs", "-1") == "executionTimeMs: must be at least 0, is -1");
    CHECK(problems_with<AgentReplyView>("executionTimeMs", "9007199254740993") == "");
    CHECK(to_json_text(said("x")) == R"({"agentId":"a","content":"x","success":true,"executionTimeMs":0})");
}

TEST_CASE("002: the state of a routed request may be empty")  // A2A-46 U
{
    ManualClock clock(time_from_iso("2025-10-13T10:29:45Z"));
    const auto state = from_text<WorkflowState>("{}", {.clock = &clock});
    CHECK(to_json_text(state) == R"({"startTime":"2025-10-13T10:29:45Z"})");
    const char* const whole = R"({"currentExecutor":"router","pendingOperations":[{"a":1},"b"],)"
                              R"("startTime":"2025-10-13T10:29:45Z","metadata":{"correlationId":"c"}})";
    CHECK(to_json_text(from_text<WorkflowState>(whole)) == whole);
    CHECK(from_text<WorkflowState>(R"({"CurrentExecutor":"router"})").current_executor == "router");
}

TEST_CASE("002: options have the document's defaults")  // A2A-55 U, A2A-56 U, A2A-65 U, A2A-67 U, A2A-73 U
{
    CHECK(defaults_of<RouterExecutorOptions>() ==
          R"({"ChatClientKey":"ollama-phi3-mini","ConfidenceThreshold":0.7,"MaxAttempts":3,"Temperature":0.3,)"
          R"("MaxOutputTokens":500,"SystemPrompt":null,"UserPromptTemplate":null,"AgentCatalogHeader":null,)"
          R"("IncludeAgentCapabilities":true,"IncludeSkillExamples":true,"ClarificationAgentId":null,)"
          R"("ClarificationPromptTemplate":null,"FallbackAgentId":null,"FallbackReasonTemplate":null})");
    CHECK(defaults_of<AgentExecutorWrapperOptions>() ==
          R"({"DefaultTimeoutMs":30000,"MaxRetries":2,"RetryDelayMs":1000,"EnableTelemetry":true})");
    CHECK(defaults_of<ResultAggregatorOptions>() ==
          R"({"DefaultFallbackMessage":"I encountered an issue processing your request. Please try again.",)"
          R"("PartialFailureTemplate":"{successMessage} However, {failureMessage}",)"
          R"("EnableNaturalLanguageJoining":true})");
    CHECK(defaults_of<OrchestrationOptions>() == R"({"TaskContextTTL":24.0,"Dispatch":"sequential","Router":null})");
    CHECK(from_text<AppSettings>("{}") == AppSettings{});
    CHECK(kDefaultClarificationAgentId == "clarification-agent");
    CHECK(kDefaultFallbackAgentId == "fallback-agent");
    CHECK(context_lifetime({}) == std::chrono::hours(24));
    CHECK(context_lifetime({.task_context_ttl = 0.5}) == std::chrono::minutes(30));
}

TEST_CASE("002: options out of their range are refused")  // A2A-56 U
{
    struct {
        const char* text;
        const char* says;
    } const cases[] = {
        {R"({"RouterExecutor":{"ConfidenceThreshold":1.5}})",
         "RouterExecutor.ConfidenceThreshold: must be at most 1, is 1.5"},
        {R"({"RouterExecutor":{"ConfidenceThreshold":-1}})",
         "RouterExecutor.ConfidenceThreshold: must be at least 0, is -1"},
        {R"({"RouterExecutor":{"Temperature":1.1}})", "RouterExecutor.Temperature: must be at most 1, is 1.1"},
        {R"({"RouterExecutor":{"MaxAttempts":0}})", "RouterExecutor.MaxAttempts: must be at least 1, is 0"},
        {R"({"RouterExecutor":{"MaxOutputTokens":0}})", "RouterExecutor.MaxOutputTokens: must be at least 1, is 0"},
        {R"({"RouterExecutor":{"ChatClientKey":""}})", "RouterExecutor.ChatClientKey: must not be empty"},
        {R"({"AgentExecutorWrapper":{"DefaultTimeoutMs":0}})",
         "AgentExecutorWrapper.DefaultTimeoutMs: must be at least 1, is 0"},
        {R"({"AgentExecutorWrapper":{"MaxRetries":-1}})", "AgentExecutorWrapper.MaxRetries: must be at least 0, is -1"},
        {R"({"OrchestrationOptions":{"TaskContextTTL":0}})",
         "OrchestrationOptions.TaskContextTTL: must be more than 0, is 0"},
        {R"({"RouterExecutr":{}})", "RouterExecutr: is not a field of app_settings, did you mean \"RouterExecutor\"?"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(read_back(description_of<AppSettings>(), parse_json(c.text)).problems == c.says);
    }
    const auto settings =
        from_text<AppSettings>(R"({"routerexecutor":{"maxattempts":"5"},)"
                               R"("orchestrationOptions":{"taskContextTTL":"1","dispatch":"parallel"}})");
    CHECK(settings.router_executor.max_attempts == 5);
    CHECK(context_lifetime(settings.orchestration) == std::chrono::hours(1));
    CHECK(settings.orchestration.dispatch == Dispatch::parallel);
}

TEST_CASE("002: the appsettings.json example is read and written back to the letter")  // UNI-12 U
{
    check_golden<AppSettings>("model/002_appsettings.json");
    // what says something else than the defaults is read as that, and written too
    const char* const text =
        R"({"RouterExecutor":{"ChatClientKey":"k","ConfidenceThreshold":0.9,"MaxAttempts":1,"Temperature":null,)"
        R"("MaxOutputTokens":null,"SystemPrompt":"s","IncludeAgentCapabilities":false,"IncludeSkillExamples":false},)"
        R"("AgentExecutorWrapper":{"DefaultTimeoutMs":1,"MaxRetries":0,"RetryDelayMs":0,"EnableTelemetry":false},)"
        R"("ResultAggregator":{"DefaultFallbackMessage":"f","PartialFailureTemplate":"p",)"
        R"("EnableNaturalLanguageJoining":false},"OrchestrationOptions":{"TaskContextTTL":1.5,)"
        R"("Dispatch":"parallel"}})";
    CHECK(to_json_text(from_text<AppSettings>(text)) == text);
}

// A2A-42 U, A2A-43 U, A2A-44 U, A2A-45 U, A2A-53 U, A2A-73 U, A2A-74 U, A2A-75 U
TEST_CASE("002: answers become one text")
{
    const char* const fallback = "I encountered an issue processing your request. Please try again.";
    const ResultAggregatorOptions plain{.enable_natural_language_joining = false};
    struct {
        const char* name;
        std::vector<AgentReplyView> replies;
        ResultAggregatorOptions options;
        const char* text;
    } const cases[] = {
        {"one", {said("  as it is\n")}, {}, "  as it is\n"},
        {"two phrases", {said("lights on"), said("music playing")}, {}, "lights on and music playing"},
        {"three phrases", {said("a"), said("b"), said("c")}, {}, "a, b and c"},
        {"two sentences",
         {said("The lights are on."), said("Jazz is playing.")},
         {},
         "The lights are on. Also, Jazz is playing."},
        {"a phrase and a sentence", {said("Done"), said("It took 3 s!")}, {}, "Done. Also, It took 3 s!"},
        {"one said nothing", {said("Done."), said(" ")}, {}, "Done."},
        {"plain", {said("The lights are on."), said("Jazz is playing.")}, plain, "The lights are on. Jazz is playing."},
        {"one failed",
         {said("I've dimmed the lights to 30%."), failed("Music Assistant service is unavailable (HTTP 503)")},
         {},
         "I've dimmed the lights to 30%. However, Music Assistant service is unavailable (HTTP 503)."},
        {"two failed",
         {failed("no music"), said("Lights on"), failed("no heat")},
         {},
         "Lights on. However, no music and no heat."},
        {"a failure without words", {said("Lights on."), failed("")}, {}, "Lights on. However, b failed."},
        {"nothing but a failure", {said(""), failed("no music")}, {}, "However, no music."},
        {"own template",
         {said("A."), failed("B.")},
         {.partial_failure_template = "[{failureMessage}] {successMessage} {other}"},
         "[B.] A. {other}"},
        {"what agents say is no template",
         {said("{failureMessage}."), failed("x.")},
         {},
         "{failureMessage}. However, x."},
        {"one that failed", {failed("x")}, {}, fallback},
        {"all failed", {failed("x"), failed("y")}, {}, fallback},
        {"nobody", {}, {}, fallback},
        {"own fallback", {failed("x")}, {.default_fallback_message = "Sorry."}, "Sorry."},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(aggregate(c.replies, c.options) == c.text);
    }
}
