// plan@1: an agent makes a plan, the team works it through, the agent answers from what came of it.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// Items begin as soon as those that they depend on are completed. A person may change whatever has not begun.
Async<model::Reply> plan_execute(engine::Run& run);

}  // namespace cadre::patterns
