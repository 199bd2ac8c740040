// Document 000: Task and SubAgentSession, with their exact names; what they have no field for is in `ext`.
#pragma once

#include "model/status.hpp"
#include "model/task.hpp"
#include "model/views/framework_retention.hpp"
#include "model/views/framework_state.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model::framework {

enum class TaskStatus : std::uint8_t { pending, running, completed, failed };
std::span<const EnumName> names_of(const TaskStatus*);

struct Task {
    std::string id{};
    std::string description{};
    TaskStatus status = TaskStatus::pending;
    std::string assigned_agent{};
    std::optional<std::string> result{};
    std::optional<std::string> error{};
    Time created_at{};
    std::optional<Time> started_at{};
    std::optional<Time> completed_at{};
    std::optional<int> retention_days = 7;
    std::optional<std::string> parent_task_id{};
    boost::json::object ext{};

    bool operator==(const Task&) const = default;
};
const Entity& describe(const Task*);

/// An isolated sub-agent conversation: a child task and its own steps.
struct SubAgentSession {
    std::string session_id{};
    std::string parent_task_id{};
    std::string agent_name{};
    std::string task_description{};
    std::vector<Message> message_history{};
    std::optional<std::string> summary{};
    SubAgentStatus status = SubAgentStatus::running;
    Time created_at{};
    boost::json::object ext{};

    bool operator==(const SubAgentSession&) const = default;
};
const Entity& describe(const SubAgentSession*);

/// The task as `task.json` shows it: four statuses, the effective number of days (C-21), everything else in `ext`.
Task view(const model::Task& task, const RetentionPolicy& policy);

SubAgentSession session_view(const model::Task& child, std::span<const Step> history,
                             const Dict<std::string>& servers = {});

/// Reports a session whose agent is none of `agents`.
void check_known(const SubAgentSession& session, std::span<const std::string> agents, Problems& problems);

}  // namespace cadre::model::framework
