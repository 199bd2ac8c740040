// Document 000: TraceLog and its records; a view of steps, made anew whenever it is wanted.
#pragma once

#include "model/call.hpp"
#include "model/views/framework_task.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model::framework {

struct ToolCallRecord {
    std::string server{};
    std::string tool{};
    boost::json::object arguments{};
    std::optional<boost::json::object> result{};
    std::optional<std::string> error{};
    std::int64_t duration_ms = 0;

    bool operator==(const ToolCallRecord&) const = default;
};
const Entity& describe(const ToolCallRecord*);

struct StepRecord {
    std::string step_name{};
    std::string message{};
    Time timestamp{};
    Level status = Level::info;
    std::string agent{};
    std::vector<ToolCallRecord> tool_calls{};
    std::int64_t duration_ms = 0;

    bool operator==(const StepRecord&) const = default;
};
const Entity& describe(const StepRecord*);

struct SubAgentSessionInfo {
    std::string session_id{};
    std::string agent{};
    int message_count = 0;
    SubAgentStatus status = SubAgentStatus::running;

    bool operator==(const SubAgentSessionInfo&) const = default;
};
const Entity& describe(const SubAgentSessionInfo*);

struct TraceLog {
    std::string task_id{};
    std::vector<StepRecord> steps{};
    Dict<SubAgentSessionInfo> sub_agent_sessions{};
    Time created_at{};
    Time updated_at{};
    boost::json::object ext{};

    bool operator==(const TraceLog&) const = default;
};
const Entity& describe(const TraceLog*);

ToolCallRecord record_of(const Call& call);
SubAgentSessionInfo info_of(const SubAgentSession& session);

/// The trace of a task: a record per step, calls with their outcomes at the step that made them. Nothing is masked here;
/// whoever writes it to a file does that (C-36).
TraceLog trace(const model::Task& task, std::span<const Step> history, std::span<const SubAgentSession> sessions,
               const Dict<std::string>& servers = {});

}  // namespace cadre::model::framework
