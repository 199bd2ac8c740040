// Events: what a client is told about a task as it happens, tagged by `type` (004 §3.2). They are journaled and numbered; their
// timestamps are part of what happened, so none is made up when one is read.
#pragma once

#include "model/control_events.hpp"
#include "model/task_events.hpp"
#include "model/work_events.hpp"

#include <string_view>
#include <variant>

namespace cadre::model {

using Event =
    std::variant<TaskStartEvent, TaskCompleteEvent, TaskPausedEvent, TaskResumedEvent, AgentStartEvent,
                 AgentCompleteEvent, AgentHandoffEvent, ParallelExecutionStartEvent, ParallelExecutionSyncEvent,
                 ConsensusProposalEvent, ConsensusVoteEvent, ConsensusReachedEvent, ToolCallEvent, ToolResultEvent,
                 MemoryStoreEvent, MemoryRetrieveEvent, MemoryConsolidateEvent, HITLRequestEvent, HITLResponseEvent,
                 GuardrailViolationEvent, GuardrailPolicyUpdateEvent, ArtifactCreatedEvent, ArtifactModifiedEvent,
                 ArtifactVersionedEvent, ErrorEvent, RecoveryEvent, BreakpointHitEvent, UserInterventionEvent,
                 HealthCheckEvent, PerformanceMetricEvent>;

/// `event_task_start` and its like.
std::string_view type_of(const Event& event);
/// When it happened: every event has a timestamp.
Time time_of(const Event& event);

}  // namespace cadre::model
