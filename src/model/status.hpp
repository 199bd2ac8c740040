// One status inside, each document's word for it at its own boundary (the table of decisions.md §1.1).
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cadre::model {

enum class TaskStatus : std::uint8_t;
enum class PauseReason : std::uint8_t;
enum class Phase : std::uint8_t;

/// Whose words are spoken.
enum class Boundary : std::uint8_t {
    framework,      // 000: Task.status
    sub_agent,      // 000: SubAgentSession.status
    conversation,   // 001: WorkflowStatus of a task whose phase is not known
    orchestration,  // 002: TaskState
    domains,        // 003: Conversation, before its clock makes it Idle
    agentx,         // 004: REST status
    agentx_final,   // 004: final_status of event_task_complete; empty for a task that has not ended
};

/// The word for that status.
std::string_view status_word(TaskStatus status, Boundary boundary);
/// What a word read at that boundary means; nothing for `unknown` and for words that the document does not have. A word
/// for several statuses means the plainest of them; `canceled` and `cancelled` are read everywhere where one is (C-02).
std::optional<TaskStatus> find_status(std::string_view word, Boundary boundary);

/// 002's and 004's word for a record that is expired or cannot be read.
inline constexpr std::string_view kUnknownStatus = "unknown";

/// 004's word for why a task does not go on; nothing unless it is paused or waiting. The kernel's own reasons are
/// hitl_intervention there, with the reason in the event's context.
std::optional<std::string_view> agentx_pause_reason(TaskStatus status, std::optional<PauseReason> reason);

/// 001's phase of a task: its own while it runs, else what its status says.
Phase phase_of(TaskStatus status, std::optional<Phase> phase);

/// 000's words for a sub-agent session, which is a child task.
enum class SubAgentStatus : std::uint8_t { running, completed, failed };
std::span<const EnumName> names_of(const SubAgentStatus*);

}  // namespace cadre::model
