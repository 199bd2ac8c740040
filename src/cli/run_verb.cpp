#include "cli/run_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/race.hpp"
#include "base/random.hpp"
#include "cli/args.hpp"
#include "cli/chat.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "cli/write_file.hpp"
#include "config/document.hpp"
#include "engine/task_state.hpp"
#include "home/project/prepare_task.hpp"
#include "home/telling.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "storage/files.hpp"
#include "testing/cassette.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxInput = 1 << 20;

/// All of standard input, without the newline at its end.
std::string standard_input()
{
    std::string text;
    while (text.size() <= kMaxInput) {
        const std::size_t before = text.size();
        text.resize(before + 64 * 1024);
        const ssize_t size = ::read(STDIN_FILENO, text.data() + before, text.size() - before);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        if (size < 0 && errno == EINTR) continue;
        if (size < 0)
            throw Error(Code::unavailable, "cannot read standard input: " + std::generic_category().message(errno));
        if (size == 0) break;
    }
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

home::RunRequest wanted_by(const Args& args)
{
    const std::string prompt = args["prompt"];
    std::error_code error;
    if (!args.has("file") && config::is_configuration(prompt) && fs::is_regular_file(prompt, error))
        throw UsageError(fmt::format("run: PROMPT is missing after {}", prompt), *find_verb(program(), "run"));
    return {.file = args.find("file"),
            .workflow = args.find("workflow"),
            .agent = args.find("agent"),
            .pattern = args.find("pattern"),
            .model = args.find("model"),
            .mode = args.find("mode"),
            .budget = args.find("budget"),
            .kind = args.find("kind"),
            .retention_days = args.find("retention-days"),
            .input = args.all("input"),
            .prompt = prompt == "-" ? standard_input() : prompt};
}

/// Tasks that have not ended, need nobody, and that nobody drives.
Async<std::size_t> count_unfinished(home::HomeLink& session, Id own)
{
    const auto open = co_await session.tasks({.open_only = true, .limit = SIZE_MAX});
    const home::TaskIds busy = co_await session.call(home::Driving{});
    const std::set<Id> driven(busy.tasks.begin(), busy.tasks.end());
    co_return static_cast<std::size_t>(std::ranges::count_if(open, [&](const storage::TaskEntry& entry) {
        return entry.status == model::wire_name(model::TaskStatus::running) && entry.task != own &&
               !driven.contains(entry.task);
    }));
}

/// A slip of the pen must not cost a team's file.
void expect_recording(const std::string& file)
{
    const auto before = storage::find_file(file);
    if (before && !before->empty() && !before->starts_with(testing::kCassetteHead))
        throw Error(Code::conflict, file + " is there and is not a recording; choose another name");
}

/// What models have answered so far, however the run ended.
Async<> record(VerbContext& command, Id task, std::optional<std::string> file)
{
    if (!file) co_return;
    engine::Queries& queries = command.session.queries();
    auto records = co_await queries.records(command.session.who(), task);
    const auto family = co_await testing::family_of(queries.store(), std::move(records));
    const auto entries = testing::cassette_of(family);
    write_file(*file, testing::cassette_text(entries));
    if (!command.console.output().quiet)
        co_await command.console.note(fmt::format("{} recorded in {}", plural(entries.size(), "answer"), *file));
}

Async<int> run_work(VerbContext& command, home::PreparedTask work, std::optional<std::string> recording)
{
    Console& console = command.console;
    const bool talks = !console.output().quiet;
    const Id task = new_id(system_random());
    work.task.id = task;
    co_await command.session.call(home::Create{.task = std::move(work.task), .held = true});
    if (talks) {
        for (std::string& note : work.notes) co_await console.note(std::move(note));
        if (const std::size_t others = co_await count_unfinished(command.session, task); others > 0)
            co_await console.note(
                fmt::format("{}: {}", plural(others, "unfinished task"), as_typed("cadre resume --all")));
    }
    co_return co_await finally(command.see_through(task, 0), record(command, task, std::move(recording)));
}

/// Whether somebody drives the turn that the next one would wait for: one that is stopped needs a person first.
Async<bool> is_driven(VerbContext& command, const engine::SessionHead& head)
{
    if (!head.is_open()) co_return false;
    const home::TaskIds busy = co_await command.session.call(home::Driving{});
    co_return std::ranges::find(busy.tasks, head.open.front().task) != busy.tasks.end();
}

/// What a run in a session is: without a word about who, whoever had its last turn.
Async<int> run_in_session(VerbContext& command, home::RunRequest wanted, std::optional<std::string> session,
                          std::optional<std::string> recording)
{
    const FoundSession found = session ? co_await find_session(command, *session) : co_await newest_session(command);
    home::PreparedTask work;
    if (found.head && !wanted.file && !wanted.agent && !wanted.pattern && !wanted.workflow) {
        home::expect_prompt(wanted.prompt);
        work.task = home::another_turn(*project_here(), wanted);
    } else {
        work = home::prepare(project_here(), wanted);
    }
    work.task.session = found.id;
    work.task.queue = found.head && co_await is_driven(command, *found.head);
    co_return co_await run_work(command, std::move(work), std::move(recording));
}

Async<int> resume_one(VerbContext& command, std::string prefix, home::Resume request)
{
    co_await command.session.attach();
    request.task = co_await command.session.resolve(std::move(prefix));
    request.held = true;
    const auto top = co_await command.session.queries().top_of(command.session.who(), request.task);
    const home::TaskReply before = co_await command.session.call(std::move(request));
    if (before.driven) {
        if (command.console.output().json) co_await command.console.out(model::to_json_text(before) + "\n");
        else if (!command.console.output().quiet)
            co_await command.console.out(
                fmt::format("task {}: process {} continues it\n", short_id(before.task), before.pid));
        co_return 0;
    }
    if (top->id != before.task) co_return co_await command.see_through(top->id, top->end.event_seq);
    co_return co_await command.see_through(before.task, before.events);
}

/// A line for each task that has come to rest.
class RestLines final : public home::Listener {
public:
    explicit RestLines(VerbContext& command) : command_(command) {}

    Async<> hear(home::Told told) override
    {
        const auto* rest = std::get_if<home::TaskAtRest>(&told);
        if (!rest) co_return;
        failed = failed || !rest->error.empty() || rest->status == "failed" || rest->status == "running";
        waiting += rest->status == "waiting" ? 1 : 0;
        std::string why, resume;  // of one that was left alone
        if (rest->status == "paused") {
            const auto state = co_await command_.session.task(rest->task);
            if (state->pause_reason)
                why = fmt::format("{}: {}", model::wire_name(*state->pause_reason), state->pause_text);
            resume = resume_command(*state);
        }
        const std::string status(rest->status == "running" ? kInterrupted : rest->status);
        co_await command_.console.out(command_.console.output().json ? json_of(*rest, status, why, resume)
                                                                     : line_of(*rest, status, why, resume));
    }

    bool failed = false;  // one of them, or could not continue
    std::size_t waiting = 0;

private:
    static std::string json_of(const home::TaskAtRest& rest, std::string_view status, const std::string& why,
                               const std::string& resume)
    {
        std::string text;
        JsonWriter json(text);
        json.begin_object().field("task", to_string(rest.task)).field("status", status).field("error", rest.error);
        if (status == kInterrupted) json.field("driven", false);
        if (!why.empty()) json.field("reason", why);
        if (!resume.empty()) json.key("commands").begin_array().value(resume).end_array();
        json.end_object();
        return text + "\n";
    }

    static std::string line_of(const home::TaskAtRest& rest, std::string_view status, const std::string& why,
                               const std::string& resume)
    {
        std::string text = fmt::format("{}  {}", short_id(rest.task), status);
        for (const std::string& more : {rest.error, why})
            if (!more.empty()) text += ": " + more;
        if (!resume.empty()) text += "; to resume it: " + resume;
        return printable(text) + "\n";
    }

    VerbContext& command_;
};

/// What Ctrl-C or `pause` stopped is resumed with the others. A task that is paused for want of something (a budget, a step, a
/// breakpoint that was meant) stays so, and is named with what it needs.
Async<> resume_paused(VerbContext& command)
{
    const auto paused = co_await command.session.tasks({.open_only = true, .statuses = {"paused"}, .limit = SIZE_MAX});
    for (const storage::TaskEntry& entry : paused) {
        const auto state = co_await command.session.task(entry.task);
        if (state->pause_reason != model::PauseReason::user_request) continue;
        home::Resume request{.task = entry.task};
        co_await command.session.call(std::move(request));
    }
}

Async<> drive_all(VerbContext& command, RestLines& lines, std::size_t& tasks)
{
    tasks = static_cast<std::size_t>((co_await command.session.drive_all(lines)).tasks);
}

Async<> until_interrupted(VerbContext& command)
{
    co_await command.interrupts.came();
}

Async<int> nothing_to_resume(VerbContext& command)
{
    if (!command.console.output().quiet) co_await command.console.note("nothing to resume");
    co_return 0;
}

Async<int> resume_all(VerbContext& command)
{
    const Interrupts::GoodOrder good_order(command.interrupts);
    RestLines lines(command);
    std::size_t tasks = 0;
    co_await resume_paused(command);
    {
        Race race(co_await this_context());
        race.add(drive_all(command, lines, tasks));
        race.add(until_interrupted(command));
        co_await race.over();
    }
    const bool talks = !command.console.output().quiet;
    if (const int number = command.interrupts.number()) {
        if (talks)
            co_await command.console.note("stopping when the current steps are done; to resume: " +
                                          as_typed("cadre resume --all"));
        co_return Interrupts::exit_code(number);
    }
    if (tasks == 0) co_return co_await nothing_to_resume(command);
    if (talks && lines.waiting > 0)
        co_await command.console.note(fmt::format(
            "{} for a person: {}", lines.waiting == 1 ? "1 task waits" : fmt::format("{} tasks wait", lines.waiting),
            as_typed("cadre tasks --status waiting")));
    co_return lines.failed ? surface(Code::unavailable).exit : 0;
}

Async<int> cancel_one(VerbContext& command, std::string prefix, std::string reason)
{
    home::Cancel request{.task = co_await command.session.resolve(std::move(prefix)), .reason = std::move(reason)};
    const home::CancelReply reply = co_await command.session.call(std::move(request));
    const std::string id = short_id(reply.task);
    if (!reply.cancelled && reply.status != model::TaskStatus::cancelled)
        throw Error(Code::conflict, fmt::format("task {} has ended already: {}", id, model::wire_name(reply.status)));
    if (command.console.output().json) co_await command.console.out(model::to_json_text(reply) + "\n");
    else if (!command.console.output().quiet) co_await command.console.out(fmt::format("task {} is cancelled\n", id));
    co_return 0;
}

int steps_in(const std::string& text, std::string_view what)
{
    int steps = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
    if (error != std::errc{} || end != text.data() + text.size() || steps < 1)
        throw Error(Code::invalid, fmt::format("{} is a number of at least 1, not {}", what, in_quotes(text)));
    return steps;
}

}  // namespace

