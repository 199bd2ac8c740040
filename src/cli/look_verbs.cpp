#include "cli/look_verbs.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "cli/args.hpp"
#include "cli/interventions.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "cli/text_stream.hpp"
#include "cli/trace_text.hpp"
#include "cli/trace_verb.hpp"
#include "engine/agent.hpp"
#include "engine/delegated_trace.hpp"
#include "engine/index_detail.hpp"
#include "engine/pinned_teams.hpp"
#include "engine/spent.hpp"
#include "engine/task_state.hpp"
#include "engine/trace.hpp"
#include "home/runtime.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace cadre::cli {
namespace {

using engine::TaskState;
using storage::TaskEntry;

/// Finished tasks that are listed without --all.
constexpr std::size_t kNewest = 20;
/// Of a task's title, before other columns make room for it.
constexpr std::size_t kShortestTitle = 20;
/// Of a line of `show`, where nothing says how wide the page is.
constexpr std::size_t kWidestTask = 200;

Time now()
{
    return system_clock().now();
}

constexpr std::size_t kNames = 10;
/// Where a status stands: the task had not ended elsewhere, and does not go on here.
constexpr std::string_view kImported = "imported";

/// Text of others, on a terminal broken to its width.
std::string block(std::string_view text, std::size_t indent)
{
    const bool breaks = terminal_at(STDOUT_FILENO).present;
    const std::size_t width = breaks ? std::max<std::size_t>(page_width(kWidestTask), indent + 20) - indent : SIZE_MAX;
    std::string lines;
    for (const std::string& line : lines_of(terminal_text(text), width))
        lines += (lines.empty() ? "" : std::string(indent, ' ')) + line + "\n";
    return lines.empty() ? "\n" : lines;
}

std::string row(std::string_view name, std::string_view text)
{
    return padded(name, kNames) + block(text, kNames);
}

bool is_unfinished(std::string_view status)
{
    const auto known = model::find_named<model::TaskStatus>(status);
    return known && !model::is_finished(*known);
}

/// Where it came from, for a task that began elsewhere or as another one.
std::string origin_of(const TaskState& state)
{
    std::string text;
    if (const auto& from = state.spec.forked_from) {
        const auto count = [](int number) { return static_cast<std::size_t>(number); };
        text += row("Forked", fmt::format("from {}; reused: {}, {}", from->task.substr(0, 8),
                                          plural(count(state.reused.steps), "model call"),
                                          plural(count(state.reused.calls), "tool call")));
    }
    if (state.spec.imported)
        text += row("Imported", state.spec.imported->redacted ? "redacted; it cannot be resumed here"
                                                              : "it cannot be resumed here");
    return text;
}

// ---- tasks ----

struct ListedTask {
    TaskEntry entry{};
    bool driven = true;
};

struct TaskList {
    std::vector<ListedTask> tasks{};
    bool more = false;  // there are others
};

/// What people call it: a task that should run and that nobody drives is not running.
std::string status_shown(const ListedTask& task)
{
    if (!task.entry.open && is_unfinished(task.entry.status)) return std::string(kImported);
    return task.entry.status == "running" && !task.driven ? std::string(kInterrupted) : task.entry.status;
}

Async<TaskList> list_tasks(ReadOnlyHome& onlooker, std::string status, bool all)
{
    TaskList list;
    engine::Queries& queries = onlooker.queries();
    // an imported one has the status that it had elsewhere
    storage::TaskQuery query{.limit = all || !status.empty() ? SIZE_MAX : kNewest + 1};
    if (!status.empty() && status != kImported) query.statuses = {status == kInterrupted ? "running" : status};
    auto found = co_await queries.tasks(onlooker.who(), std::move(query));
    if (!all && status.empty()) {
        list.more = found.size() > kNewest;
        found.resize(std::min(found.size(), kNewest));
        for (TaskEntry& entry : co_await queries.tasks(onlooker.who(), {.open_only = true, .limit = SIZE_MAX}))
            if (std::ranges::find(found, entry.task, &TaskEntry::task) == found.end())
                found.push_back(std::move(entry));
    }
    const bool asks = std::ranges::any_of(found, [](const TaskEntry& entry) { return entry.status == "running"; });
    const auto driven = asks ? co_await onlooker.driven() : std::set<Id>{};
    for (TaskEntry& entry : found) {
        const bool is_driven = !driven || driven->contains(entry.task);
        list.tasks.push_back({std::move(entry), is_driven});
    }
    if (!status.empty())
        std::erase_if(list.tasks, [&](const ListedTask& task) { return status_shown(task) != status; });
    co_return list;
}

std::string json_of(const TaskList& list)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("tasks").begin_array();
    for (const ListedTask& task : list.tasks) {
        const TaskEntry& entry = task.entry;
        json.begin_object().field("id", to_string(entry.task)).field("status", status_shown(task));
        if (entry.status == "running") json.field("driven", task.driven);
        json.field("agent", entry.agent).field("title", entry.title);
        json.field("created_at", to_iso(entry.created_at)).field("updated_at", to_iso(entry.updated_at));
        if (entry.due) json.field("due", to_iso(*entry.due));
        if (!entry.session.empty()) json.field("session", entry.session);
        if (!entry.parent.empty()) json.field("parent", entry.parent);
        if (const auto purged = engine::detail_of(entry).purged_at) json.field("purged_at", to_iso(*purged));
        json.end_object();
    }
    json.end_array().field("more", list.more).end_object();
    return text + "\n";
}

