#include "model/views/framework_task.hpp"

#include "base/error.hpp"
#include "model/describe.hpp"
#include "model/schema_version.hpp"
#include "model/unshown.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::model::framework {

namespace json = boost::json;

namespace {

template <class E>
E shown_status(model::TaskStatus status, Boundary boundary)
{
    return find_named<E>(status_word(status, boundary)).value();
}

}  // namespace

std::span<const EnumName> names_of(const TaskStatus*)
{
    static constexpr EnumName names[] = {
        {int(TaskStatus::pending), "pending"},
        {int(TaskStatus::running), "running"},
        {int(TaskStatus::completed), "completed"},
        {int(TaskStatus::failed), "failed"},
    };
    return names;
}

const Entity& describe(const Task*)
{
    static const Entity entity{
        .name = "framework_task",
        .doc = "A unit of work to be executed.",
        .fields =
            {
                field("id", &Task::id, "Its id.", {.required = true, .format = Format::uuid}),
                field("description", &Task::description, "What to do.", {.required = true, .min_length = 1}),
                field("status", &Task::status, "How far it is; paused and waiting tasks are running.",
                      {.required = true}),
                field("assigned_agent", &Task::assigned_agent, "Who is in charge.", {.required = true}),
                field("result", &Task::result, "What it answered."),
                field("error", &Task::error, "Why it failed."),
                field("created_at", &Task::created_at, "When it was created.", {.fill = Fill::now}),
                field("started_at", &Task::started_at, "When it first ran."),
                field("completed_at", &Task::completed_at, "When it ended."),
                field("retention_days", &Task::retention_days, "Days to keep its traces.", {.min = 0}),
                field("parent_task_id", &Task::parent_task_id, "Id of the task that it is a part of."),
                field("ext", &Task::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .home = {Home::Kind::data,
                 "`task.json` in the folder of a task; also what the command line prints with `--json`"},
        .checks = {schema_version_check<Task>()},
        .example = R"({"id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","description":"Write an article on tides",
            "status":"completed","assigned_agent":"writer","result":"High tide is at nine.","error":null,
            "created_at":"2026-01-12T09:00:00Z","started_at":"2026-01-12T09:00:01Z",
            "completed_at":"2026-01-12T09:00:31.500Z","retention_days":7,"parent_task_id":null,
            "ext":{"schema_version":"1.0.0","kind":"article"}})",
    };
    return entity;
}

const Entity& describe(const SubAgentSession*)
{
    static const Entity entity{
        .name = "sub_agent_session",
        .doc = "The conversation of a sub-agent, apart from its parent's.",
        .fields =
            {
                field("session_id", &SubAgentSession::session_id, "Its id.",
                      {.required = true, .format = Format::uuid}),
                field("parent_task_id", &SubAgentSession::parent_task_id, "Id of the task that it works for.",
                      {.required = true, .min_length = 1}),
                field("agent_name", &SubAgentSession::agent_name, "Who the sub-agent is.",
                      {.required = true, .min_length = 1}),
                field("task_description", &SubAgentSession::task_description, "What it is to do.", {.required = true}),
                field("message_history", &SubAgentSession::message_history, "Its own conversation.",
                      {.required = true}),
                field("summary", &SubAgentSession::summary, "What the parent is told."),
                field("status", &SubAgentSession::status, "How far it is.", {.required = true}),
                field("created_at", &SubAgentSession::created_at, "When it began.", {.fill = Fill::now}),
                field("ext", &SubAgentSession::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .home = {Home::Kind::data, "a file beside `trace.json`"},
        .checks = {schema_version_check<SubAgentSession>()},
        .example = R"({"session_id":"b1f0c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c3d",
            "parent_task_id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","agent_name":"reader",
            "task_description":"Find tide tables","message_history":[],"summary":"Found three.","status":"completed",
            "created_at":"2026-01-12T09:00:02Z"})",
    };
    return entity;
}

Task view(const model::Task& task, const RetentionPolicy& policy)
{
    Task shown{.id = task.id,
               .description = task.description,
               .status = shown_status<TaskStatus>(task.status, Boundary::framework),
               .assigned_agent = task.agent,
               .error = task.error,
               .created_at = task.created_at,
               .started_at = task.started_at,
               .completed_at = task.completed_at,
               .retention_days = retention_days(task, policy),
               .parent_task_id = task.parent,
               .ext = {{"schema_version", kSchemaVersion}}};
    if (task.reply) shown.result = task.reply->text;
    if (task.status == model::TaskStatus::cancelled && !shown.error) shown.error = "cancelled";
    for (auto& member : unshown(task, {"id", "description", "agent", "error", "created_at", "started_at",
                                       "completed_at", "retention_days", "parent", "status", "reply"}))
        shown.ext[member.key()] = member.value();
    if (wire_name(task.status) != wire_name(shown.status)) shown.ext["status"] = wire_name(task.status);
    return shown;
}

SubAgentSession session_view(const model::Task& child, std::span<const Step> history, const Dict<std::string>& servers)
{
    return {.session_id = child.id,
            .parent_task_id = child.parent.value_or(""),
            .agent_name = child.agent,
            .task_description = child.description,
            .message_history = messages(history, servers),
            .summary = child.reply ? std::optional(child.reply->text) : std::nullopt,
            .status = shown_status<SubAgentStatus>(child.status, Boundary::sub_agent),
            .created_at = child.created_at,
            .ext = {{"schema_version", kSchemaVersion}}};
}

void check_known(const SubAgentSession& session, std::span<const std::string> agents, Problems& problems)
{
    if (std::find(agents.begin(), agents.end(), session.agent_name) == agents.end())
        problems.add(Path(Path(), "agent_name"), ProblemKind::unknown_name,
                     in_quotes(session.agent_name) + " is not an agent");
}

}  // namespace cadre::model::framework
