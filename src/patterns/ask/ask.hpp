// ask: a question to data domains (document 003): which ones, their tools at once, and one answer in time.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

#include <boost/json/object.hpp>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// The task is pinned to a model::AskSetup. What the session knows of earlier turns is its input, see next_input().
Async<model::Reply> ask(engine::Run& run);

/// The input of the next turn of a session: that of the last one, and what its reply adds. `context.conversations` has the conversation
/// at each domain by its name, `context.domains_accessed` all domains that have answered.
boost::json::object next_input(const boost::json::object& input, const model::Reply* reply);

}  // namespace cadre::patterns
