// graph@1: runs a workflow.
#pragma once

#include "base/async_fwd.hpp"
#include "model/graph.hpp"
#include "model/reply.hpp"

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// The workflow that the task is pinned to.
Async<model::Reply> graph(engine::Run& run);
/// That one.
Async<model::Reply> run_workflow(engine::Run& run, model::WorkflowSetup setup);

}  // namespace cadre::patterns
