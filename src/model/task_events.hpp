// Events of a task as a whole, of its agents' turns, and of agents that work together.
#pragma once

#include "base/time.hpp"
#include "model/team.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

struct Entity;

enum class FinalStatus : std::uint8_t { success, error, cancelled };
enum class PausedReason : std::uint8_t { step_mode, breakpoint, user_request, hitl_intervention };

// ---- the task ----

struct TaskStartEvent {
    std::string task_id{};
    Time timestamp{};
    std::string initial_prompt{};
    std::string execution_mode{};
    boost::json::object team_config{};

    bool operator==(const TaskStartEvent&) const = default;
};

struct TaskCompleteEvent {
    std::string task_id{};
    Time timestamp{};
    FinalStatus final_status = FinalStatus::success;
    std::optional<std::string> summary{};
    std::vector<std::string> artifacts_created{};
    std::int64_t total_steps = 0;
    std::int64_t total_duration_ms = 0;

    bool operator==(const TaskCompleteEvent&) const = default;
};

struct TaskPausedEvent {
    std::string task_id{};
    Time timestamp{};
    PausedReason reason = PausedReason::user_request;
    boost::json::object context{};

    bool operator==(const TaskPausedEvent&) const = default;
};

struct TaskResumedEvent {
    std::string task_id{};
    Time timestamp{};
    std::string reason{};
    boost::json::object context{};

    bool operator==(const TaskResumedEvent&) const = default;
};

// ---- agents ----

struct AgentStartEvent {
    std::string agent_name{};
    std::string step_id{};
    Time timestamp{};
    std::optional<std::int64_t> context_size{};
    std::optional<std::int64_t> memory_retrieved{};
    std::optional<std::string> node{};  // of the workflow

    bool operator==(const AgentStartEvent&) const = default;
};

struct AgentCompleteEvent {
    std::string agent_name{};
    std::string step_id{};
    Time timestamp{};
    std::optional<std::int64_t> token_count{};
    std::optional<std::int64_t> execution_time_ms{};
    std::optional<std::int64_t> memory_stored{};
    std::string text{};  // that it wrote, beside tool calls too

    bool operator==(const AgentCompleteEvent&) const = default;
};

struct AgentHandoffEvent {
    std::string from_agent{};
    std::string to_agent{};
    std::string reason{};
    Time timestamp{};
    boost::json::object context{};
    HandoffType handoff_type = HandoffType::sequential;

    bool operator==(const AgentHandoffEvent&) const = default;
};

// ---- working together ----

struct ParallelExecutionStartEvent {
    std::vector<std::string> agents{};
    std::optional<std::string> coordination_agent{};
    Time timestamp{};
    std::vector<std::string> sync_points{};

    bool operator==(const ParallelExecutionStartEvent&) const = default;
};

struct ParallelExecutionSyncEvent {
    std::string sync_point{};
    std::vector<std::string> completed_agents{};
    std::vector<std::string> waiting_agents{};
    Time timestamp{};

    bool operator==(const ParallelExecutionSyncEvent&) const = default;
};

struct ConsensusProposalEvent {
    std::string proposal_id{};
    std::string proposer_agent{};
    std::string decision{};
    std::vector<std::string> stakeholders{};
    Time timestamp{};

    bool operator==(const ConsensusProposalEvent&) const = default;
};

struct ConsensusVoteEvent {
    std::string proposal_id{};
    std::string voter_agent{};
    std::string vote{};
    std::string reasoning{};
    Time timestamp{};

    bool operator==(const ConsensusVoteEvent&) const = default;
};

struct ConsensusReachedEvent {
    std::string proposal_id{};
    std::string final_decision{};
    Dict<std::string> votes{};  // of each agent
    Time timestamp{};

    bool operator==(const ConsensusReachedEvent&) const = default;
};

std::span<const EnumName> names_of(const FinalStatus*);
std::span<const EnumName> names_of(const PausedReason*);

const Entity& describe(const TaskStartEvent*);
const Entity& describe(const TaskCompleteEvent*);
const Entity& describe(const TaskPausedEvent*);
const Entity& describe(const TaskResumedEvent*);
const Entity& describe(const AgentStartEvent*);
const Entity& describe(const AgentCompleteEvent*);
const Entity& describe(const AgentHandoffEvent*);
const Entity& describe(const ParallelExecutionStartEvent*);
const Entity& describe(const ParallelExecutionSyncEvent*);
const Entity& describe(const ConsensusProposalEvent*);
const Entity& describe(const ConsensusVoteEvent*);
const Entity& describe(const ConsensusReachedEvent*);

}  // namespace cadre::model
