#include "model/views/conversation.hpp"

#include "model/views/conversation_config.hpp"
#include "model/views/conversation_log.hpp"
#include "support/entity_rules.hpp"

using namespace cadre;
using namespace cadre::model;
using namespace cadre::model::conversation;
using namespace cadre::test;

namespace {

std::string text_of(std::size_t code_points)
{
    std::string text;
    for (std::size_t i = 0; i < code_points; ++i) text += "é";
    return text;
}

}  // namespace

// SER-01 U, CONV-71 U, CONV-01 U, CONV-23 U, CONV-35 U, CONV-47 U, CONV-58 U, TRACE-35 U
TEST_CASE("001: every entity reads its example and writes it back equal, and has a schema and a page")
{
    CHECK(conversation::entities().size() == 18);
    check_examples(conversation::entities());
}

TEST_CASE("001: the data flow example is read and written to the letter")  // UNI-12 U, SER-09 U, CONV-01 U, CONV-58 U
{
    check_golden<ExecutionPlan>("model/001_execution_plan.json");
    check_golden<Scorecard>("model/001_scorecard.json");
    check_golden<FormattedResponse>("model/001_formatted_response.json");
    check_golden<ValidationResult>("model/001_validation_result.json");
    check_golden<MultiAgentWorkflowState>("model/001_workflow_state.json");
}

// CONV-03 U, CONV-04 U, CONV-08 U, CONV-09 U, CONV-10 U
TEST_CASE("001: a plan names its message, channel and steps; what is left out has its default")
{
    check_required<ExecutionPlan>({"request_id", "user_message", "channel", "steps"});
    check_required<ExecutionStep>({"agent", "action"});
    CHECK(default_of<ExecutionStep>("parameters") == "{}");
    CHECK(default_of<ExecutionPlan>("requires_timesheet_data") == "false");
    CHECK(default_of<ExecutionPlan>("context") == "{}");
    check_filled_now<ExecutionPlan>({"created_at"});
    CHECK(problems_with<ExecutionPlan>("request_id", "\"\"") == "request_id: must not be empty");
    CHECK(problems_with<ExecutionPlan>("channel", "\"fax\"") ==
          "channel: \"fax\" is none of sms, email, whatsapp, teams");
    for (const char* channel : {"\"sms\"", "\"email\"", "\"whatsapp\"", "\"teams\""})
        CHECK(problems_with<ExecutionPlan>("channel", channel) == "");
    CHECK(problems_with<ExecutionPlan>("created_at", "\"yesterday\"") != "");
    CHECK(problems_with<ExecutionPlan>("created_at", "\"2025-11-24T11:00:00+02:00\"") == "");
}

// SER-10 U, CONV-05 U, CONV-20 U, CONV-27 U, CONV-32 U, CONV-38 U, CONV-41 U, CONV-61 U, TRACE-30 U, TRACE-38 U
TEST_CASE("001: broken rules are told in the document's own words, at their field")
{
    CHECK(problems_with<ExecutionPlan>("steps", "[]") == "steps: Execution plan must have at least one step");
    CHECK(problems_with<ScorecardCriterion>("description", "\"123456789\"") ==
          "description: Criterion description must be specific (min 10 chars)");
    CHECK(problems_with<ScorecardCriterion>("description", "\"1234567890\"") == "");
    CHECK(problems_with<ValidationResult>("feedback", "null") == "feedback: Feedback required when validation fails");
    CHECK(problems_with<ValidationResult>("feedback", "\"\"") == "feedback: Feedback required when validation fails");
    CHECK(problems_with<RefinementRequest>("attempt_number", "2") ==
          "attempt_number: Maximum 1 refinement attempt allowed");
    CHECK(problems_with<RefinementRequest>("attempt_number", "0") == "attempt_number: must be at least 1, is 0");
    CHECK(problems_with<FormattedResponse>("is_split", "true") == "parts: Parts required when is_split is true");
    CHECK(problems_with<AgentInteractionLog>("success", "false") ==
          "error: Error message required when success is false");
    CHECK(problems_with<ValidationFailureLog>("refinement_attempted", "false") ==
          "refinement_succeeded: refinement_succeeded can only be true if refinement_attempted");
    CHECK(problems_with<MultiAgentWorkflowState>("refinement_count", "2") ==
          "refinement_count: Maximum 1 refinement allowed");
    CHECK(problems_with<MultiAgentWorkflowState>("refinement_count", "-1") ==
          "refinement_count: must be at least 0, is -1");
    CHECK(problems_with<FormattedResponse>("content", '"' + text_of(1601) + '"') ==
          "content: SMS content exceeds 1600 character limit");
}

// CONV-41 U, CONV-36 U, CONV-37 U, CONV-40 U
TEST_CASE("001: only an SMS has 1600 characters at most, counted as people count")
{
    check_required<FormattedResponse>({"request_id", "channel", "content"});
    check_required<ReplyPiece>({"sequence", "content"});
    CHECK(default_of<FormattedResponse>("is_split") == "false");
    CHECK(default_of<FormattedResponse>("parts") == "[]");
    CHECK(default_of<FormattedResponse>("metadata") == "{}");
    check_filled_now<FormattedResponse>({"formatted_at"});

    FormattedResponse response{.request_id = "r", .channel = Channel::sms, .content = text_of(1600)};
    CHECK(problems_of(response).empty());
    response.content = text_of(1601);
    CHECK(problems_of(response).text() == "content: SMS content exceeds 1600 character limit");
    response.channel = Channel::email;
    CHECK(problems_of(response).empty());

    response = {.request_id = "r", .content = "x", .is_split = true};
    response.parts = {{.sequence = 1, .content = "x"}, {.sequence = 2, .content = text_of(1601)}};
    CHECK(problems_of(response).text() == "parts[1].content: SMS content exceeds 1600 character limit");
    response.parts[1] = {.sequence = 0, .content = "y"};
    CHECK(problems_of(response).text() == "parts[1].sequence: must be at least 1, is 0");
}

