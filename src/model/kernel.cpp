#include "model/kernel.hpp"

#include "model/call.hpp"
#include "model/checkpoint.hpp"
#include "model/decision.hpp"
#include "model/descriptions.hpp"
#include "model/graph.hpp"
#include "model/human.hpp"
#include "model/pattern_config.hpp"
#include "model/plan.hpp"
#include "model/reply.hpp"
#include "model/session.hpp"
#include "model/task.hpp"

namespace cadre::model {

std::vector<const Entity*> kernel_entities()
{
    return descriptions<Task, Session, Call, State, StateField, Checkpoint, HumanRequest, HumanAnswer, Plan, PlanItem,
                        PlanProgress, Decision, Reply, Graph, NodeDef, EdgeDef, Join, NodeRetry, LoopDef, MapDef,
                        Reflection, ReflectionLoop, ParallelConfig, ConsensusConfig, WorkflowSetup>();
}

}  // namespace cadre::model
