#include "model/views/conversation_quality.hpp"

#include "model/describe.hpp"
#include "model/known_names.hpp"
#include "model/views/request_id_field.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::model::conversation {

namespace {

void check_ids(const Scorecard& scorecard, const Path& path, Problems& problems)
{
    std::vector<std::string> ids;
    for (const ScorecardCriterion& criterion : scorecard.criteria) ids.push_back(criterion.id);
    check_distinct(ids, Path(path, "criteria"), "id", problems);
}

void check_overall(const Scorecard& scorecard, const Path& path, Problems& problems)
{
    if (scorecard.overall_passed &&
        !std::ranges::all_of(scorecard.criteria, [](const auto& c) { return c.passed == true; }))
        problems.add(Path(path, "overall_passed"), "can only be true if all criteria passed");
}

}  // namespace

const Entity& describe(const ScorecardCriterion*)
{
    static const Entity entity{
        .name = "scorecard_criterion",
        .doc = "One thing that an answer must fulfil.",
        .fields = {field("id", &ScorecardCriterion::id, "Its name, once in a scorecard.",
                         {.required = true, .min_length = 1}),
                   field("description", &ScorecardCriterion::description, "What is validated, specific and measurable.",
                         {.required = true,
                          .min_length = 10,
                          .says = "Criterion description must be specific (min 10 chars)"}),
                   field("expected", &ScorecardCriterion::expected, "The outcome that passes.", {.required = true}),
                   field("passed", &ScorecardCriterion::passed, "The result; null until it is evaluated."),
                   field("feedback", &ScorecardCriterion::feedback, "What to improve, if it failed.")},
        .example = R"json({"id":"correct_format","description":"Response is plain text without markdown (SMS channel)",
            "expected":"No markdown symbols in response","passed":false,"feedback":"remove asterisks"})json"};
    return entity;
}

const Entity& describe(const Scorecard*)
{
    static const Entity entity{
        .name = "scorecard",
        .doc = "What an answer is measured by; made by the planner with its plan, evaluated by the quality agent.",
        .fields = {request_id_field(&Scorecard::request_id),
                   field("criteria", &Scorecard::criteria, "All must pass.", {.required = true, .min_length = 1}),
                   field("overall_passed", &Scorecard::overall_passed, "True only if all criteria passed."),
                   field("created_at", &Scorecard::created_at, "When it was made.", {.fill = Fill::now}),
                   field("evaluated_at", &Scorecard::evaluated_at, "When all criteria had a result.")},
        .checks = {check<Scorecard>({}, "No two criteria have the same `id`.", check_ids),
                   check<Scorecard>({"criteria", "overall_passed"},
                                    "`overall_passed` is true only if all criteria passed.", check_overall,
                                    R"({"if":{"required":["overall_passed"],
            "properties":{"overall_passed":{"const":true}}},"then":{"properties":{"criteria":{"items":{
            "required":["passed"],"properties":{"passed":{"const":true}}}}}}})")},
        .example = R"({"request_id":"req-123","criteria":[{"id":"answers_question",
            "description":"Response answers user's question about timesheet hours",
            "expected":"Response includes hours logged information","passed":null,"feedback":null}],
            "overall_passed":false,"created_at":"2025-11-24T09:00:00Z","evaluated_at":null})"};
    return entity;
}

const Entity& describe(const ValidationResult*)
{
    static const Entity entity{
        .name = "validation_result",
        .doc = "What the quality agent found.",
        .fields = {request_id_field(&ValidationResult::request_id),
                   field("passed", &ValidationResult::passed, "Whether the answer may be sent.", {.required = true}),
                   field("scorecard_id", &ValidationResult::scorecard_id,
                         "The scorecard: `scorecard-` and the request's id.", {.required = true, .min_length = 1}),
                   field("failed_criteria_ids", &ValidationResult::failed_criteria_ids,
                         "The criteria that failed; empty if it passed."),
                   field("feedback", &ValidationResult::feedback, "What to improve; required if it did not pass."),
                   field("validated_at", &ValidationResult::validated_at, "When it was found.", {.fill = Fill::now})},
        .demands = {{.when = {is("passed", {"true"})},
                     .then = !filled("failed_criteria_ids"),
                     .says = "must be empty when passed is true"},
                    {.when = {is("passed", {"false"})},
                     .then = filled("feedback"),
                     .says = "Feedback required when validation fails"}},
        .example = R"({"request_id":"req-123","passed":false,"scorecard_id":"scorecard-req-123",
            "failed_criteria_ids":["correct_format"],"feedback":"correct_format: remove asterisks",
            "validated_at":"2025-11-24T09:00:03Z"})"};
    return entity;
}

const Entity& describe(const RefinementRequest*)
{
    static const Entity entity{
        .name = "refinement_request",
        .doc = "Sent by the quality agent to the planner when an answer fails: once for a request.",
        .fields = {request_id_field(&RefinementRequest::request_id),
                   field("original_response", &RefinementRequest::original_response, "The answer that failed.",
                         {.required = true, .min_length = 1}),
                   field("failed_criteria", &RefinementRequest::failed_criteria, "What failed, with feedback.",
                         {.required = true, .min_length = 1}),
                   field("attempt_number", &RefinementRequest::attempt_number, "There is only one attempt.",
                         {.min = 1, .max = 1, .says_above = "Maximum 1 refinement attempt allowed"}),
                   field("created_at", &RefinementRequest::created_at, "When it was made.", {.fill = Fill::now})},
        .home = {Home::Kind::message, "from the quality agent to the planner, inside a run"},
        .example =
            R"json({"request_id":"req-123","original_response":"You've logged **32/40** hours.","failed_criteria":[
            {"id":"correct_format","description":"Response is plain text without markdown (SMS channel)",
            "expected":"No markdown symbols in response","passed":false,"feedback":"remove asterisks"}],
            "attempt_number":1,"created_at":"2025-11-24T09:00:03Z"})json"};
    return entity;
}

bool evaluate(Scorecard& scorecard, Time now)
{
    bool all = true;
    for (const ScorecardCriterion& criterion : scorecard.criteria) {
        if (!criterion.passed) return false;
        all = all && *criterion.passed;
    }
    scorecard.overall_passed = all;
    scorecard.evaluated_at = now;
    return all;
}

std::vector<ScorecardCriterion> failed_criteria(const Scorecard& scorecard)
{
    std::vector<ScorecardCriterion> failed;
    for (const ScorecardCriterion& criterion : scorecard.criteria)
        if (criterion.passed == false) failed.push_back(criterion);
    return failed;
}

std::string scorecard_id(std::string_view request_id)
{
    return fmt::format("scorecard-{}", request_id);
}

ValidationResult validation_of(const Scorecard& scorecard, Time now)
{
    ValidationResult result{.request_id = scorecard.request_id,
                            .passed = scorecard.overall_passed,
                            .scorecard_id = scorecard_id(scorecard.request_id),
                            .validated_at = now};
    if (result.passed) return result;
    std::string feedback;
    for (const ScorecardCriterion& criterion : failed_criteria(scorecard)) {
        result.failed_criteria_ids.push_back(criterion.id);
        feedback += fmt::format("{}{}: {}", feedback.empty() ? "" : "; ", criterion.id,
                                criterion.feedback.value_or("expected: " + criterion.expected));
    }
    result.feedback = feedback.empty() ? "not all criteria have a result" : feedback;
    return result;
}

}  // namespace cadre::model::conversation