int run_task(const Args& args, Output& output)
{
    expect_deltas(args, output, "run");
    home::RunRequest wanted = wanted_by(args);
    if (wanted.workflow && (wanted.file || wanted.agent))
        throw UsageError("run: --workflow says what runs; leave out FILE and --agent", *find_verb(program(), "run"));
    const auto session = args.find("session");
    if (session && args.has("continue"))
        throw UsageError("run: either --session or --continue, not both", *find_verb(program(), "run"));
    const auto recording = args.find("record");
    if (recording) expect_recording(*recording);
    if (session || args.has("continue")) {
        VerbContext command(output);
        return command.run(run_in_session(command, std::move(wanted), session, recording));
    }
    home::PreparedTask work = home::prepare(project_here(), wanted);
    VerbContext command(output);
    return command.run(run_work(command, std::move(work), recording));
}

int resume(const Args& args, Output& output)
{
    const auto task = args.find("task");
    if (task.has_value() == args.has("all"))
        throw UsageError(task ? "resume: either TASK or --all, not both"
                              : "resume: TASK is missing, or --all for every unfinished one",
                         *find_verb(program(), "resume"));
    expect_deltas(args, output, "resume");
    home::Resume request;
    if (const auto text = args.find("steps")) request.steps = steps_in(*text, "--steps");
    if (const auto text = args.find("budget")) request.budget = engine::budget_from(*text);
    VerbContext command(output);
    if (!task && !has_journal(command.session.home())) return command.run(nothing_to_resume(command));
    expect_journal(command.session.home());
    return command.run(task ? resume_one(command, *task, std::move(request)) : resume_all(command));
}

int step(const Args& args, Output& output)
{
    home::Resume request{.steps = steps_in(args.find("n").value_or("1"), "N")};
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(resume_one(command, args["task"], std::move(request)));
}

int continue_task(const Args& args, Output& output)
{
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(resume_one(command, args["task"], {.freely = true}));
}

int cancel(const Args& args, Output& output)
{
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(cancel_one(command, args["task"], args.find("reason").value_or("")));
}

}  // namespace cadre::cli
