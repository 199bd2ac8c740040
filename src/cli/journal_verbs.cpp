#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/race.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/look_verbs.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/requests_view.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "engine/event_reader.hpp"
#include "engine/numbered_event.hpp"
#include "home/backup.hpp"
#include "home/runtime.hpp"
#include "model/write.hpp"
#include "storage/sqlite/sqlite_store.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace cadre::cli {
namespace {

using engine::VerifyReport;

/// Of a line, where nothing says how wide the page is.
constexpr std::size_t kWidestRequest = 200;

Async<engine::ReplayReport> replay_task(ReadOnlyHome& onlooker, home::Runtime& runtime, std::string prefix,
                                        const Output& output)
{
    const Id task = co_await onlooker.queries().resolve(onlooker.who(), std::move(prefix));
    engine::EventReader reader(onlooker.store(), task, 1);
    while (true) {
        const auto events = co_await reader.next();
        if (events.empty()) break;
        for (const engine::EventPtr& event : events) output.print(engine::line_of(*event));
    }
    co_return co_await finally(runtime.commands().replay(onlooker.who(), task), runtime.close());
}

Async<SentViews> sent_by(ReadOnlyHome& onlooker, home::Runtime& runtime, std::string prefix)
{
    const Id task = co_await onlooker.queries().resolve(onlooker.who(), std::move(prefix));
    co_return view_of(task, co_await finally(runtime.commands().requests(onlooker.who(), task), runtime.close()));
}

Async<std::vector<VerifyReport>> verify_tasks(ReadOnlyHome& onlooker, std::optional<std::string> prefix)
{
    engine::Queries& queries = onlooker.queries();
    std::vector<VerifyReport> reports;
    if (prefix) {
        const Id task = co_await queries.resolve(onlooker.who(), std::move(*prefix));
        reports.push_back(co_await queries.verify(onlooker.who(), task));
        co_return reports;
    }
    for (const storage::TaskEntry& entry : co_await queries.tasks(onlooker.who(), {.limit = SIZE_MAX}))
        reports.push_back(co_await queries.verify(onlooker.who(), entry.task));
    co_return reports;
}

std::size_t records_in(const std::vector<VerifyReport>& reports)
{
    std::size_t records = 0;
    for (const VerifyReport& report : reports) records += report.records;
    return records;
}

std::size_t damaged_in(const std::vector<VerifyReport>& reports)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(reports, [](const VerifyReport& report) { return !report.problems.empty(); }));
}

std::string json_of(const std::vector<VerifyReport>& reports, const std::vector<std::string>& store)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("ok", damaged_in(reports) == 0 && store.empty());
    json.field("tasks", std::uint64_t{reports.size()}).key("store").begin_array();
    for (const std::string& problem : store) json.value(problem);
    json.end_array();
    json.field("records", std::uint64_t{records_in(reports)}).key("damaged").begin_array();
    for (const VerifyReport& report : reports) {
        if (report.problems.empty()) continue;
        json.begin_object().field("task", to_string(report.task)).key("problems").begin_array();
        for (const std::string& problem : report.problems) json.value(problem);
        json.end_array().end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

std::string page_of(const std::vector<VerifyReport>& reports, const std::vector<std::string>& store,
                    const Output& output)
{
    std::string text;
    for (const std::string& problem : store)
        text += fmt::format("{} journal: {}\n", output.out.paint(Tone::red, "damaged"), printable(problem));
    for (const VerifyReport& report : reports)
        for (const std::string& problem : report.problems)
            text += fmt::format("{} task {}: {}\n", output.out.paint(Tone::red, "damaged"), to_string(report.task),
                                printable(problem));
    const std::size_t damaged = damaged_in(reports);
    const std::size_t fine = reports.size() - damaged;
    if (damaged > 0 && fine > 0)
        text += fmt::format("the other {} {} fine\n", plural(fine, "task"), fine == 1 ? "is" : "are");
    if (damaged == 0 && store.empty() && !output.quiet)
        text += fmt::format("{}, {}: intact\n", plural(reports.size(), "task"), plural(records_in(reports), "record"));
    return text;
}

}  // namespace

int replay(const Args& args, Output& output)
{
    ReadOnlyHome onlooker;
    onlooker.queries();
    home::Runtime runtime(onlooker.loop(), runtime_here(), home::find_journal(onlooker.home()));
    const engine::ReplayReport report = onlooker.run(replay_task(onlooker, runtime, args["task"], output));
    if (!report.diverged.empty())
        throw Error(Code::conflict, fmt::format("the replay of task {} is not what the journal says: {}",
                                                short_id(report.task), report.diverged));
    if (output.quiet || output.json) return 0;
    std::string text = fmt::format("replayed {}, {}: the code does what the journal says",
                                   plural(report.records, "record"), plural(report.events, "event"));
    if (!report.open.empty()) text += fmt::format("; it would continue with {}", fmt::join(report.open, ", "));
    output.complain(printable(text) + "\n");
    return 0;
}

SentViews sent_requests(ReadOnlyHome& onlooker, const std::string& task)
{
    onlooker.queries();
    home::Runtime runtime(onlooker.loop(), runtime_here(), home::find_journal(onlooker.home()));
    return onlooker.run(sent_by(onlooker, runtime, task));
}

void show_requests(const std::string& task, const Output& output)
{
    ReadOnlyHome onlooker;
    const SentViews views = sent_requests(onlooker, task);
    if (output.json) return output.print(model::to_json_text(views) + "\n");
    if (views.requests.empty()) return output.print("no model was asked for anything\n");
    output.print(fmt::format("{}", fmt::join(pages_of(views, output, page_width(kWidestRequest)), "\n")));
}

namespace {

int salvage(const std::string& folder, Output& output)
{
    const home::Saved saved = home::salvage(home_here(), folder);
    if (output.json) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().field("folder", saved.folder.string());
        json.field("tasks", saved.tasks).field("records", saved.records).key("lost").begin_array();
        for (const std::string& one : saved.lost) json.value(one);
        json.end_array().end_object();
        output.print(text + "\n");
    } else {
        for (const std::string& one : saved.lost)
            output.print(fmt::format("{} {}\n", output.out.paint(Tone::red, "lost"), printable(one)));
        if (!output.quiet)
            output.print(fmt::format("{} with {} are in {}\n", plural(saved.tasks, "task"),
                                     plural(saved.records, "record"), saved.folder.string()));
    }
    return saved.lost.empty() ? 0 : surface(Code::unavailable).exit;
}

}  // namespace

int verify(const Args& args, Output& output)
{
    if (const auto folder = args.find("salvage")) return salvage(*folder, output);
    ReadOnlyHome onlooker;
    std::vector<VerifyReport> reports;
    std::vector<std::string> store;  // what is wrong with it as a whole
    if (onlooker.has_journal() || args.has("task")) reports = onlooker.run(verify_tasks(onlooker, args.find("task")));
    if (onlooker.has_journal() && !args.has("task")) store = storage::SqliteStore::check(onlooker.home());
    output.print(output.json ? json_of(reports, store) : page_of(reports, store, output));
    return damaged_in(reports) == 0 && store.empty() ? 0 : surface(Code::unavailable).exit;
}

}  // namespace cadre::cli
