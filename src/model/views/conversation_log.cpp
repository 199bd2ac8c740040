#include "model/views/conversation_log.hpp"

#include "model/describe.hpp"
#include "model/views/request_id_field.hpp"

namespace cadre::model::conversation {

namespace {

void check_results(const ValidationFailureLog& log, const Path& path, Problems& problems)
{
    if (log.validation_results.size() != log.scorecard.criteria.size())
        problems.add(Path(path, "validation_results"), "must have one result for each criterion of the scorecard");
}

}  // namespace

const Entity& describe(const AgentInteractionLog*)
{
    using Log = AgentInteractionLog;
    static const Entity entity{
        .name = "agent_interaction_log",
        .doc = "One call of an agent by the pipeline.",
        .fields =
            {
                request_id_field(&Log::request_id),
                field("agent_name", &Log::agent_name, "The agent.", {.required = true, .min_length = 1}),
                field("action", &Log::action, "What it was to do.", {.required = true, .min_length = 1}),
                field("input_data", &Log::input_data, "What it was given, without personal data."),
                field("output_data", &Log::output_data, "What it made, without personal data."),
                field("duration_ms", &Log::duration_ms, "How long it took.", {.required = true, .min = 0}),
                field("success", &Log::success, "Whether it succeeded.", {.required = true}),
                field("error", &Log::error, "Why it did not."),
                field("timestamp", &Log::timestamp, "When it was called.", {.fill = Fill::now}),
            },
        .home = {Home::Kind::data, "a line of the log"},
        .demands = {{.when = {is("success", {"false"})},
                     .then = filled("error"),
                     .says = "Error message required when success is false"}},
        .example = R"({"request_id":"req-123","agent_name":"timesheet","action":"extract_hours","input_data":{},
            "output_data":{"hours_logged":32,"hours_target":40},"duration_ms":120,"success":true,"error":null,
            "timestamp":"2025-11-24T09:00:01Z"})",
    };
    return entity;
}

const Entity& describe(const ValidationFailureLog*)
{
    using Log = ValidationFailureLog;
    static const Entity entity{
        .name = "validation_failure_log",
        .doc = "A validation that failed, and what became of it.",
        .fields =
            {
                request_id_field(&Log::request_id),
                field("original_question", &Log::original_question, "What the user asked.", {.required = true}),
                field("scorecard", &Log::scorecard, "The scorecard as it was evaluated.", {.required = true}),
                field("validation_results", &Log::validation_results, "One result for each criterion.",
                      {.required = true}),
                field("refinement_attempted", &Log::refinement_attempted, "Whether a better answer was tried."),
                field("refinement_succeeded", &Log::refinement_succeeded, "Whether that one passed."),
                field("final_outcome", &Log::final_outcome, "What was sent: the better answer or an apology.",
                      {.required = true}),
                field("failure_reason", &Log::failure_reason, "The cause.", {.required = true, .min_length = 1}),
                field("logged_at", &Log::logged_at, "When it was written.", {.fill = Fill::now}),
            },
        .home = {Home::Kind::data, "a line of the log"},
        .demands = {{.when = {is("refinement_attempted", {"false"})},
                     .then = !is("refinement_succeeded", {"true"}),
                     .says = "refinement_succeeded can only be true if refinement_attempted"}},
        .checks = {check<Log>({"scorecard", "validation_results"},
                              "There is one result for each criterion of the scorecard.", check_results)},
        .example = R"json({"request_id":"req-123","original_question":"Check my timesheet","scorecard":{
            "request_id":"req-123","criteria":[{"id":"correct_format",
            "description":"Response is plain text without markdown (SMS channel)",
            "expected":"No markdown symbols in response","passed":false,"feedback":"remove asterisks"}],
            "overall_passed":false,"created_at":"2025-11-24T09:00:00Z","evaluated_at":"2025-11-24T09:00:03Z"},
            "validation_results":[{"id":"correct_format",
            "description":"Response is plain text without markdown (SMS channel)",
            "expected":"No markdown symbols in response","passed":false,"feedback":"remove asterisks"}],
            "refinement_attempted":true,"refinement_succeeded":true,
            "final_outcome":"You've logged 32/40 hours this week.","failure_reason":"correct_format: remove asterisks",
            "logged_at":"2025-11-24T09:00:05Z"})json",
    };
    return entity;
}

}  // namespace cadre::model::conversation
