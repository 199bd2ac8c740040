// The planner's part: who answers a message, in which order, and what the answer is measured by.
#pragma once

#include "base/async_fwd.hpp"
#include "patterns/message/prompts.hpp"

#include <string>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

struct MessagePlan {
    model::conversation::ExecutionPlan plan{};
    model::conversation::Scorecard scorecard{};
    std::string problem{};  // with what the planner has said; empty: nothing
};

/// As text, which plan_from_text() reads: it is the result of a node. What is wrong with a plan goes back to the planner once.
Async<std::string> planned(engine::Run& run, const MessageWork& work, Time now);
MessagePlan plan_from_text(const std::string& text);

}  // namespace cadre::patterns
