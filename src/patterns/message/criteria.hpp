// What an answer is held against: rules of the house, and the planner's scorecard with the verdicts of the quality agent.
#pragma once

#include "model/message_setup.hpp"
#include "model/views/conversation_quality.hpp"
#include "text/channel/render.hpp"

#include <boost/json/fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns {

struct JudgedAnswer {
    const text::RenderedMessage& message;
    const model::MessageSetup& setup;
    /// What its numbers must come from; nothing: the question needed no data.
    std::optional<std::vector<std::string_view>> sources{};
};

/// The rules that it breaks: `not_empty`, `within_limits`, `no_markdown`, `no_unsupported_numbers`. Those that it keeps are not
/// mentioned, so that a scorecard stays the planner's.
std::vector<model::conversation::ScorecardCriterion> broken_rules(const JudgedAnswer& answer);

/// The scorecard with what the quality agent said of each criterion: a list of {id, passed, feedback}. What it said nothing about has
/// failed; what it said about others is nothing. Then the broken rules.
model::conversation::Scorecard judged(model::conversation::Scorecard scorecard, const boost::json::value& verdicts,
                                      std::vector<model::conversation::ScorecardCriterion> broken, Time now);

}  // namespace cadre::patterns