TEST_CASE("001: request ids that are no UUID are taken, with a warning")
{
    CHECK(problems_with<ExecutionPlan>("request_id", "\"req-123\"") == "");
    CHECK(request_id_warning("req-123") == "request_id \"req-123\" is no UUID; it is kept as it is");
    CHECK_FALSE(request_id_warning("550e8400-e29b-41d4-a716-446655440000"));
}

// CONV-59 U, CONV-60 U, CONV-62 U, CONV-64 U, CONV-13 U, CONV-24 U
TEST_CASE("001: the state of a request starts empty and speaks of one request only")
{
    check_required<MultiAgentWorkflowState>({"request_id"});
    check_filled_now<MultiAgentWorkflowState>({"created_at"});
    CHECK(to_json_text(MultiAgentWorkflowState{.request_id = "r"}) ==
          R"({"request_id":"r","execution_plan":null,"scorecard":null,"timesheet_data":null,"composed_response":null,)"
          R"("formatted_response":null,"validation_result":null,"refinement_count":0,"final_response":null,)"
          R"("status":"created","created_at":"1970-01-01T00:00:00Z","completed_at":null})");
    for (const char* status : {"created", "planning", "extracting", "composing", "formatting", "validating", "refining",
                               "sending", "completed", "failed"})
        CHECK(problems_with<MultiAgentWorkflowState>("status", '"' + std::string(status) + '"') == "");
    CHECK(problems_with<MultiAgentWorkflowState>("status", "\"done\"") ==
          "status: \"done\" is none of created, planning, extracting, composing, formatting, validating, refining, "
          "sending, completed, failed");

    const auto good = from_text<MultiAgentWorkflowState>(golden("model/001_workflow_state.json"));
    MultiAgentWorkflowState state = good;
    state.scorecard->request_id = "other";
    state.formatted_response->request_id = "other";
    CHECK(problems_of(state).text() == "scorecard.request_id: must be the request's own\n"
                                       "formatted_response.request_id: must be the request's own");
    state = good;
    state.execution_plan->request_id = "other";
    state.validation_result->request_id = "other";
    CHECK(problems_of(state).text() == "execution_plan.request_id: must be the request's own\n"
                                       "validation_result.request_id: must be the request's own");
    state = good;
    state.scorecard->criteria[0].passed = false;
    state.scorecard->overall_passed = false;
    CHECK(problems_of(state).text() == "validation_result.passed: must match scorecard.overall_passed");
}

// TRACE-24 U, TRACE-25 U, TRACE-28 U, TRACE-29 U, TRACE-31 U, TRACE-34 U, TRACE-37 U, TRACE-40 U
// TRACE-41 U
TEST_CASE("001: both logs name what they are about")
{
    check_required<AgentInteractionLog>({"request_id", "agent_name", "action", "duration_ms", "success"});
    CHECK(default_of<AgentInteractionLog>("input_data") == "{}");
    CHECK(default_of<AgentInteractionLog>("output_data") == "{}");
    CHECK(default_of<AgentInteractionLog>("error") == "null");
    check_filled_now<AgentInteractionLog>({"timestamp"});
    CHECK(problems_with<AgentInteractionLog>("duration_ms", "-1") == "duration_ms: must be at least 0, is -1");

    check_required<ValidationFailureLog>(
        {"request_id", "original_question", "scorecard", "validation_results", "final_outcome", "failure_reason"});
    CHECK(default_of<ValidationFailureLog>("refinement_succeeded") == "null");
    CHECK(to_json_text(ValidationFailureLog{}).find(R"("refinement_attempted":false)") != std::string::npos);
    check_filled_now<ValidationFailureLog>({"logged_at"});
    CHECK(problems_with<ValidationFailureLog>("failure_reason", "\"\"") == "failure_reason: must not be empty");
}

TEST_CASE("001: a failed validation has exactly one result for each criterion")  // TRACE-36 U
{
    const auto log = from_text<ValidationFailureLog>(description_of<ValidationFailureLog>().example);
    const auto criteria = [&](std::size_t count) {
        std::vector<ScorecardCriterion> all(count, log.scorecard.criteria[0]);
        for (std::size_t i = 0; i < count; ++i) all[i].id += std::to_string(i);
        return all;
    };
    for (std::size_t wanted = 1; wanted <= 3; ++wanted)
        for (std::size_t given = 0; given <= 4; ++given) {
            CAPTURE(wanted);
            CAPTURE(given);
            ValidationFailureLog changed = log;
            changed.scorecard.criteria = criteria(wanted);
            changed.validation_results = criteria(given);
            const char* says = "validation_results: must have one result for each criterion of the scorecard";
            CHECK(problems_of(changed).text() == (given == wanted ? "" : says));
            CHECK(read_back(description_of<ValidationFailureLog>(), parse_json(to_json_text(changed))).problems ==
                  problems_of(changed).text());
        }
}
