#include "model/views/framework_trace.hpp"

#include "base/plural.hpp"
#include "model/calls.hpp"
#include "model/describe.hpp"
#include "model/schema_version.hpp"
#include "model/step_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>

namespace cadre::model::framework {

namespace json = boost::json;

namespace {

/// What a step said, or what it did.
std::string summary_of(const Step& step)
{
    if (std::string said = text_of(step); !said.empty()) return said;
    std::string called;
    int results = 0;
    for (const Part& part : step.parts) {
        if (const auto* call = std::get_if<ToolCallPart>(&part))
            called += (called.empty() ? "calls " : ", ") + call->tool_call.tool_name;
        results += std::holds_alternative<ToolResultPart>(part);
    }
    if (!called.empty()) return called;
    return results > 0 ? plural(results, "tool result") : plural(step.parts.size(), "part");
}

}  // namespace

const Entity& describe(const ToolCallRecord*)
{
    static const Entity entity{
        .name = "tool_call_record",
        .doc = "A tool call, as traced.",
        .fields =
            {
                field("server", &ToolCallRecord::server, "MCP server; empty for a tool of our own.",
                      {.required = true}),
                field("tool", &ToolCallRecord::tool, "Name of the tool.", {.required = true}),
                field("arguments", &ToolCallRecord::arguments, "What it was called with.", {.required = true}),
                field("result", &ToolCallRecord::result, "What it answered."),
                field("error", &ToolCallRecord::error, "Why it failed."),
                field("duration_ms", &ToolCallRecord::duration_ms, "How long it took.", {.min = 0}),
            },
        .example = R"({"server":"web","tool":"search","arguments":{"query":"tide tables"},"result":{"hits":3},
            "error":null,"duration_ms":412})",
    };
    return entity;
}

const Entity& describe(const StepRecord*)
{
    static const Entity entity{
        .name = "step_record",
        .doc = "A step, as traced.",
        .fields =
            {
                field("step_name", &StepRecord::step_name, "Id of the step.", {.required = true}),
                field("message", &StepRecord::message, "What was said or done.", {.required = true}),
                field("timestamp", &StepRecord::timestamp, "When.", {.fill = Fill::now}),
                field("status", &StepRecord::status, "How it went; a level, not a state.", {.required = true}),
                field("agent", &StepRecord::agent, "Who did it.", {.required = true}),
                field("tool_calls", &StepRecord::tool_calls, "Tools that it called."),
                field("duration_ms", &StepRecord::duration_ms, "How long it took.", {.min = 0}),
            },
        .example = R"({"step_name":"step_2b1f7c3e0d4a4f6b9a7c5e8d1f2a3b4c","message":"calls search",
            "timestamp":"2026-01-12T09:00:05Z","status":"info","agent":"writer","tool_calls":[],"duration_ms":903})",
    };
    return entity;
}

const Entity& describe(const SubAgentSessionInfo*)
{
    static const Entity entity{
        .name = "sub_agent_session_info",
        .doc = "A sub-agent session, as its parent's trace lists it.",
        .fields =
            {
                field("session_id", &SubAgentSessionInfo::session_id, "Id of the session.", {.required = true}),
                field("agent", &SubAgentSessionInfo::agent, "Who the sub-agent is.", {.required = true}),
                field("message_count", &SubAgentSessionInfo::message_count, "Messages in the session.",
                      {.required = true, .min = 0}),
                field("status", &SubAgentSessionInfo::status, "How far it is.", {.required = true}),
            },
        .example = R"({"session_id":"b1f0c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c3d","agent":"reader","message_count":4,
            "status":"completed"})",
    };
    return entity;
}

const Entity& describe(const TraceLog*)
{
    static const Entity entity{
        .name = "trace_log",
        .doc = "What happened in a task.",
        .fields =
            {
                field("task_id", &TraceLog::task_id, "Id of the task.", {.required = true, .min_length = 1}),
                field("steps", &TraceLog::steps, "What happened, in order.", {.required = true}),
                field("sub_agent_sessions", &TraceLog::sub_agent_sessions, "Sub-agent sessions by their ids.",
                      {.required = true}),
                field("created_at", &TraceLog::created_at, "When it began.", {.fill = Fill::now}),
                field("updated_at", &TraceLog::updated_at, "When it last changed.", {.fill = Fill::now}),
                field("ext", &TraceLog::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .home = {Home::Kind::data, "`trace.json` in the folder of a task"},
        .checks = {schema_version_check<TraceLog>()},
        .example = R"({"task_id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","steps":[],
            "sub_agent_sessions":{"b1f0c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c3d":
            {"session_id":"b1f0c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c3d","agent":"reader","message_count":4,
             "status":"completed"}},
            "created_at":"2026-01-12T09:00:00Z","updated_at":"2026-01-12T09:00:05Z",
            "ext":{"schema_version":"1.0.0"}})",
    };
    return entity;
}

ToolCallRecord record_of(const Call& call)
{
    ToolCallRecord record{.server = call.server.value_or(""),
                          .tool = call.tool,
                          .arguments = call.args,
                          .error = call.error,
                          .duration_ms = duration_ms(call).value_or(0)};
    if (call.result) record.result = as_dict(*call.result);
    if (call.status == CallStatus::timeout) record.error = tool_result_of(call).error;
    return record;
}

SubAgentSessionInfo info_of(const SubAgentSession& session)
{
    return {.session_id = session.session_id,
            .agent = session.agent_name,
            .message_count = static_cast<int>(session.message_history.size()),
            .status = session.status};
}

TraceLog trace(const model::Task& task, std::span<const Step> history, std::span<const SubAgentSession> sessions,
               const Dict<std::string>& servers)
{
    std::map<std::string, Call> calls;
    for (Call& call : calls_of(history, servers)) calls.emplace(call.id, std::move(call));

    TraceLog log{.task_id = task.id,
                 .created_at = task.created_at,
                 .updated_at = task.created_at,
                 .ext = {{"schema_version", kSchemaVersion}}};
    for (const Step& step : history) {
        StepRecord record{.step_name = step.id,
                          .message = summary_of(step),
                          .timestamp = step.at,
                          .status = step.level,
                          .agent = step.agent,
                          .duration_ms = step.duration.value_or(0)};
        for (const Part& part : step.parts)
            if (const auto* call = std::get_if<ToolCallPart>(&part))
                record.tool_calls.push_back(record_of(calls.at(uuid_of(call->tool_call.id))));
        log.steps.push_back(std::move(record));
        log.updated_at = std::max(log.updated_at, step.at);
    }
    for (const SubAgentSession& session : sessions) log.sub_agent_sessions[session.session_id] = info_of(session);
    return log;
}

}  // namespace cadre::model::framework
