// What Commands take and give, described: for every door that has it as JSON.
#include "engine/commands.hpp"
#include "engine/fork.hpp"
#include "engine/transfer.hpp"
#include "model/describe.hpp"

namespace cadre::engine {

using model::Entity;
using model::field;

const Entity& describe(const CreateTask*)
{
    static const Entity entity{
        .name = "create_task",
        .doc = "A task to be created.",
        .fields = {
            field("id", &CreateTask::id, "The caller's; a second request with it makes no second task."),
            field("team", &CreateTask::team, "Left out: what the last task of the session had.", {.extension = true}),
            field("agent", &CreateTask::agent, "Who begins; empty: the team's first."),
            field("description", &CreateTask::description, "The prompt."),
            field("model", &CreateTask::model, "For all agents; empty: what the team says."),
            field("pattern", &CreateTask::pattern, "How it runs: a name and a version."),
            field("setup", &CreateTask::setup,
                  "Text of a workflow setup, for a task that runs a workflow; empty: none.", {.extension = true}),
            field("mode", &CreateTask::mode, "Whether it pauses before steps or asks before calls."),
            field("budget", &CreateTask::budget, "What it may spend."),
            field("input", &CreateTask::input, "For its pattern: of a workflow, what its state begins with.",
                  {.extension = true}),
            field("kind", &CreateTask::kind, "For retention."),
            field("project", &CreateTask::project, "Folder of the project that the team is of."),
            field("source", &CreateTask::source, "The file that it was read from, for messages.", {.extension = true}),
            field("retention_days", &CreateTask::retention_days, "How long it is kept after its end."),
            field("breakpoints", &CreateTask::breakpoints, "Where it pauses."),
            field("metadata", &CreateTask::metadata, "The caller's own."),
            field("session", &CreateTask::session, "The conversation that it is a turn of; empty: none."),
            field("start", &CreateTask::start, "False: it is pending until it is started."),
            field("queue", &CreateTask::queue,
                  "False: refused while a turn of its session has not ended, instead of waiting for that.",
                  {.extension = true}),
        }};
    return entity;
}

std::span<const model::EnumName> names_of(const ForkPoint::By*)
{
    using By = ForkPoint::By;
    static constexpr model::EnumName kNames[] = {{static_cast<int>(By::record), "record"},
                                                 {static_cast<int>(By::event), "event"},
                                                 {static_cast<int>(By::checkpoint), "checkpoint"}};
    return kNames;
}

const Entity& describe(const ForkPoint*)
{
    static const Entity entity{.name = "fork_point",
                               .doc = "A place in a task's journal.",
                               .fields = {field("by", &ForkPoint::by, "What is counted."),
                                          field("number", &ForkPoint::number, "Which one.", {.required = true})}};
    return entity;
}

const Entity& describe(const Setting*)
{
    static const Entity entity{
        .name = "setting",
        .doc = "A change of the team.",
        .fields = {field("path", &Setting::path, "agents.writer.temperature", {.required = true}),
                   field("value", &Setting::value, "JSON, or text.", {.required = true})}};
    return entity;
}

const Entity& describe(const ForkTask*)
{
    static const Entity entity{
        .name = "fork_task",
        .doc = "Another run of a task from some point on, with something changed.",
        .fields = {
            field("id", &ForkTask::id, "The caller's; a second request with it makes no second fork."),
            field("from", &ForkTask::from, "The task.", {.required = true}),
            field("at", &ForkTask::at, "Up to here everything is as it was."),
            field("description", &ForkTask::description, "Another prompt."),
            field("model", &ForkTask::model, "Another model for all agents."),
            field("agent", &ForkTask::agent, "Whose instructions `prompt` are; empty: the only agent's."),
            field("prompt", &ForkTask::prompt, "Other instructions."),
            field("settings", &ForkTask::settings, "Other changes of the team."),
            field("state", &ForkTask::state, "Of a workflow: what its state becomes at the checkpoint.",
                  {.extension = true}),
            field("budget", &ForkTask::budget, "What changes of the budget."),
            field("project", &ForkTask::project, "Of an imported task: the project that its fork belongs to here."),
        }};
    return entity;
}

const Entity& describe(const ForkReport*)
{
    static const Entity entity{
        .name = "fork_report",
        .doc = "What a fork has reused.",
        .fields = {
            field("task", &ForkReport::task, "The fork."),
            field("from", &ForkReport::from, "The task that it was made of."),
            field("reused", &ForkReport::reused, "Steps whose outcome was reused."),
            field("model_calls", &ForkReport::model_calls, "How many of them are model calls."),
            field("live", &ForkReport::live, "With what it continues, by path; empty: nothing is left to do."),
            field("events", &ForkReport::events, "Events that its journal begins with."),
        }};
    return entity;
}

const Entity& describe(const ImportReport*)
{
    static const Entity entity{
        .name = "import_report",
        .doc = "What an import has brought.",
        .fields = {
            field("task", &ImportReport::task, "The task."),
            field("tasks", &ImportReport::tasks, "With those below it."),
            field("records", &ImportReport::records, "In their journals."),
            field("existed", &ImportReport::existed, "All of it was there already, and the same."),
            field("redacted", &ImportReport::redacted, "Something in it was masked."),
        }};
    return entity;
}

}  // namespace cadre::engine
