// The objects of the conversation pipeline (document 001), as they stand in `POST /messages` and in JSON logs: a plan and a
// scorecard are made, an answer is composed, formatted for its channel, validated and sent. Snake case, nulls written.
#pragma once

#include "model/task.hpp"
#include "model/type.hpp"
#include "model/views/conversation_quality.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model::conversation {

enum class Channel : std::uint8_t { sms, email, whatsapp, teams };
std::span<const EnumName> names_of(const Channel*);

/// No SMS, and no piece of one, is longer; in code points.
inline constexpr std::size_t kMaxSms = 1600;

/// One item of a plan.
struct ExecutionStep {
    std::string agent{};
    std::string action{};
    boost::json::object parameters{};
    bool operator==(const ExecutionStep&) const = default;
};
const Entity& describe(const ExecutionStep*);

struct ExecutionPlan {
    std::string request_id{};
    std::string user_message{};
    Channel channel = Channel::sms;
    std::vector<ExecutionStep> steps{};
    bool requires_timesheet_data = false;
    boost::json::object context{};
    Time created_at{};
    bool operator==(const ExecutionPlan&) const = default;
};
const Entity& describe(const ExecutionPlan*);

/// The document's MessagePart: one piece of a reply that was too long for its channel (C-14).
struct ReplyPiece {
    int sequence = 1;
    std::string content{};  // with its indicator, so that what is sent is what is counted (C-30)
    std::optional<std::string> continuation_indicator{};
    bool operator==(const ReplyPiece&) const = default;
};
const Entity& describe(const ReplyPiece*);

struct FormattedResponse {
    std::string request_id{};
    Channel channel = Channel::sms;
    std::string content{};  // the whole text when it fits, else the first piece (C-30)
    bool is_split = false;
    std::vector<ReplyPiece> parts{};
    boost::json::object metadata{};
    Time formatted_at{};
    bool operator==(const FormattedResponse&) const = default;
};
const Entity& describe(const FormattedResponse*);

using WorkflowStatus = Phase;

/// Everything about one request; `GET /messages/{request_id}`.
struct MultiAgentWorkflowState {
    std::string request_id{};
    std::optional<ExecutionPlan> execution_plan{};
    std::optional<Scorecard> scorecard{};
    std::optional<boost::json::object> timesheet_data{};
    std::optional<std::string> composed_response{};
    std::optional<FormattedResponse> formatted_response{};
    std::optional<ValidationResult> validation_result{};
    int refinement_count = 0;
    std::optional<std::string> final_response{};
    WorkflowStatus status = WorkflowStatus::created;
    Time created_at{};
    std::optional<Time> completed_at{};
    std::optional<boost::json::object> ext{};
    bool operator==(const MultiAgentWorkflowState&) const = default;
};
const Entity& describe(const MultiAgentWorkflowState*);

/// What to tell the sender of a request id that is no UUID: such ids are taken as they are, unless ids are strict (C-11).
std::optional<std::string> request_id_warning(std::string_view request_id);

/// Every entity of document 001, with those of conversation_quality.hpp, _config.hpp and _log.hpp.
std::vector<const Entity*> entities();

}  // namespace cadre::model::conversation
