#include "model/views/conversation_quality.hpp"

#include "base/sim_loop.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "support/entity.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::model::conversation;
using namespace cadre::test;

namespace {

const Time kNow = time_from_iso("2025-11-24T09:00:03Z");

Scorecard scorecard_of(std::initializer_list<std::optional<bool>> results)
{
    Scorecard scorecard{.request_id = "req-1"};
    for (const auto& passed : results)
        scorecard.criteria.push_back({.id = "c" + std::to_string(scorecard.criteria.size() + 1),
                                      .description = "something specific",
                                      .expected = "good",
                                      .passed = passed});
    return scorecard;
}

}  // namespace

TEST_CASE("a scorecard passes only when every criterion did")  // CONV-15 U, CONV-16 U, CONV-17 U
{
    struct {
        std::initializer_list<std::optional<bool>> results;
        bool passed, evaluated;
    } const cases[] = {
        {{true}, true, true},           {{true, true}, true, true},
        {{false}, false, true},         {{true, false}, false, true},
        {{false, false}, false, true},  {{true, std::nullopt}, false, false},
        {{std::nullopt}, false, false}, {{false, std::nullopt}, false, false},
    };
    for (const auto& c : cases) {
        Scorecard scorecard = scorecard_of(c.results);
        const Scorecard before = scorecard;
        CAPTURE(to_json_text(before));
        CHECK(scorecard.overall_passed == false);
        CHECK_FALSE(scorecard.evaluated_at);
        CHECK(evaluate(scorecard, kNow) == c.passed);
        CHECK(scorecard.overall_passed == c.passed);
        if (c.evaluated) CHECK(scorecard.evaluated_at == kNow);
        else CHECK(scorecard == before);
        CHECK(problems_of(scorecard).empty());
    }
}

TEST_CASE("an overall result that the criteria do not carry is refused")  // CONV-15 U
{
    for (const auto& results : {scorecard_of({true, false}), scorecard_of({true, std::nullopt})}) {
        Scorecard scorecard = results;
        scorecard.overall_passed = true;
        CHECK(problems_of(scorecard).text() == "overall_passed: can only be true if all criteria passed");
    }
}

TEST_CASE("failed criteria are those that did not pass, not those without a result")  // CONV-18 U
{
    const auto failed = failed_criteria(scorecard_of({true, false, std::nullopt, false}));
    REQUIRE(failed.size() == 2);
    CHECK(failed[0].id == "c2");
    CHECK(failed[1].id == "c4");
}

// CONV-14 U, CONV-19 U, CONV-21 U, CONV-22 U, CONV-16 U
TEST_CASE("a scorecard has criteria, each with an id of its own")
{
    CHECK(problems_with<Scorecard>("criteria", "[]") == "criteria: must not be empty");
    Scorecard scorecard = scorecard_of({true, true, true});
    scorecard.criteria[2].id = "c1";
    CHECK(problems_of(scorecard).text() == "criteria[2].id: \"c1\" is here twice; rename one of them");

    for (const std::string field : {"id", "description", "expected"})
        CHECK(problems_without<ScorecardCriterion>(field) == field + ": is required");
    for (const std::string field : {"request_id", "criteria"})
        CHECK(problems_without<Scorecard>(field) == field + ": is required");
    CHECK(default_of<ScorecardCriterion>("passed") == "null");
    CHECK(default_of<ScorecardCriterion>("feedback") == "null");
    CHECK(default_of<Scorecard>("overall_passed") == "false");
    CHECK(default_of<Scorecard>("evaluated_at") == "null");
    ManualClock clock(kNow);
    CHECK(default_of<Scorecard>("created_at", {.clock = &clock}) == "\"2025-11-24T09:00:03Z\"");
}

// CONV-24 U, CONV-25 U, CONV-26 U, CONV-28 U
TEST_CASE("a validation result names its scorecard, and failures only when it failed")
{
    for (const std::string field : {"request_id", "passed", "scorecard_id"})
        CHECK(problems_without<ValidationResult>(field) == field + ": is required");
    CHECK(problems_with<ValidationResult>("passed", "true") ==
          "failed_criteria_ids: must be empty when passed is true");
    CHECK(default_of<ValidationResult>("failed_criteria_ids") == "[]");
    ManualClock clock(kNow);
    CHECK(default_of<ValidationResult>("validated_at", {.clock = &clock}) == "\"2025-11-24T09:00:03Z\"");
}

TEST_CASE("a validation result is made of its scorecard")  // CONV-24 U
{
    Scorecard scorecard = scorecard_of({true, false, false});
    scorecard.criteria[1].feedback = "say hours";
    evaluate(scorecard, kNow);
    const ValidationResult failed = validation_of(scorecard, kNow);
    CHECK(failed.passed == scorecard.overall_passed);
    CHECK(failed.scorecard_id == "scorecard-req-1");  // C-29
    CHECK(failed.failed_criteria_ids == std::vector<std::string>{"c2", "c3"});
    CHECK(failed.feedback == "c2: say hours; c3: expected: good");
    CHECK(problems_of(failed).empty());

    scorecard = scorecard_of({true, true});
    evaluate(scorecard, kNow);
    const ValidationResult passed = validation_of(scorecard, kNow);
    CHECK(passed.passed);
    CHECK_FALSE(passed.feedback);
    CHECK(problems_of(passed).empty());
    CHECK(problems_of(validation_of(scorecard_of({true, std::nullopt}), kNow)).empty());
}

TEST_CASE("a refinement has an answer to refine and a reason")  // CONV-30 U, CONV-31 U, CONV-32 U, CONV-33 U
{
    for (const std::string field : {"request_id", "original_response", "failed_criteria"})
        CHECK(problems_without<RefinementRequest>(field) == field + ": is required");
    CHECK(problems_with<RefinementRequest>("original_response", "\"\"") == "original_response: must not be empty");
    CHECK(problems_with<RefinementRequest>("failed_criteria", "[]") == "failed_criteria: must not be empty");
    CHECK(default_of<RefinementRequest>("attempt_number") == "1");
    CHECK(problems_with<RefinementRequest>("attempt_number", "2") ==
          "attempt_number: Maximum 1 refinement attempt allowed");
    CHECK(problems_with<RefinementRequest>("attempt_number", "0") == "attempt_number: must be at least 1, is 0");
    ManualClock clock(kNow);
    CHECK(default_of<RefinementRequest>("created_at", {.clock = &clock}) == "\"2025-11-24T09:00:03Z\"");
}