Tone tone_of(std::string_view status)
{
    if (status == "completed" || status == "running") return Tone::green;
    return status == "failed" || status == "cancelled" ? Tone::red : Tone::yellow;
}

/// Of a task whose history the retention policy has removed, only this line is left.
std::string title_shown(const TaskEntry& entry)
{
    return (engine::detail_of(entry).purged_at ? "(history removed) " : "") + entry.title;
}

std::string table_of(const TaskList& list, const Output& output)
{
    std::size_t statuses = 0, ages = 0, agents = 0;
    for (const ListedTask& task : list.tasks) {
        statuses = std::max(statuses, status_shown(task).size());
        ages = std::max(ages, age_text(now() - task.entry.updated_at).size());
        agents = std::max(agents, std::min<std::size_t>(columns(task.entry.agent), 20));
    }
    const std::size_t width = page_width(kWidestTask);
    const auto taken = [&] {
        std::size_t columns = 8 + 2;
        for (const std::size_t column : {statuses, ages, agents})
            if (column > 0) columns += column + 2;
        return columns;
    };
    // a narrow terminal: what is least asked for goes first
    for (std::size_t* column : {&agents, &ages, &statuses})
        if (taken() + kShortestTitle > width) *column = 0;
    const std::size_t before = taken();
    const auto cell = [](const std::string& shown, std::size_t column) {
        return column > 0 ? shown + "  " : std::string();
    };
    std::string text;
    for (const ListedTask& task : list.tasks) {
        const std::string status = status_shown(task);
        const std::size_t room = width > before ? width - before : 0;
        const std::string agent = one_line(task.entry.agent, agents, output.utf8);
        text += fmt::format("{}  {}{}{}{}\n", short_id(task.entry.task),
                            cell(output.out.paint(tone_of(status), padded(status, statuses)), statuses),
                            cell(padded(age_text(now() - task.entry.updated_at), ages), ages),
                            cell(padded(agent, agents), agents), one_line(title_shown(task.entry), room, output.utf8));
    }
    return text;
}

