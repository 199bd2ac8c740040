#include "model/task_events.hpp"

#include "model/describe.hpp"
#include "model/timestamp_field.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const FinalStatus*)
{
    static constexpr EnumName names[] = {{int(FinalStatus::success), "success"},
                                         {int(FinalStatus::error), "error"},
                                         {int(FinalStatus::cancelled), "cancelled"}};
    return names;
}

std::span<const EnumName> names_of(const PausedReason*)
{
    static constexpr EnumName names[] = {{int(PausedReason::step_mode), "step_mode"},
                                         {int(PausedReason::breakpoint), "breakpoint"},
                                         {int(PausedReason::user_request), "user_request"},
                                         {int(PausedReason::hitl_intervention), "hitl_intervention"}};
    return names;
}

const Entity& describe(const TaskStartEvent*)
{
    static const Entity entity{
        .name = "task_start_event",
        .doc = "A task was started.",
        .fields = {field("task_id", &TaskStartEvent::task_id, "The task.", {.required = true, .min_length = 1}),
                   timestamp<TaskStartEvent>(),
                   field("initial_prompt", &TaskStartEvent::initial_prompt, "What was asked.", {.required = true}),
                   field("execution_mode", &TaskStartEvent::execution_mode, "How it is run.", {.required = true}),
                   field("team_config", &TaskStartEvent::team_config, "The team, as it was at that moment.",
                         {.required = true})},
        .tag = "event_task_start",
        .home = kEventHome,
        .example = R"({"type":"event_task_start","task_id":"7c9e6679-7425-40de-944b-e07fc1f90ae7",
"timestamp":"2025-11-02T10:30:00Z","initial_prompt":"Write a report.","execution_mode":"autonomous",
"team_config":{"name":"writers"}})"};
    return entity;
}

const Entity& describe(const TaskCompleteEvent*)
{
    static const Entity entity{
        .name = "task_complete_event",
        .doc = "A task has ended; its last event.",
        .fields = {field("task_id", &TaskCompleteEvent::task_id, "The task.", {.required = true, .min_length = 1}),
                   timestamp<TaskCompleteEvent>(),
                   field("final_status", &TaskCompleteEvent::final_status, "How it ended.", {.required = true}),
                   field("summary", &TaskCompleteEvent::summary, "What came of it."),
                   field("artifacts_created", &TaskCompleteEvent::artifacts_created, "Paths of the files it made."),
                   field("total_steps", &TaskCompleteEvent::total_steps, "Steps it took.",
                         {.required = true, .min = 0}),
                   field("total_duration_ms", &TaskCompleteEvent::total_duration_ms, "How long it took.",
                         {.required = true, .min = 0})},
        .tag = "event_task_complete",
        .home = kEventHome,
        .example = R"({"type":"event_task_complete","task_id":"7c9e6679-7425-40de-944b-e07fc1f90ae7",
"timestamp":"2025-11-02T10:30:00Z","final_status":"success","summary":"The report is done.",
"artifacts_created":["artifacts/documents/report.md"],"total_steps":7,"total_duration_ms":48210})"};
    return entity;
}

const Entity& describe(const TaskPausedEvent*)
{
    static const Entity entity{
        .name = "task_paused_event",
        .doc = "A task is paused until it is resumed.",
        .fields = {field("task_id", &TaskPausedEvent::task_id, "The task.", {.required = true, .min_length = 1}),
                   timestamp<TaskPausedEvent>(), field("reason", &TaskPausedEvent::reason, "Why.", {.required = true}),
                   field("context", &TaskPausedEvent::context, "Where it stopped, and what it waits for.")},
        .tag = "event_task_paused",
        .home = kEventHome,
        .example = R"({"type":"event_task_paused","task_id":"7c9e6679-7425-40de-944b-e07fc1f90ae7",
"timestamp":"2025-11-02T10:30:00Z","reason":"breakpoint","context":{"breakpoint":"coder"}})"};
    return entity;
}

