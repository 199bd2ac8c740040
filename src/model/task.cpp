#include "model/task.hpp"

#include "model/describe.hpp"
#include "model/machine.hpp"

namespace cadre::model {

namespace {

void check_task_times(const Task& task, const Path& path, Problems& problems)
{
    if (task.started_at && *task.started_at < task.created_at)
        problems.add(Path(path, "started_at"), "must not be before created_at");
    if (task.completed_at && *task.completed_at < task.started_at.value_or(task.created_at))
        problems.add(Path(path, "completed_at"), "must not be before the task began");
}

}  // namespace

std::span<const EnumName> names_of(const TaskStatus*)
{
    static constexpr EnumName names[] = {
        {int(TaskStatus::pending), "pending"},     {int(TaskStatus::running), "running"},
        {int(TaskStatus::paused), "paused"},       {int(TaskStatus::waiting), "waiting"},
        {int(TaskStatus::completed), "completed"}, {int(TaskStatus::failed), "failed"},
        {int(TaskStatus::cancelled), "cancelled"}, {int(TaskStatus::cancelled), "canceled"},  // read as well (C-02)
    };
    return names;
}

std::span<const EnumName> names_of(const PauseReason*)
{
    static constexpr EnumName names[] = {
        {int(PauseReason::step_mode), "step_mode"},
        {int(PauseReason::breakpoint), "breakpoint"},
        {int(PauseReason::user_request), "user_request"},
        {int(PauseReason::diverged), "diverged"},
        {int(PauseReason::budget), "budget"},
        {int(PauseReason::interrupted), "interrupted"},
    };
    return names;
}

std::span<const EnumName> names_of(const ExecutionMode*)
{
    static constexpr EnumName names[] = {{int(ExecutionMode::autonomous), "autonomous"},
                                         {int(ExecutionMode::step), "step"},
                                         {int(ExecutionMode::hitl), "hitl"}};
    return names;
}

std::span<const EnumName> names_of(const Phase*)
{
    static constexpr EnumName names[] = {
        {int(Phase::created), "created"},       {int(Phase::planning), "planning"},
        {int(Phase::extracting), "extracting"}, {int(Phase::composing), "composing"},
        {int(Phase::formatting), "formatting"}, {int(Phase::validating), "validating"},
        {int(Phase::refining), "refining"},     {int(Phase::sending), "sending"},
        {int(Phase::completed), "completed"},   {int(Phase::failed), "failed"},
    };
    return names;
}

const Entity& describe(const Task*)
{
    static const Entity entity{
        .name = "task",
        .doc = "One unit of work, from its creation to its reply.",
        .fields =
            {
                field("id", &Task::id, "Its id.", {.required = true, .format = Format::uuid}),
                field("alias", &Task::alias, "An id that a client made for it.", {.min_length = 1}),
                field("tenant", &Task::tenant, "Whose it is.", {.min_length = 1}),
                field("created_by", &Task::created_by, "Who asked for it."),
                field("session", &Task::session, "Id of the session it belongs to."),
                field("parent", &Task::parent, "Id of the task that it is a part of."),
                field("kind", &Task::kind, "A word of yours, like critical or debug, that retention goes by."),
                field("description", &Task::description, "What to do.", {.required = true, .min_length = 1}),
                field("agent", &Task::agent, "Who is in charge.", {.required = true, .min_length = 1}),
                field("team", &Task::team, "Team that it runs with."),
                field("graph", &Task::graph, "Workflow that it runs."),
                field("mode", &Task::mode, "Whether it stops by itself, and where."),
                field("status", &Task::status, "What it is doing."),
                field("phase", &Task::phase, "How far a channel message is in its pipeline."),
                field("pause_reason", &Task::pause_reason, "Why it is paused."),
                field("status_text", &Task::status_text, "What it is doing, for people."),
                field("plan", &Task::plan, "What it means to do."),
                field("reply", &Task::reply, "What it answered."),
                field("error", &Task::error, "Why it failed."),
                field("created_at", &Task::created_at, "When it was created.", {.fill = Fill::now}),
                field("started_at", &Task::started_at, "When it first ran."),
                field("completed_at", &Task::completed_at, "When it ended, well or not."),
                field("retention_days", &Task::retention_days, "Days to keep its traces, if not as the policy says.",
                      {.min = 0}),
                field("metadata", &Task::metadata, "Anything else that is worth keeping with it."),
            },
        .home = {Home::Kind::inside, "shown to others as [framework_task](framework_task.md) in files and "
                                     "[task_context](task_context.md) over A2A"},
        .demands = {{.when = {is("status", {"paused"})},
                     .then = given("pause_reason"),
                     .says = "is required for a task that is paused"},
                    {.when = {!is("status", {"paused"})},
                     .then = !given("pause_reason"),
                     .says = "is only for a task that is paused"},
                    {.when = {!is("status", {"completed", "failed", "cancelled"})},
                     .then = !given("completed_at"),
                     .says = "is only for a task that has ended"}},
        .checks = {check<Task>({"created_at", "started_at", "completed_at"},
                               "`started_at` is not before `created_at`, and `completed_at` not before either.",
                               check_task_times)},
        .example = R"({"id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","alias":null,"tenant":"default","created_by":"ann",
            "session":null,"parent":null,"kind":"debug","description":"Write an article on tides","agent":"writer",
            "team":"newsroom","graph":"article","mode":"autonomous","status":"paused","phase":null,
            "pause_reason":"breakpoint","status_text":null,"plan":null,"reply":null,"error":null,
            "created_at":"2026-01-12T09:00:00Z","started_at":"2026-01-12T09:00:01Z","completed_at":null,
            "retention_days":30,"metadata":{}})",
    };
    return entity;
}

bool is_finished(TaskStatus status)
{
    return task_machine().is_final(status);
}

void move_to(Task& task, TaskStatus status, Time now)
{
    task.status = task_machine().next(task.status, status);
    task.pause_reason.reset();
    if (status == TaskStatus::running && !task.started_at) task.started_at = now;
    if (is_finished(status)) task.completed_at = now;
}

void pause(Task& task, PauseReason reason)
{
    task.status = task_machine().next(task.status, TaskStatus::paused);
    task.pause_reason = reason;
}

}  // namespace cadre::model