/// What to type next, on standard error: the list itself stays a list.
std::string hints_for(const TaskList& list)
{
    const auto count = [&](std::string_view status) {
        return static_cast<std::size_t>(
            std::ranges::count_if(list.tasks, [&](const ListedTask& task) { return status_shown(task) == status; }));
    };
    std::string text;
    if (list.more) text += fmt::format("to see older tasks: {}\n", as_typed("cadre tasks --all"));
    if (const std::size_t waiting = count("waiting"))
        text +=
            fmt::format("{} for a person: {}\n", waiting == 1 ? "1 task waits" : fmt::format("{} tasks wait", waiting),
                        as_typed("cadre inbox"));
    if (const std::size_t stopped = count(kInterrupted))
        text += fmt::format("{}: {}\n", plural(stopped, "unfinished task"), as_typed("cadre resume --all"));
    return text;
}

// ---- show ----

constexpr double kShownCost = 1e-8;  // dollars

/// `turn`: what its first agent may do in one, whatever the budget says.
std::string budget_text(const engine::Budget& budget, const std::string& turn)
{
    std::vector<std::string> parts;
    if (budget.steps) parts.push_back(plural(static_cast<std::size_t>(*budget.steps), "model call") + turn);
    if (budget.tokens) parts.push_back(fmt::format("{} tokens", *budget.tokens));
    if (budget.cost) parts.push_back(fmt::format("${}", *budget.cost));
    if (budget.wall_ms) parts.push_back(cadre::to_text(Millis(*budget.wall_ms)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string times_of(const TaskState& state)
{
    const Millis age = now() - state.created_at;
    std::string text = local_time(state.created_at, now());
    if (age >= Millis(1000)) text += fmt::format(", {} ago", age_text(age));
    if (state.completed_at)
        text += fmt::format("; ended {}, after {}", local_time(*state.completed_at, now()),
                            cadre::to_text(*state.completed_at - state.started_at.value_or(state.created_at)));
    return text;
}

/// What else is known of a task.
struct TaskSurroundings {
    std::filesystem::path files{};  // that it has written; empty: none
    bool driven = true;
    std::vector<std::string> told{};  // by people, while it ran
    engine::Spending in_doubt{};      // of calls that have no outcome: it may be spent
    std::string turn{};               // ` (10 in a turn of writer)`: what its first agent may do in one
};

Async<std::string> most_in_a_turn(storage::Store& store, engine::TaskSpec spec)
{
    engine::PinnedTeams teams(store);
    engine::Agents agents;
    try {
        agents = co_await teams.agents_for(spec);
    } catch (const Error&) {
        co_return "";  // what is left of the task is shown all the same
    }
    const auto first = std::ranges::find(*agents, spec.agent, &engine::Agent::name);
    if (first == agents->end()) co_return "";
    co_return fmt::format(" ({} in a turn of {})", first->max_iterations, first->name);
}

Async<TaskSurroundings> look_around(ReadOnlyHome& onlooker, const std::vector<storage::Record>& records,
                                    const TaskState& state)
{
    TaskSurroundings around;
    around.in_doubt = engine::spent_in(records, state);
    const engine::Work own = state.own_work();
    around.in_doubt.cost -= own.usage.cost;
    around.in_doubt.tokens -= own.usage.input + own.usage.output;
    std::error_code error;
    const auto folder = home::artifacts_folder(onlooker.home(), state.id);
    if (std::filesystem::is_directory(folder, error) && !std::filesystem::is_empty(folder, error))
        around.files = folder;
    if (state.status == model::TaskStatus::running) {
        const auto driven = co_await onlooker.driven();
        around.driven = !driven || driven->contains(state.id);
    }
    if (state.unreadable.empty()) around.told = interventions_in(records, now());
    around.turn = co_await most_in_a_turn(onlooker.store(), state.spec);
    co_return around;
}

/// The same word for people and for programs.
std::string status_shown(const TaskState& state, const TaskSurroundings& around)
{
    if (state.spec.imported && !state.finished()) return std::string(kImported);
    if (state.status == model::TaskStatus::running && !around.driven) return std::string(kInterrupted);
    return std::string(model::wire_name(state.status));
}

std::string page_of(const TaskState& state, const engine::Trace& trace, const TaskSurroundings& around,
                    const Output& output)
{
    const Paint& paint = output.out.paint;
    const std::string status = status_shown(state, around);
    std::string text = row("Prompt", state.spec.description);
    text += fmt::format("{}{}\n", padded("Status", kNames), paint(tone_of(status), status));
    text += row("Task", to_string(state.id));
    text += row("Agent", state.spec.agent + (state.spec.model.empty() ? "" : ", with " + state.spec.model));
    if (state.spec.session) text += row("Session", fmt::format("{}, turn {}", *state.spec.session, state.spec.turn));
    text += origin_of(state);
    text += row("Begun", times_of(state));
    text += row("Used", usage_text(state));
    if (around.in_doubt.cost > kShownCost)
        text += row("In doubt", engine::dollars(around.in_doubt.cost) +
                                    ": what calls may have cost whose end is not known; it counts as spent");
    if (const std::string budget = budget_text(state.budget, around.turn); !budget.empty())
        text += row("Budget", budget);
    if (!around.files.empty()) text += row("Files", around.files.string());
    if (!state.cancel_reason.empty()) text += row("Cancelled", state.cancel_reason);
    if (state.pause_reason)
        text += row("Paused", fmt::format("{}: {}", model::wire_name(*state.pause_reason), state.pause_text));

    if (!state.breakpoints.empty()) text += row("Stops at", fmt::format("{}", fmt::join(state.breakpoints, ", ")));

    for (const std::string& line : around.told) text += row("Changed", line);

    const Time until = state.finished() ? state.updated_at : now();
    const std::string steps =
        step_page(trace, {.paint = paint, .utf8 = output.utf8, .width = page_width(kWidestTask), .now = until});
    if (!steps.empty()) text += "\n" + paint(Tone::bold, "Steps") + "\n" + steps;
    if (status == kImported) {
        text += fmt::format("\nto continue in a fork: {}\n",
                            as_typed(fmt::format("cadre fork {} --at {}", short_id(state.id), state.end.event_seq)));
        return text;
    }
    for (const engine::OpenQuestion& question : state.questions) {
        text += "\n" + paint(Tone::yellow, printable(question_text(question.request))) + "\n";
        text += "to answer: " + answer_command(state.id, question.request) + "\n";
    }
    if (state.pause_reason || status == kInterrupted) text += "\nto resume: " + resume_command(state) + "\n";
    if (state.reply) text += "\n" + paint(Tone::bold, "Answer") + "\n" + block(state.reply->text, 0);
    if (!state.error.empty()) text += "\n" + paint(Tone::red, "Error") + "\n" + block(state.error, 0);
    if (const Hint hint = way_on(state); !hint.verb.empty())
        text += fmt::format("{}: {}\n", hint.purpose, as_typed("cadre " + hint.verb));
    const std::string id = short_id(state.id);
    text += fmt::format("\n{}: {}, {}, {}\n", paint(Tone::bold, "More"), as_typed("cadre trace " + id),
                        as_typed("cadre tail " + id), as_typed("cadre replay " + id));
    return text;
}

/// Dollars have one name in all that programs read.
void write(JsonWriter& json, const engine::Budget& budget)
{
    const auto field = [&](std::string_view name, const auto& value) {
        if (value) json.field(name, *value);
        else json.key(name).null();
    };
    json.begin_object();
    field("tokens", budget.tokens);
    field("cost_usd", budget.cost);
    field("steps", budget.steps);
    field("wall_ms", budget.wall_ms);
    field("depth", budget.depth);
    json.end_object();
}

std::string json_of(const TaskState& state, const TaskSurroundings& around)
{
    model::Task task = engine::to_task(state);
    if (!state.cancel_reason.empty()) task.status_text = state.cancel_reason;
    boost::json::value shown = model::to_json_value(task);
    shown.get_object()["status"] = status_shown(state, around);
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("task").raw(cadre::to_text(shown));
    if (state.status == model::TaskStatus::running) json.field("driven", around.driven);
    if (!around.files.empty()) json.field("files", around.files.string());
    json.key("questions").begin_array();
    for (const engine::OpenQuestion& question : state.questions) json.raw(model::to_json_text(question.request));
    json.end_array().key("budget");
    write(json, state.budget);
    const engine::Work own = state.own_work();
    json.key("usage").begin_object();
    json.field("model_calls", own.steps).field("tool_calls", own.calls).field("input_tokens", own.usage.input);
    json.field("output_tokens", own.usage.output).field("cost_usd", own.usage.cost);
    if (around.in_doubt.cost > 0) json.field("in_doubt_cost_usd", around.in_doubt.cost);
    json.end_object();
    if (state.spec.forked_from) json.key("forked_from").raw(model::to_json_text(*state.spec.forked_from));
    if (state.spec.imported) json.key("imported").raw(model::to_json_text(*state.spec.imported));
    json.field("records", state.end.seq).field("events", state.end.event_seq).end_object();
    return text + "\n";
}

/// Of a task that will not go on, and what can be done with it.
std::string quarantine_of(const TaskState& state)
{
    const std::string id = short_id(state.id);
    return fmt::format("\nquarantined: {}\nto keep what there is: {}\nto end it: {}\n", printable(state.unreadable),
                       as_typed("cadre export " + id), as_typed("cadre cancel " + id));
}

Async<std::string> show_task(ReadOnlyHome& onlooker, std::string prefix, const Output& output)
{
    const Id task = co_await onlooker.queries().resolve(onlooker.who(), std::move(prefix));
    const auto records = co_await onlooker.queries().records(onlooker.who(), task);
    const TaskState state = engine::fold(records);
    const TaskSurroundings around = co_await look_around(onlooker, records, state);
    if (output.json) co_return json_of(state, around);
    if (!state.unreadable.empty()) co_return page_of(state, engine::Trace{}, around, output) + quarantine_of(state);
    engine::Trace trace = engine::trace_of(records);
    co_await engine::graft_delegated(onlooker.store(), trace);
    co_return page_of(state, trace, around, output);
}

}  // namespace

std::vector<std::string> statuses()
{
    std::vector<std::string> names;
    for (const auto status :
         {model::TaskStatus::pending, model::TaskStatus::running, model::TaskStatus::waiting, model::TaskStatus::paused,
          model::TaskStatus::completed, model::TaskStatus::failed, model::TaskStatus::cancelled}) {
        names.emplace_back(model::wire_name(status));
        if (status == model::TaskStatus::running) names.emplace_back(kInterrupted);
    }
    names.emplace_back(kImported);
    return names;
}

int tasks(const Args& args, Output& output)
{
    const std::string status = args.find("status").value_or("");
    const std::vector<std::string> known = statuses();
    if (args.has("status") && std::ranges::find(known, status) == known.end())
        throw Error(Code::invalid,
                    fmt::format("{} is not a status; there are: {}", in_quotes(status), fmt::join(known, ", ")));
    ReadOnlyHome onlooker;
    TaskList list;
    if (onlooker.has_journal()) list = onlooker.run(list_tasks(onlooker, status, args.has("all")));
    if (output.json) {
        output.print(json_of(list));
        return 0;
    }
    output.print(table_of(list, output));
    if (output.quiet) return 0;
    if (list.tasks.empty())
        output.complain(status.empty() ? "no tasks yet; to make one: " + as_typed("cadre run \"Hello\"") + "\n"
                                       : "no tasks with that status\n");
    output.complain(hints_for(list));
    return 0;
}

int show(const Args& args, Output& output)
{
    if (args.has("requests")) {
        show_requests(args["task"], output);
        return 0;
    }
    ReadOnlyHome onlooker;
    output.print(onlooker.run(show_task(onlooker, args["task"], output)));
    return 0;
}

}  // namespace cadre::cli
