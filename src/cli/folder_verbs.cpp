#include "cli/folder_verbs.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
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
#include "home/control/control.hpp"
#include "home/project/retention.hpp"
#include "home/upkeep.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::cli {
namespace {

using boost::json::object;

std::uint64_t number_of(const object& result, std::string_view name)
{
    return result.at(name).to_number<std::uint64_t>();
}

// ---- gc ----

Async<object> planned(ReadOnlyHome& onlooker, model::framework::RetentionPolicy policy)
{
    ThreadPool pool(2);
    engine::Collector collector({.store = onlooker.room().store(),
                                 .pool = pool,
                                 .folder = home::task_folders(onlooker.home()),
                                 .clock = onlooker.loop().clock()});
    const auto expired = co_await collector.plan(std::move(policy));
    co_return parse_json(home::to_json(expired), {.bytes = SIZE_MAX, .nodes = SIZE_MAX}).as_object();
}

Async<int> collect(VerbContext& command, model::framework::RetentionPolicy policy, object& result)
{
    home::Request request{.verb = "gc"};
    request.args["policy"] = parse_json(model::to_json_text(policy));
    result = co_await command.session.call(std::move(request));
    co_return 0;
}

std::string list_of(const object& result, const Output& output)
{
    std::string text;
    std::size_t statuses = 0;
    for (const auto& task : result.at("tasks").as_array())
        statuses = std::max(statuses, home::text_of(task.as_object(), "status").size());
    const Time now = system_clock().now();
    for (const auto& item : result.at("tasks").as_array()) {
        const object& task = item.as_object();
        const std::size_t below = task.at("below").as_array().size();
        text += fmt::format("{}  {}  {}  {:>8}  {}{}\n", home::text_of(task, "id").substr(0, 8),
                            padded(home::text_of(task, "status"), statuses),
                            padded(age_text(now - time_from_iso(home::text_of(task, "ended_at"))), 6),
                            size_text(number_of(task, "file_bytes") + number_of(task, "journal_bytes")),
                            one_line(home::text_of(task, "title"), 40, output.utf8),
                            below == 0 ? "" : fmt::format("  (and {} below it)", plural(below, "task")));
    }
    return text;
}

int gc(const Args& args, Output& output)
{
    const bool dry_run = args.has("dry-run");
    object result;
    home::Retention retention;
    if (dry_run) {
        ReadOnlyHome onlooker;
        onlooker.room();
        retention = home::retention_for(*project_here());
        result = onlooker.run(planned(onlooker, retention.policy));
    } else {
        VerbContext command(output);
        expect_journal(command.session.home());
        retention = home::retention_for(*project_here());
        command.run(collect(command, retention.policy, result));
    }
    result["dry_run"] = dry_run;
    result["policy"] = retention.where;
    if (output.json) {
        output.print(to_text(boost::json::value(result)) + "\n");
        return 0;
    }
    output.print(list_of(result, output));
    if (output.quiet) return 0;
    const std::size_t tasks = result.at("tasks").as_array().size();
    if (tasks == 0) {
        output.complain("nothing to remove\n");
        return 0;
    }
    output.complain(fmt::format("{} {}: {} of files, {} of the journal{}\n", dry_run ? "would remove" : "removed",
                                plural(tasks, "task"), size_text(number_of(result, "file_bytes")),
                                size_text(number_of(result, "journal_bytes")),
                                dry_run ? "" : " (free for new tasks; cadre.db does not shrink)"));
    return 0;
}

// ---- rebuild ----

Async<int> rebuild_tasks(VerbContext& command, std::optional<std::string> prefix)
{
    Console& console = command.console;
    home::Request request{.verb = "rebuild"};
    if (prefix) request.args["task"] = std::move(*prefix);
    const object result = co_await command.session.call(std::move(request));
    const auto& failed = result.at("failed").as_array();
    if (console.output().json) {
        co_await console.out(to_text(boost::json::value(result)) + "\n");
    } else {
        for (const auto& one : failed)
            co_await console.note(fmt::format("task {}: {}", home::text_of(one.as_object(), "task").substr(0, 8),
                                              home::text_of(one.as_object(), "error")));
        if (!console.output().quiet)
            co_await console.out(fmt::format("{} rebuilt in {}\n", plural(number_of(result, "tasks"), "folder"),
                                             home::task_folders(command.session.home()).string()));
    }
    co_return failed.empty() ? 0 : surface(Code::unavailable).exit;
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
            .summary = "Remove what the retention policy lets go",
            .flags = {{.name = "dry-run", .help = "Only say what would go, and how much that would free"}},
            .text =
                "A task that has ended is kept as many days as it says itself, else as its kind, else as its status, "
                "else the default of config/retention_policy.yaml in the project or the home. Then its journal, "
                "trace, checkpoints, history, logs and memory are removed, and those of the tasks below it; "
                "task.json, its artifacts and its line in cadre tasks stay, unless the policy says scope: all. What "
                "has not ended is never removed.\n\n"
                "This also happens by itself, when a process takes the home and then every hour, by the home's "
                "policy. What was interrupted, the next one finishes.",
            .examples = {{"cadre gc --dry-run", "What would go"}, {"cadre gc --json | jq .file_bytes", "For programs"}},
            .run = gc,
        },
        {
            .name = "rebuild",
            .summary = "Write the files of tasks anew from their journals",
            .arguments = {{.name = "task", .help = "Only this one", .count = Argument::Count::optional}},
            .text = "Everything in tasks/ID of the home is a copy for people and programs: the journal is what counts. "
                    "Files that are missing, damaged or edited become what they were; artifacts are left alone.",
            .examples = {{"cadre rebuild 3f2a4b1c", "One task"}, {"cadre rebuild", "All"}},
            .run = rebuild,
        },
    };
}

}  // namespace cadre::cli
