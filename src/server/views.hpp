// What clients see of a task. Statuses are the kernel's seven words.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/budget.hpp"
#include "engine/task_state.hpp"
#include "model/human.hpp"
#include "model/task.hpp"
#include "storage/store.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::server {

class Call;
struct Service;

/// What a run has used.
struct UsageView {
    std::int64_t model_calls = 0;
    std::int64_t tool_calls = 0;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    double cost_usd = 0;
};
const model::Entity& describe(const UsageView*);

/// An open question, and how it can be answered.
struct QuestionView {
    std::string request_id{};
    std::string task_id{};
    model::HumanRequestType request_type = model::HumanRequestType::approval;
    std::string agent_name{};
    boost::json::object context{};
    std::optional<std::int64_t> timeout{};  // seconds
    Time asked_at{};
    std::optional<Time> due_at{};
    std::vector<std::string> verbs{};
};
const model::Entity& describe(const QuestionView*);
QuestionView question_view(const engine::OpenQuestion& question, const Id& task);

/// Those of all these tasks.
std::vector<QuestionView> questions_of(const std::vector<std::shared_ptr<const engine::TaskState>>& tree);

/// What document 004 has no field for.
struct TaskExtras {
    std::string pattern{};
    std::optional<std::string> session_id{};
    std::string created_by{};
    std::string kind{};
    boost::json::object metadata{};
    bool queued = false;  // a turn of a session that waits for those before it
    std::vector<QuestionView> questions{};
    std::vector<std::string> breakpoints{};
    UsageView usage{};
    engine::Budget budget{};
    std::uint32_t seq = 0;         // records of its journal; its ETag
    std::uint32_t last_event = 0;  // number of its last event
};
const model::Entity& describe(const TaskExtras*);

struct TaskView {
    std::string id{};
    std::string description{};
    model::TaskStatus status = model::TaskStatus::pending;
    std::string assigned_agent{};
    std::optional<std::string> result{};
    std::optional<std::string> error{};
    Time created_at{};
    std::optional<Time> started_at{};
    std::optional<Time> completed_at{};
    std::optional<int> retention_days{};
    std::optional<std::string> parent_task_id{};
    model::ExecutionMode execution_mode = model::ExecutionMode::autonomous;
    std::optional<model::PauseReason> pause_reason{};
    std::optional<std::string> pause_text{};
    std::optional<model::PlanProgress> plan_progress{};  // of a task that was planned first
    TaskExtras ext{};
};
const model::Entity& describe(const TaskView*);
TaskView task_view(const engine::TaskState& state);
/// As it is now, and its ETag is the answer's. Waits for the task to rest for as long as the client has asked for.
Async<TaskView> view_now(Call& call, Id task);

/// Gives it so long to come to rest, or to wait for what a task below it asks; less when the server is about to leave.
Async<> wait_for_rest(Service& service, Id task, Millis patience);

/// A task in a list.
struct TaskSummary {
    std::string id{};
    std::string title{};
    std::string status{};
    std::string assigned_agent{};
    Time created_at{};
    Time updated_at{};
    std::optional<Time> due_at{};
    std::optional<std::string> session_id{};
    std::optional<std::string> parent_task_id{};
    std::string created_by{};
    std::optional<std::string> error{};
    std::optional<std::string> pause_reason{};
    std::size_t questions = 0;  // open ones
    std::optional<Time> purged_at{};
};
const model::Entity& describe(const TaskSummary*);
TaskSummary task_summary(const storage::TaskEntry& entry);

/// `"7"`: the tag of a task whose journal has so many records.
std::string tag_of(const engine::TaskState& state);

}  // namespace cadre::server
