// route: a request goes to the agents that it is for (document 002): router, dispatch, one answer.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// The task is pinned to a model::RouteSetup. With `explain` in its input it only decides, and says how.
Async<model::Reply> route(engine::Run& run);

}  // namespace cadre::patterns
