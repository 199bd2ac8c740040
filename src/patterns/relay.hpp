// relay: the agents of a team one after the other, each with what the one before it has answered.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// Each works in a node of its own, called as the agent. The last answer is the reply.
Async<model::Reply> relay(engine::Run& run);

}  // namespace cadre::patterns
