// graph@1: runs a workflow.
#pragma once

#include "base/async_fwd.hpp"
#include "model/graph.hpp"
#include "model/reply.hpp"

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

class Workflows;

/// The workflow that the task is pinned to.
Async<model::Reply> graph(engine::Run& run);
/// That one.
Async<model::Reply> run_workflow(engine::Run& run, model::WorkflowSetup setup);
/// The same made ready before. They outlive it.
Async<model::Reply> run_workflow(engine::Run& run, const Workflows& workflows);

}  // namespace cadre::patterns