const Entity& describe(const TaskResumedEvent*)
{
    static const Entity entity{
        .name = "task_resumed_event",
        .doc = "A paused task was resumed.",
        .fields = {field("task_id", &TaskResumedEvent::task_id, "The task.", {.required = true, .min_length = 1}),
                   timestamp<TaskResumedEvent>(),
                   field("reason", &TaskResumedEvent::reason, "Why.", {.required = true}),
                   field("context", &TaskResumedEvent::context, "Who resumed it.")},
        .tag = "event_task_resumed",
        .home = kEventHome,
        .example = R"({"type":"event_task_resumed","task_id":"7c9e6679-7425-40de-944b-e07fc1f90ae7",
"timestamp":"2025-11-02T10:30:00Z","reason":"approved","context":{"by":"ann"}})"};
    return entity;
}

const Entity& describe(const AgentStartEvent*)
{
    static const Entity entity{
        .name = "agent_start_event",
        .doc = "An agent begins a turn.",
        .fields = {field("agent_name", &AgentStartEvent::agent_name, "The agent.", {.required = true, .min_length = 1}),
                   field("step_id", &AgentStartEvent::step_id, "The step that is being made.",
                         {.required = true, .min_length = 1}),
                   timestamp<AgentStartEvent>(),
                   field("context_size", &AgentStartEvent::context_size, "Tokens it was given.", {.min = 0}),
                   field("memory_retrieved", &AgentStartEvent::memory_retrieved, "Items of memory it was given.",
                         {.min = 0}),
                   field("node", &AgentStartEvent::node, "The node of the workflow that it works in.",
                         {.extension = true})},
        .tag = "event_agent_start",
        .home = kEventHome,
        .example =
            R"({"type":"event_agent_start","agent_name":"writer","step_id":"step_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60",
"timestamp":"2025-11-02T10:30:00Z","context_size":2048,"memory_retrieved":3})"};
    return entity;
}

const Entity& describe(const AgentCompleteEvent*)
{
    static const Entity entity{
        .name = "agent_complete_event",
        .doc = "An agent has ended a turn.",
        .fields = {field("agent_name", &AgentCompleteEvent::agent_name, "The agent.",
                         {.required = true, .min_length = 1}),
                   field("step_id", &AgentCompleteEvent::step_id, "The step that was made.",
                         {.required = true, .min_length = 1}),
                   timestamp<AgentCompleteEvent>(),
                   field("token_count", &AgentCompleteEvent::token_count, "Tokens it wrote.", {.min = 0}),
                   field("execution_time_ms", &AgentCompleteEvent::execution_time_ms, "How long it took.", {.min = 0}),
                   field("memory_stored", &AgentCompleteEvent::memory_stored, "Items of memory it stored.", {.min = 0}),
                   field("text", &AgentCompleteEvent::text,
                         "All that it wrote in this turn, beside tool calls too; left out where it wrote nothing.",
                         {.extension = true})},
        .tag = "event_agent_complete",
        .home = kEventHome,
        .example =
            R"({"type":"event_agent_complete","agent_name":"writer","step_id":"step_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60",
"timestamp":"2025-11-02T10:30:00Z","token_count":512,"execution_time_ms":3100,"memory_stored":1})"};
    return entity;
}

const Entity& describe(const AgentHandoffEvent*)
{
    static const Entity entity{
        .name = "agent_handoff_event",
        .doc = "An agent handed the work to another.",
        .fields = {field("from_agent", &AgentHandoffEvent::from_agent, "Who.", {.required = true}),
                   field("to_agent", &AgentHandoffEvent::to_agent, "To whom.", {.required = true}),
                   field("reason", &AgentHandoffEvent::reason, "Why.", {.required = true}),
                   timestamp<AgentHandoffEvent>(),
                   field("context", &AgentHandoffEvent::context, "What was handed over."),
                   field("handoff_type", &AgentHandoffEvent::handoff_type, "What the first one does meanwhile.")},
        .tag = "event_agent_handoff",
        .home = kEventHome,
        .example = R"({"type":"event_agent_handoff","from_agent":"planner","to_agent":"writer",
"reason":"The outline is done.","timestamp":"2025-11-02T10:30:00Z","context":{"outline":3},
"handoff_type":"hierarchical"})"};
    return entity;
}

