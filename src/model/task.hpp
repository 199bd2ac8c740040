// Task: one unit of work, from its creation to its reply.
#pragma once

#include "model/plan.hpp"
#include "model/reply.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::model {

/// What a task is doing. Every document's own status words are a projection of these seven (status.hpp).
enum class TaskStatus : std::uint8_t {
    pending,
    running,  // sleeping and throttled tasks too
    paused,   // somebody or something stopped it; see PauseReason
    waiting,  // a person must act
    completed,
    failed,
    cancelled,
};
std::span<const EnumName> names_of(const TaskStatus*);

enum class PauseReason : std::uint8_t {
    step_mode,
    breakpoint,
    user_request,
    diverged,     // the journal and the code no longer agree
    budget,       // out of money or tokens; raising the budget continues the run
    interrupted,  // its process ended again and again in the same call
};
std::span<const EnumName> names_of(const PauseReason*);

enum class ExecutionMode : std::uint8_t { autonomous, step, hitl };
std::span<const EnumName> names_of(const ExecutionMode*);

/// How far a channel message is in its pipeline; document 001's WorkflowStatus.
enum class Phase : std::uint8_t {
    created,
    planning,
    extracting,
    composing,
    formatting,
    validating,
    refining,
    sending,
    completed,
    failed,
};
std::span<const EnumName> names_of(const Phase*);

struct Task {
    std::string id{};
    std::optional<std::string> alias{};
    std::string tenant = "default";
    std::string created_by{};
    std::optional<std::string> session{};
    std::optional<std::string> parent{};
    std::string kind{};
    std::string description{};
    std::string agent{};
    std::optional<std::string> team{};
    std::string graph{};
    ExecutionMode mode = ExecutionMode::autonomous;
    TaskStatus status = TaskStatus::pending;
    std::optional<Phase> phase{};
    std::optional<PauseReason> pause_reason{};
    std::optional<std::string> status_text{};
    std::optional<Plan> plan{};
    std::optional<Reply> reply{};
    std::optional<std::string> error{};
    Time created_at{};
    std::optional<Time> started_at{};
    std::optional<Time> completed_at{};
    std::optional<int> retention_days{};
    boost::json::object metadata{};

    bool operator==(const Task&) const = default;
};
const Entity& describe(const Task*);

/// Whether nothing more will happen to it.
bool is_finished(TaskStatus status);

/// Moves the task on and keeps its times: `started_at` when it first runs, `completed_at` when it ends. Throws
/// Error(conflict) for a move that its machine does not have.
void move_to(Task& task, TaskStatus status, Time now);
/// The same for `paused`, which needs a reason.
void pause(Task& task, PauseReason reason);

}  // namespace cadre::model
