#include "cli/folder_verbs.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/pool.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "engine/retention.hpp"
#include "home/project/retention.hpp"
#include "home/upkeep.hpp"
#include "model/write.hpp"

#include <fmt/format.h>

namespace cadre::cli {
namespace {

// ---- gc ----

Async<home::Collected> planned(ReadOnlyHome& onlooker, model::framework::RetentionPolicy policy)
{
    ThreadPool pool(2);
    engine::Collector collector({.store = onlooker.store(),
                                 .pool = pool,
                                 .folder = home::task_folders(onlooker.home()),
                                 .clock = onlooker.loop().clock()});
    co_return home::collected(co_await collector.plan(std::move(policy)));
}

Async<int> collect(VerbContext& command, model::framework::RetentionPolicy policy, bool force, home::Collected& result)
{
    result = co_await command.session.call(home::Collect{std::move(policy), force});
    co_return 0;
}

std::uint64_t bytes(std::int64_t count)
{
    return static_cast<std::uint64_t>(count);
}

std::string list_of(const home::Collected& collected, const Output& output)
{
    std::string text;
    std::size_t statuses = 0;
    for (const home::ExpiredTask& task : collected.tasks) statuses = std::max(statuses, task.status.size());
    const Time now = system_clock().now();
    for (const home::ExpiredTask& task : collected.tasks)
        text += fmt::format(
            "{}  {}  {}  {:>8}  {}{}\n", short_id(task.id), padded(task.status, statuses),
            padded(age_text(now - task.ended_at), 6), size_text(bytes(task.file_bytes + task.journal_bytes)),
            one_line(task.title, 40, output.utf8),
            task.below.empty() ? "" : fmt::format("  (and {} below it)", plural(task.below.size(), "task")));
    return text;
}

std::string json_of(const home::Collected& collected, bool dry_run, const std::string& policy)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("tasks").raw(model::to_json_text(collected.tasks));
    json.field("file_bytes", collected.file_bytes).field("journal_bytes", collected.journal_bytes);
    json.field("dry_run", dry_run).field("policy", policy).end_object();
    return text + "\n";
}

int gc(const Args& args, Output& output)
{
    const bool dry_run = args.has("dry-run");
    home::Collected result;
    home::Retention retention;
    if (dry_run) {
        ReadOnlyHome onlooker;
        onlooker.queries();
        retention = home::retention_for(*project_here());
        result = onlooker.run(planned(onlooker, retention.policy));
    } else {
        VerbContext command(output);
        expect_journal(command.session.home());
        retention = home::retention_for(*project_here());
        command.run(collect(command, retention.policy, args.has("force"), result));
    }
    if (result.clock_ahead_ms)
        throw Error(Code::conflict,
                    fmt::format("the clock is {} ahead of the last command on this home, so nothing was removed",
                                to_text(Millis(*result.clock_ahead_ms))),
                    Hint{"to remove what is past its time by that clock", "gc --force"});
    for (const home::FailedTask& one : result.failed)
        output.complain(fmt::format("task {} was not removed: {}\n", short_id(one.task), one.error));
    const int code = result.failed.empty() ? 0 : surface(Code::unavailable).exit;
    if (output.json) {
        output.print(json_of(result, dry_run, retention.where));
        return code;
    }
    output.print(list_of(result, output));
    if (output.quiet) return code;
    if (result.tasks.empty()) {
        if (code == 0) output.complain("nothing to remove\n");
        return code;
    }
    output.complain(fmt::format("{} {}: {} of files, {} of the journal{}\n", dry_run ? "would remove" : "removed",
                                plural(result.tasks.size(), "task"), size_text(bytes(result.file_bytes)),
                                size_text(bytes(result.journal_bytes)),
                                dry_run ? "" : " (free for new tasks; cadre.db does not shrink)"));
    return code;
}

// ---- rebuild ----

Async<int> rebuild_tasks(VerbContext& command, std::optional<std::string> prefix)
{
    Console& console = command.console;
    home::Rebuild request;
    if (prefix) request.task = co_await command.session.resolve(std::move(*prefix));
    const home::Rebuilt rebuilt = co_await command.session.call(std::move(request));
    if (console.output().json) {
        co_await console.out(model::to_json_text(rebuilt) + "\n");
    } else {
        for (const home::FailedTask& one : rebuilt.failed)
            co_await console.note(fmt::format("task {}: {}", short_id(one.task), one.error));
        if (!console.output().quiet)
            co_await console.out(fmt::format("{} rebuilt in {}\n",
                                             plural(static_cast<std::size_t>(rebuilt.tasks), "folder"),
                                             home::task_folders(command.session.home()).string()));
    }
    co_return rebuilt.failed.empty() ? 0 : surface(Code::unavailable).exit;
}

int rebuild(const Args& args, Output& output)
{
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(rebuild_tasks(command, args.find("task")));
}

}  // namespace

std::vector<Verb> folder_verbs()
{
    return {
        {
            .name = "gc",
            .summary = "Delete tasks that are past their retention period",
            .flags = {{.name = "dry-run", .help = "Only say what would go, and how much that would free"},
                      {.name = "force", .help = "Also when the clock is a day or more ahead of the last command"}},
            .text =
                "A task that has ended is kept as many days as it says itself, else as its kind, else as its status, "
                "else the default of config/retention_policy.yaml in the project or the home. Then its journal, "
                "trace, checkpoints, history, logs and memory are removed, and those of the tasks below it; "
                "task.json, its artifacts and its line in cadre tasks stay, unless the policy says scope: all. What "
                "has not ended is never removed.\n\n"
                "This also happens by itself, when a process takes the home and then every hour, by the home's "
                "policy. What was interrupted, the next one finishes. While the clock is more than a day ahead of the "
                "last command on the home, nothing is removed: a clock that is wrong for an hour must not cost a year "
                "of history. What cannot be removed is named, and the rest goes all the same.",
            .examples = {{"cadre gc --dry-run", "What would go"}, {"cadre gc --json | jq .file_bytes", "For programs"}},
            .run = gc,
        },
        {
            .name = "rebuild",
            .summary = "Rewrite the files of tasks from their journals",
            .arguments = {{.name = "task", .help = "Only this one", .count = Argument::Count::optional}},
            .text = "Everything in tasks/ID of the home is a copy for people and programs: the journal is what counts. "
                    "Files that are missing, damaged or edited become what they were; artifacts are left alone. "
                    "Copies of tasks in Redis are written again, too.",
            .examples = {{"cadre rebuild 3f2a4b1c", "One task"}, {"cadre rebuild", "All"}},
            .run = rebuild,
        },
    };
}

}  // namespace cadre::cli