const Entity& describe(const ParallelExecutionStartEvent*)
{
    static const Entity entity{
        .name = "parallel_execution_start_event",
        .doc = "Agents begin to work at the same time.",
        .fields = {field("agents", &ParallelExecutionStartEvent::agents, "Who.", {.required = true}),
                   field("coordination_agent", &ParallelExecutionStartEvent::coordination_agent,
                         "Who merges their work."),
                   timestamp<ParallelExecutionStartEvent>(),
                   field("sync_points", &ParallelExecutionStartEvent::sync_points, "Where they wait for each other.")},
        .tag = "event_parallel_start",
        .home = kEventHome,
        .example = R"({"type":"event_parallel_start","agents":["writer","critic"],"coordination_agent":"planner",
"timestamp":"2025-11-02T10:30:00Z","sync_points":["draft","end"]})"};
    return entity;
}

const Entity& describe(const ParallelExecutionSyncEvent*)
{
    static const Entity entity{
        .name = "parallel_execution_sync_event",
        .doc = "An agent reached a point where they wait for each other.",
        .fields = {field("sync_point", &ParallelExecutionSyncEvent::sync_point, "Which point.", {.required = true}),
                   field("completed_agents", &ParallelExecutionSyncEvent::completed_agents, "Who has reached it.",
                         {.required = true}),
                   field("waiting_agents", &ParallelExecutionSyncEvent::waiting_agents, "Who has not.",
                         {.required = true}),
                   timestamp<ParallelExecutionSyncEvent>()},
        .tag = "event_parallel_sync",
        .home = kEventHome,
        .example = R"({"type":"event_parallel_sync","sync_point":"draft","completed_agents":["writer"],
"waiting_agents":["critic"],"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const ConsensusProposalEvent*)
{
    static const Entity entity{
        .name = "consensus_proposal_event",
        .doc = "An agent proposes a decision.",
        .fields = {field("proposal_id", &ConsensusProposalEvent::proposal_id, "The proposal.",
                         {.required = true, .min_length = 1}),
                   field("proposer_agent", &ConsensusProposalEvent::proposer_agent, "Who proposes.",
                         {.required = true}),
                   field("decision", &ConsensusProposalEvent::decision, "What.", {.required = true}),
                   field("stakeholders", &ConsensusProposalEvent::stakeholders, "Who may vote.", {.required = true}),
                   timestamp<ConsensusProposalEvent>()},
        .tag = "event_consensus_proposal",
        .home = kEventHome,
        .example = R"({"type":"event_consensus_proposal","proposal_id":"prop_1","proposer_agent":"planner",
"decision":"Publish it.","stakeholders":["writer","critic"],"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const ConsensusVoteEvent*)
{
    static const Entity entity{
        .name = "consensus_vote_event",
        .doc = "An agent voted.",
        .fields = {field("proposal_id", &ConsensusVoteEvent::proposal_id, "The proposal.",
                         {.required = true, .min_length = 1}),
                   field("voter_agent", &ConsensusVoteEvent::voter_agent, "Who voted.", {.required = true}),
                   field("vote", &ConsensusVoteEvent::vote, "What.", {.required = true}),
                   field("reasoning", &ConsensusVoteEvent::reasoning, "Why.", {.required = true}),
                   timestamp<ConsensusVoteEvent>()},
        .tag = "event_consensus_vote",
        .home = kEventHome,
        .example = R"({"type":"event_consensus_vote","proposal_id":"prop_1","voter_agent":"critic","vote":"yes",
"reasoning":"It is sound.","timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

const Entity& describe(const ConsensusReachedEvent*)
{
    static const Entity entity{
        .name = "consensus_reached_event",
        .doc = "The votes are counted.",
        .fields = {field("proposal_id", &ConsensusReachedEvent::proposal_id, "The proposal.",
                         {.required = true, .min_length = 1}),
                   field("final_decision", &ConsensusReachedEvent::final_decision, "What was decided.",
                         {.required = true}),
                   field("votes", &ConsensusReachedEvent::votes, "The vote of each agent.", {.required = true}),
                   timestamp<ConsensusReachedEvent>()},
        .tag = "event_consensus_reached",
        .home = kEventHome,
        .example = R"({"type":"event_consensus_reached","proposal_id":"prop_1","final_decision":"Publish it.",
"votes":{"writer":"yes","critic":"yes"},"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

}  // namespace cadre::model
