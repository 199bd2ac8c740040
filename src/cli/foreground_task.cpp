#include "cli/foreground_task.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/race.hpp"
#include "base/redact.hpp"
#include "cli/ask_in_place.hpp"
#include "cli/exit_codes.hpp"
#include "cli/layout.hpp"
#include "cli/permission_rule.hpp"
#include "cli/task_text.hpp"
#include "cli/verb.hpp"
#include "cli/verb_context.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

namespace cadre::cli {
namespace {

using model::TaskStatus;

/// `answer`, of whoever comes first: the person here, or somebody elsewhere.
Async<> read_answer(VerbContext& command, Id task, model::HumanRequest request,
                    std::optional<model::HumanAnswer>& answer)
{
    const auto always = co_await find_always(command.session, task, request);
    if (always && command.allowed.contains(always->rule)) {
        co_await command.console.err(printable(question_text(request)) + "\nallowed: you said always\n");
        answer = model::HumanAnswer{.verb = model::HumanVerb::approve, .message = "always"};
        co_return;
    }
    Asked asked = co_await ask_in_place(command.loop, command.console, std::move(request), always ? always->rule : "");
    answer = std::move(asked.answer);
    if (!asked.always) co_return;
    std::string told;
    try {
        told = always_text(*always, allow_always(*always));
    } catch (const Error& error) {
        told = error.what();
    }
    command.allowed.insert(always->rule);
    co_await command.console.note(told);
}

/// What has a task go no further, in words, and what can be done about it.
struct Obstacle {
    std::string text{};
    std::vector<std::string> commands{};
    bool asks = false;  // a person is what is waited for

