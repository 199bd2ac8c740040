// What the conversation pipeline leaves in the application log, one JSON line each (document 001). Both are cleaned of
// personal data before they are written (C-36).
#pragma once

#include "model/views/conversation.hpp"

namespace cadre::model::conversation {

struct AgentInteractionLog {
    std::string request_id{};
    std::string agent_name{};
    std::string action{};
    boost::json::object input_data{};
    boost::json::object output_data{};
    std::int64_t duration_ms = 0;
    bool success = false;
    std::optional<std::string> error{};
    Time timestamp{};
    bool operator==(const AgentInteractionLog&) const = default;
};
const Entity& describe(const AgentInteractionLog*);

struct ValidationFailureLog {
    std::string request_id{};
    std::string original_question{};
    Scorecard scorecard{};
    std::vector<ScorecardCriterion> validation_results{};
    bool refinement_attempted = false;
    std::optional<bool> refinement_succeeded{};
    std::string final_outcome{};
    std::string failure_reason{};
    Time logged_at{};
    bool operator==(const ValidationFailureLog&) const = default;
};
const Entity& describe(const ValidationFailureLog*);

}  // namespace cadre::model::conversation
