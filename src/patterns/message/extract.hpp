// The timesheet agent's part: the data that an answer needs.
#pragma once

#include "base/async_fwd.hpp"
#include "patterns/message/prompts.hpp"

#include <string>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// The text of one JSON object. No model is asked where the agent has one tool whose required arguments are known: from its step of
/// the plan, or `message`, `user_name`, `channel`. Throws Error when there is no data.
Async<std::string> fetched_data(engine::Run& run, const MessageWork& work,
                                const model::conversation::ExecutionStep* step);

}  // namespace cadre::patterns
