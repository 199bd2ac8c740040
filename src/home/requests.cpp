#include "home/requests.hpp"

#include "home/telling.hpp"
#include "model/describe.hpp"

namespace cadre::home {

using model::Entity;
using model::field;

namespace {

constexpr std::string_view kTask = "The task.";
const model::Rule kRequired{.required = true};

}  // namespace

// ---- answers ----

const Entity& describe(const Done*)
{
    static const Entity entity{.name = "done", .doc = "It was done.", .fields = {}};
    return entity;
}

const Entity& describe(const Owner*)
{
    static const Entity entity{
        .name = "owner",
        .doc = "The process that owns the home.",
        .fields = {field("pid", &Owner::pid, "Its number."),
                   field("bare", &Owner::bare, "Programs of tools run without a sandbox there.")}};
    return entity;
}

const Entity& describe(const Created*)
{
    static const Entity entity{
        .name = "created", .doc = "The task is durable.", .fields = {field("task", &Created::task, kTask)}};
    return entity;
}

const Entity& describe(const TaskReply*)
{
    static const Entity entity{
        .name = "task_reply",
        .doc = "How a task stands now that something was said to it.",
        .fields = {field("task", &TaskReply::task, kTask), field("status", &TaskReply::status, "How it stands."),
                   field("driven", &TaskReply::driven, "Somebody waits for it, and the owner works on it."),
                   field("pid", &TaskReply::pid, "The owner's number."),
                   field("events", &TaskReply::events, "How many it had before.")}};
    return entity;
}

const Entity& describe(const CancelReply*)
{
    static const Entity entity{.name = "cancel_reply",
                               .doc = "Whether the task was stopped for good.",
                               .fields = {field("task", &CancelReply::task, kTask),
                                          field("cancelled", &CancelReply::cancelled, "False: it had ended already."),
                                          field("status", &CancelReply::status, "How it stands.")}};
    return entity;
}

const Entity& describe(const BreakpointList*)
{
    static const Entity entity{.name = "breakpoint_list",
                               .doc = "The breakpoints of a task.",
                               .fields = {field("task", &BreakpointList::task, kTask),
                                          field("breakpoints", &BreakpointList::breakpoints, "All that it has now.")}};
    return entity;
}

const Entity& describe(const TaskIds*)
{
    static const Entity entity{
        .name = "task_ids", .doc = "Some tasks.", .fields = {field("tasks", &TaskIds::tasks, "Their ids.")}};
    return entity;
}

const Entity& describe(const Undone*)
{
    static const Entity entity{.name = "undone",
                               .doc = "A turn no longer counts.",
                               .fields = {field("prompt", &Undone::prompt, "What it began with.")}};
    return entity;
}

const Entity& describe(const ExpiredTask*)
{
    static const Entity entity{.name = "expired_task",
                               .doc = "A task that the retention policy no longer keeps.",
                               .fields = {field("id", &ExpiredTask::id, kTask),
                                          field("status", &ExpiredTask::status, "How it ended."),
                                          field("title", &ExpiredTask::title, "How its prompt begins."),
                                          field("ended_at", &ExpiredTask::ended_at, "When it ended."),
                                          field("days", &ExpiredTask::days, "How long it was to be kept."),
                                          field("below", &ExpiredTask::below, "Tasks that it delegated."),
                                          field("file_bytes", &ExpiredTask::file_bytes, "Size of its files."),
                                          field("journal_bytes", &ExpiredTask::journal_bytes, "Size of its journal.")}};
    return entity;
}

const Entity& describe(const Collected*)
{
    static const Entity entity{
        .name = "collected",
        .doc = "What was removed, or would be.",
        .fields = {field("tasks", &Collected::tasks, "The tasks, the oldest end first."),
                   field("file_bytes", &Collected::file_bytes, "Size of all their files."),
                   field("journal_bytes", &Collected::journal_bytes, "Size of all their journals."),
                   field("failed", &Collected::failed, "Tasks that could not be removed.", {.extension = true}),
                   field("clock_ahead_ms", &Collected::clock_ahead_ms,
                         "Nothing was removed, because the clock is that far ahead of the home's last use.",
                         {.extension = true})}};
    return entity;
}

const Entity& describe(const FailedTask*)
{
    static const Entity entity{
        .name = "failed_task",
        .doc = "A task for which it did not work.",
        .fields = {field("task", &FailedTask::task, kTask), field("error", &FailedTask::error, "Why.")}};
    return entity;
}

const Entity& describe(const Rebuilt*)
{
    static const Entity entity{.name = "rebuilt",
                               .doc = "Whose files were written again.",
                               .fields = {field("failed", &Rebuilt::failed, "Those for which it did not work."),
                                          field("tasks", &Rebuilt::tasks, "How many worked.")}};
    return entity;
}

const Entity& describe(const AtRest*)
{
    static const Entity entity{
        .name = "at_rest",
        .doc = "A task cannot or may not continue by itself.",
        .fields = {field("status", &AtRest::status, "How it stands."),
                   field("left_over", &AtRest::left_over, "Entries of its script that nothing asked for.")}};
    return entity;
}

const Entity& describe(const DrivenTasks*)
{
    static const Entity entity{.name = "driven_tasks",
                               .doc = "All unfinished tasks are at rest.",
                               .fields = {field("tasks", &DrivenTasks::tasks, "How many were driven.")}};
    return entity;
}

const Entity& describe(const WaitsForPerson*)
{
    static const Entity entity{.name = "waits_for_person",
                               .doc = "A task that is driven stands still until a person answers.",
                               .fields = {field("task", &WaitsForPerson::task, "Which task asks: it, or one below it."),
                                          field("request", &WaitsForPerson::request, "Id of the question.")}};
    return entity;
}

const Entity& describe(const TaskAtRest*)
{
    static const Entity entity{
        .name = "task_at_rest",
        .doc = "One of several tasks that are driven has come to rest.",
        .fields = {field("task", &TaskAtRest::task, kTask), field("status", &TaskAtRest::status, "How it stands."),
                   field("error", &TaskAtRest::error, "Why it could not continue.", {.extension = true})}};
    return entity;
}

// ---- requests ----

const Entity& describe(const Hello*)
{
    static const Entity entity{.name = "hello", .doc = "Asks who owns the home.", .fields = {}};
    return entity;
}

const Entity& describe(const Create*)
{
    static const Entity entity{.name = "create",
                               .doc = "Creates a task.",
                               .fields = {field("task", &Create::task, "What it is to be.", kRequired),
                                          field("endpoints", &Create::endpoints,
                                                "Digests of addresses and keys that its models are "
                                                "reached with where it was asked for."),
                                          field("held", &Create::held, "It begins when somebody drives it.")}};
    return entity;
}

const Entity& describe(const Start*)
{
    static const Entity entity{.name = "start",
                               .doc = "Lets a pending task begin.",
                               .fields = {field("task", &Start::task, kTask, kRequired)}};
    return entity;
}

const Entity& describe(const AnswerQuestion*)
{
    static const Entity entity{
        .name = "answer_question",
        .doc = "Answers a question of a task.",
        .fields = {
            field("task", &AnswerQuestion::task, kTask, kRequired),
            field("request", &AnswerQuestion::request, "Id of the question, or how it begins; empty: the only one."),
            field("answer", &AnswerQuestion::answer, "What the person says.", kRequired),
            field("stay", &AnswerQuestion::stay, "The process that answers runs the task from then on.")}};
    return entity;
}

const Entity& describe(const Resume*)
{
    static const Entity entity{
        .name = "resume",
        .doc = "Resumes a task.",
        .fields = {field("task", &Resume::task, kTask, kRequired),
                   field("budget", &Resume::budget, "What changes of its budget."),
                   field("steps", &Resume::steps, "So many more, then it pauses; 0: as it was.", {.min = 0}),
                   field("freely", &Resume::freely, "No longer step by step."),
                   field("held", &Resume::held, "It continues when somebody drives it.")}};
    return entity;
}

const Entity& describe(const Cancel*)
{
    static const Entity entity{.name = "cancel",
                               .doc = "Stops a task for good.",
                               .fields = {field("task", &Cancel::task, kTask, kRequired),
                                          field("reason", &Cancel::reason, "Why; it is recorded.")}};
    return entity;
}

const Entity& describe(const Pause*)
{
    static const Entity entity{.name = "pause",
                               .doc = "Pauses a task at the next step.",
                               .fields = {field("task", &Pause::task, kTask, kRequired)}};
    return entity;
}

const Entity& describe(const AwaitRest*)
{
    static const Entity entity{.name = "await_rest",
                               .doc = "Waits until a task cannot or may not continue by itself.",
                               .fields = {field("task", &AwaitRest::task, kTask, kRequired)}};
    return entity;
}

const Entity& describe(const Instruct*)
{
    static const Entity entity{
        .name = "instruct",
        .doc = "Tells the agent something before its next model call.",
        .fields = {field("task", &Instruct::task, kTask, kRequired),
                   field("text", &Instruct::text, "What it is told.", {.required = true, .min_length = 1})}};
    return entity;
}

const Entity& describe(const Intervene*)
{
    static const Entity entity{
        .name = "intervene_request",
        .doc = "Changes the course of a task.",
        .fields = {field("task", &Intervene::task, kTask, kRequired),
                   field("type", &Intervene::type, "What is changed."),
                   field("instruction", &Intervene::instruction, "What its agent is told."),
                   field("details", &Intervene::details, "Else the change: `plan`, `next_agent` or `team`."),
                   field("endpoints", &Intervene::endpoints,
                         "How the asker's process reaches the models of that team: fingerprints.")}};
    return entity;
}

const Entity& describe(const ChangeBreakpoints*)
{
    static const Entity entity{.name = "change_breakpoints",
                               .doc = "Changes where a task pauses.",
                               .fields = {field("task", &ChangeBreakpoints::task, kTask, kRequired),
                                          field("clear", &ChangeBreakpoints::clear, "First remove all."),
                                          field("remove", &ChangeBreakpoints::remove, "Those that go."),
                                          field("add", &ChangeBreakpoints::add, "Those that come.")}};
    return entity;
}

const Entity& describe(const Park*)
{
    static const Entity entity{
        .name = "park",
        .doc = "Lets the current step of a task finish and stops driving it.",
        .fields = {field("task", &Park::task, kTask, kRequired),
                   field("at_once", &Park::at_once, "A model that is answering is not waited for.")}};
    return entity;
}

const Entity& describe(const Driving*)
{
    static const Entity entity{.name = "driving", .doc = "Asks which tasks somebody waits for.", .fields = {}};
    return entity;
}

const Entity& describe(const Undo*)
{
    static const Entity entity{.name = "undo",
                               .doc = "Leaves the last turn of a session out of what follows.",
                               .fields = {field("session", &Undo::session, "The session.", kRequired)}};
    return entity;
}

const Entity& describe(const Fork*)
{
    static const Entity entity{.name = "fork",
                               .doc = "Makes another task of a task.",
                               .fields = {field("fork", &Fork::fork, "From where, with what changed.", kRequired)}};
    return entity;
}

const Entity& describe(const Import*)
{
    static const Entity entity{.name = "import",
                               .doc = "Keeps a run that happened elsewhere.",
                               .fields = {field("file", &Import::file, "Path of the exported file.", kRequired)}};
    return entity;
}

const Entity& describe(const Collect*)
{
    static const Entity entity{
        .name = "collect",
        .doc = "Removes what the retention policy no longer keeps.",
        .fields = {field("policy", &Collect::policy, "The policy.", kRequired),
                   field("force", &Collect::force, "Whether the clock is right.", {.extension = true})}};
    return entity;
}

const Entity& describe(const Remove*)
{
    static const Entity entity{.name = "remove",
                               .doc = "Removes a task that has ended, with all below it.",
                               .fields = {field("task", &Remove::task, kTask, kRequired)}};
    return entity;
}

const Entity& describe(const Rebuild*)
{
    static const Entity entity{.name = "rebuild",
                               .doc = "Writes the files of tasks again from their journals.",
                               .fields = {field("task", &Rebuild::task, "Only this one.")}};
    return entity;
}

const Entity& describe(const Drive*)
{
    static const Entity entity{
        .name = "drive",
        .doc = "Runs a task until it is at rest, and tells what happens.",
        .fields = {field("task", &Drive::task, kTask, kRequired),
                   field("after", &Drive::after, "Events up to this number are known."),
                   field("stay", &Drive::stay, "A question is told and waited for."),
                   field("children", &Drive::children, "Words of tasks below it are told.", {.extension = true})}};
    return entity;
}

const Entity& describe(const Watch*)
{
    static const Entity entity{.name = "watch",
                               .doc = "Tells what happens to a task until it has ended.",
                               .fields = {field("task", &Watch::task, kTask, kRequired),
                                          field("after", &Watch::after, "Events up to this number are known."),
                                          field("children", &Watch::children, "Words of tasks below it are told.")}};
    return entity;
}

const Entity& describe(const DriveAll*)
{
    static const Entity entity{
        .name = "drive_all", .doc = "Runs all unfinished tasks until each is at rest.", .fields = {}};
    return entity;
}

}  // namespace cadre::home
