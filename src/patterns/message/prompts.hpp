// What the agents of a message are asked.
#pragma once

#include "model/message_setup.hpp"
#include "model/team.hpp"
#include "model/views/conversation.hpp"
#include "model/views/conversation_quality.hpp"

#include <boost/json/fwd.hpp>

#include <optional>
#include <string>

namespace cadre::patterns {

inline constexpr std::string_view kPlanner = "planner";
inline constexpr std::string_view kTimesheet = "timesheet";
inline constexpr std::string_view kBranding = "branding";
inline constexpr std::string_view kQuality = "quality";

struct MessageWork {
    std::string request_id{};
    std::string message{};
    boost::json::object context{};  // `previous_messages`, `user_name`
    model::MessageSetup setup{};
};

std::string ask_for_plan(const MessageWork& work, const model::Team& team);
std::string plan_schema();

std::string ask_for_data(const MessageWork& work, const model::conversation::ExecutionStep* step);

/// `data`: null where none was needed; `failed`: why there is none although it was.
std::string ask_for_text(const MessageWork& work, const std::optional<boost::json::object>& data,
                         const std::string& failed);

std::string ask_for_verdicts(const MessageWork& work, const std::string& seen,
                             const model::conversation::Scorecard& scorecard,
                             const std::optional<boost::json::object>& data);
std::string verdict_schema();

std::string ask_for_refinement(const MessageWork& work, const model::conversation::RefinementRequest& request,
                               const std::optional<boost::json::object>& data);

}  // namespace cadre::patterns
