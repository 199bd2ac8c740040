// How the conversation pipeline measures its own answers (document 001): the planner's scorecard, what the quality agent
// found, and the one request to do better.
#pragma once

#include "model/type.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model::conversation {

struct ScorecardCriterion {
    std::string id{};
    std::string description{};
    std::string expected{};
    std::optional<bool> passed{};
    std::optional<std::string> feedback{};
    bool operator==(const ScorecardCriterion&) const = default;
};
const Entity& describe(const ScorecardCriterion*);

struct Scorecard {
    std::string request_id{};
    std::vector<ScorecardCriterion> criteria{};
    bool overall_passed = false;
    Time created_at{};
    std::optional<Time> evaluated_at{};
    bool operator==(const Scorecard&) const = default;
};
const Entity& describe(const Scorecard*);

/// Sets the overall result from the criteria and returns it. While one of them has no result: false, and nothing changes.
bool evaluate(Scorecard& scorecard, Time now);
/// The criteria that did not pass; those without a result are not among them.
std::vector<ScorecardCriterion> failed_criteria(const Scorecard& scorecard);
/// A scorecard has no id of its own: the one that refers to it is made of its request's (C-29).
std::string scorecard_id(std::string_view request_id);

struct ValidationResult {
    std::string request_id{};
    bool passed = false;
    std::string scorecard_id{};
    std::vector<std::string> failed_criteria_ids{};
    std::optional<std::string> feedback{};
    Time validated_at{};
    bool operator==(const ValidationResult&) const = default;
};
const Entity& describe(const ValidationResult*);

/// The result of an evaluated scorecard; its feedback is the failed criteria's.
ValidationResult validation_of(const Scorecard& scorecard, Time now);

struct RefinementRequest {
    std::string request_id{};
    std::string original_response{};
    std::vector<ScorecardCriterion> failed_criteria{};
    int attempt_number = 1;
    Time created_at{};
    bool operator==(const RefinementRequest&) const = default;
};
const Entity& describe(const RefinementRequest*);

}  // namespace cadre::model::conversation