    void add(const std::string& before, const Obstacle& more)
    {
        text += before + more.text;
        commands.insert(commands.end(), more.commands.begin(), more.commands.end());
        asks = asks || more.asks;
    }
};

Obstacle questions_of(const engine::TaskState& state)
{
    Obstacle found{.asks = !state.questions.empty()};
    for (const engine::OpenQuestion& question : state.questions) {
        for (std::string& command : answer_commands(state.id, question.request))
            found.commands.push_back(std::move(command));
        found.text += fmt::format("\n{}\nto answer: {}", question_text(question.request),
                                  answer_command(state.id, question.request));
    }
    return found;
}

Obstacle pause_of(const engine::TaskState& state)
{
    const std::string id = short_id(state.id);
    const std::string why(state.pause_reason ? model::wire_name(*state.pause_reason) : "");
    const bool diverged = state.pause_reason == model::PauseReason::diverged;
    const std::string command = diverged ? as_typed("cadre show " + id) : resume_command(state);
    Obstacle found{.text = fmt::format("task {} is paused ({}): {}\n{}: {}", id, why, state.pause_text,
                                       diverged ? "to see it" : "to resume", command),
                   .commands = {command}};
    if (state.pause_reason == model::PauseReason::step_mode) {
        found.commands.push_back(as_typed("cadre continue " + id));
        found.text += "\nto run without stepping: " + found.commands.back();
    }
    return found;
}

/// Above a question of a task below the one that is seen through.
std::string asker_below(const engine::TaskState& state)
{
    constexpr std::size_t kMost = 60;
    return fmt::format("task {}, which {} works on for it ({}), asks:", short_id(state.id), state.spec.agent,
                       one_line(state.spec.description, kMost, true));
}

}  // namespace

ForegroundTask::ForegroundTask(VerbContext& command, const Id& task, std::uint32_t seen, AfterInterrupt after)
    : command_(command), task_(task), view_(command.console, seen), after_(after), asks_(can_ask(command.console))
{}

Async<int> ForegroundTask::run()
{
    const Interrupts::GoodOrder good_order(command_.interrupts);
    if (view_.seen() > 0 && view_.redraws())
        view_.remember(co_await command_.session.queries().events(command_.session.who(), task_));
    {
        Race race(co_await this_context());
        race.add(drive());
        if (asks_) race.add(ask());
        race.beside(view_.animate());
        race.add(until_interrupted());
        co_await race.over();
    }
    if (std::exchange(asking_, false))  // the task has gone on meanwhile, or a signal came
        co_await command_.console.err(command_.interrupts.number() ? "\n" : "\nanswered elsewhere\n");
    if (command_.interrupts.number()) co_return co_await stop();
    co_return co_await conclude(co_await command_.session.task(task_));
}

Async<> ForegroundTask::drive()
{
    home::AtRest rest =
        co_await command_.session.drive({.task = task_, .stay = asks_, .children = true}, view_, view_.seen());
    left_over_ = std::move(rest.left_over);
    co_await calling_.until_free();  // whoever asks for something is heard out
    driven_ = true;
    changed_.notify();
}

/// Returns when the person wants to leave a question for later.
Async<> ForegroundTask::ask()
{
    while (true) {
        co_await view_.until_waiting();
        const home::WaitsForPerson asked = view_.question();
        const auto state = co_await command_.session.task(asked.task);
        const auto is_asked = [&](const engine::OpenQuestion& one) { return one.request.id == asked.request; };
        const auto open = std::ranges::find_if(state->questions, is_asked);
        if (open == state->questions.end()) {
            view_.answered();
            continue;
        }
        const model::HumanRequest question = open->request;
        view_.hold(true);  // first: else what moves is drawn over the question
        co_await view_.end_line();
        set_asking(true);
        std::optional<model::HumanAnswer> answer;
        view_.set_asking(true);
        if (asked.task != task_) co_await command_.console.err(printable(asker_below(*state)) + "\n");
        {
            Race race(co_await this_context());
            race.add(read_answer(command_, asked.task, question, answer));
            race.add(view_.until_answered());
            co_await race.over();
        }
        set_asking(false);
        view_.set_asking(false);
        if (!view_.waiting()) continue;
        if (!answer) co_return;
        view_.answered();
        home::AnswerQuestion request{
            .task = asked.task, .request = question.id, .answer = std::move(*answer), .stay = true};
        std::string problem;
        try {
            co_await call(std::move(request));
        } catch (const Error& error) {
            if (error.code() != Code::conflict && error.code() != Code::not_found) throw;
            problem = error.what();
        }
        if (!problem.empty()) co_await command_.console.note(problem);
    }
}

/// While a question stands there, nobody else writes.
void ForegroundTask::set_asking(bool asking)
{
    asking_ = asking;
    view_.hold(asking);
}

/// After Ctrl-C, what is under way is shown to its end.
Async<> ForegroundTask::until_interrupted()
{
    co_await command_.interrupts.came();
    if (command_.interrupts.number() != SIGINT || after_ == AfterInterrupt::goes_on) co_return;
    if (std::exchange(asking_, false)) co_await command_.console.err("\n");
    if (!command_.console.output().quiet) {
        const std::string text = stopping_text();
        if (!view_.set_footer(text)) {
            co_await view_.end_line();
            co_await command_.console.note(text);
        }
    }
    co_await pause();
    while (!driven_) co_await changed_.wait();
}

std::string ForegroundTask::stopping_text() const
{
    return fmt::format("pausing when the current step is done; to resume later: {}\n"
                       "Ctrl-C again stops at once, and loses nothing",
                       as_typed("cadre resume " + short_id(task_)));
}

/// At the next boundary between effects, durably. A person's Ctrl-C is a pause; other signals come when the machine goes
/// down, and then the task should go on by itself when it is up again.
Async<int> ForegroundTask::stop()
{
    co_await view_.end_line();
    if (after_ == AfterInterrupt::goes_on && command_.interrupts.number() == SIGINT) {
        co_await let_go();
        const auto state = co_await command_.session.task(task_);
        if (state->finished()) co_return co_await conclude(state);
        co_return Interrupts::exit_code(SIGINT);
    }
    if (command_.interrupts.number() == SIGINT) co_await pause();
    else if (!command_.console.output().quiet) co_await command_.console.note(stopping_text());
    co_await command_.session.settle(task_);
    const auto state = co_await command_.session.task(task_);
    if (state->finished()) co_return co_await conclude(state);
    const int exit = Interrupts::exit_code(command_.interrupts.number());
    if (state->status == TaskStatus::waiting || state->pause_reason) {
        co_await conclude(state);
    } else {
        const std::string command = resume_command(*state);
        co_await report("interrupted", fmt::format("task {} is stopped; to resume: {}", short_id(task_), command),
                        {command});
    }
    co_return exit;
}

/// The task is paused, and others that this process drives are left alone.
Async<> ForegroundTask::let_go()
{
    co_await command_.session.call(home::Park{.task = task_, .at_once = true});
    co_await pause();
}

Async<> ForegroundTask::pause()
{
    try {
        co_await call(home::Pause{task_});
    } catch (const Error& error) {
        if (error.code() != Code::conflict) throw;  // it has ended, or is paused already
    }
}

template <class Request>
Async<> ForegroundTask::call(Request request)
{
    const auto turn = co_await calling_.lock();
    co_await command_.session.call(std::move(request));
}

Async<int> ForegroundTask::conclude(std::shared_ptr<const engine::TaskState> state)
{
    const std::string id = short_id(task_);
    switch (state->status) {
    case TaskStatus::completed: {
        co_await view_.finish(*state);
        if (left_over_.empty() || state->spec.session) co_return 0;  // a script is for all turns of a session
        throw Error(Code::invalid,
                    fmt::format("task {} has completed, but its script has entries that nothing asked for:\n{}", id,
                                fmt::join(left_over_, "\n")));
    }
    case TaskStatus::failed:
        co_await view_.end_line();
        throw Error(code_of(state->error_code), fmt::format("task {} failed: {}", id, state->error), way_on(*state));
    case TaskStatus::cancelled: {
        co_await view_.end_line();
        const std::string& reason = state->cancel_reason;
        throw Error(Code::cancelled, fmt::format("task {} was cancelled{}{}", id, reason.empty() ? "" : ": ", reason));
    }
    case TaskStatus::paused: {
        Obstacle pause = pause_of(*state);
        co_await report("paused", std::move(pause.text), std::move(pause.commands));
        co_return kPausedExit;
    }
    case TaskStatus::pending:
        if (engine::is_queued(*state)) {
            const std::string command = as_typed("cadre show " + state->spec.after->substr(0, id.size()));
            co_await report("pending",
                            fmt::format("task {} begins when the turns of its session before it have ended; to see the "
                                        "last of them: {}",
                                        id, command),
                            {command});
            co_return kPausedExit;
        }
        break;
    case TaskStatus::waiting:
    case TaskStatus::running: break;
    }
    Obstacle found;
    for (const auto& task : co_await command_.session.queries().open_tree(command_.session.who(), task_)) {
        if (task->pause_reason) found.add("\n", pause_of(*task));
        else if (!task->questions.empty())
            found.add(task->id == task_ ? "" : "\n" + asker_below(*task), questions_of(*task));
    }
    if (!found.commands.empty()) {
        std::string text =
            fmt::format("task {} waits for {}{}", id, found.asks ? "a person" : "a task below it", found.text);
        co_await report(found.asks ? "waiting" : "paused", std::move(text), std::move(found.commands));
        co_return found.asks ? kWaitingExit : kPausedExit;
    }
    const std::string command = resume_command(*state);
    co_await report("paused", fmt::format("task {} was stopped by another process; to resume: {}", id, command),
                    {command});
    co_return kPausedExit;
}

/// Like a failure, which it is not.
Async<> ForegroundTask::report(std::string_view code, std::string text, std::vector<std::string> commands)
{
    co_await view_.end_line();
    const Output& output = command_.console.output();
    const std::string message = redact(text);
    std::string line;
    if (output.json) {
        JsonWriter json(line);
        json.begin_object().key("error").begin_object().field("code", code).field("message", message);
        json.field("task", to_string(task_)).key("commands").begin_array();
        for (const std::string& command : commands) json.value(command);
        json.end_array().end_object().end_object();
    } else {
        constexpr std::string_view kWho = "cadre: ";
        const bool breaks = command_.console.err_is_terminal();
        const std::size_t width = breaks ? command_.console.size().width - 1 : SIZE_MAX;
        line = fmt::format("{}", fmt::join(lines_of(std::string(kWho) + printable(message), width), "\n"));
        line.replace(0, kWho.size() - 1, output.err.paint(Tone::yellow, kWho.substr(0, kWho.size() - 1)));
    }
    co_await command_.console.err(line + "\n");
}

}  // namespace cadre::cli
