#include "cli/chat.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/random.hpp"
#include "base/trim.hpp"
#include "cli/foreground_task.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/new_files.hpp"
#include "cli/run.hpp"
#include "cli/task_text.hpp"
#include "cli/verb.hpp"
#include "cli/verb_context.hpp"
#include "engine/agent.hpp"
#include "engine/pinned_teams.hpp"
#include "home/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace cadre::cli {
namespace {

constexpr std::size_t kPromptShown = 60;

}  // namespace

std::optional<ChatCommand> chat_command(std::string_view line)
{
    line = trimmed(line);
    if (!line.starts_with('/')) return std::nullopt;
    const std::string_view name = line.substr(1, line.find_first_of(" \t\n") - 1);
    if (name.empty() || !std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; })) return std::nullopt;
    return ChatCommand{std::string(name), std::string(trimmed(line.substr(1 + name.size())))};
}

std::string markdown_of(const std::string& session, const std::vector<engine::TurnMessage>& messages)
{
    std::string text = fmt::format("# Session {}\n", session);
    for (const engine::TurnMessage& message : messages)
        text += fmt::format("\n## {}\n\n{}\n", message.role == model::Role::user ? "User" : "Assistant", message.text);
    return text;
}

Async<FoundSession> find_session(VerbContext& command, std::string wanted)
{
    FoundSession found{.id = wanted};
    if (!has_journal(command.session.home())) {
        if (!find_id(wanted)) throw Error(Code::not_found, "no session begins with " + in_quotes(wanted));
        co_return found;
    }
    engine::Queries& queries = command.session.queries();
    found.id = co_await queries.resolve_session(command.session.who(), std::move(wanted));
    found.head = co_await queries.find_session(command.session.who(), found.id);
    co_return found;
}

Async<FoundSession> newest_session(VerbContext& command)
{
    std::vector<engine::SessionEntry> sessions;
    if (has_journal(command.session.home()))
        sessions = co_await command.session.queries().sessions(command.session.who());
    if (sessions.empty())
        throw Error(Code::not_found, "there is no session to continue; to begin one: " + as_typed("cadre chat"));
    co_return co_await find_session(command, sessions.front().id);
}

struct Chat::Command {
    std::string_view name;
    std::string_view help;
    Act act;
};

const std::vector<Chat::Command>& Chat::commands()
{
    static const std::vector<Command> all{
        {"continue", "resume a turn that was stopped; an empty line does the same", &Chat::go_on},
        {"help", "this list", &Chat::help},
        {"model", "the model, or /model SPEC for another one from now on", &Chat::model},
        {"quit", "end, as Ctrl-D does", &Chat::quit},
        {"save", "/save FILE writes the conversation as Markdown", &Chat::save},
        {"tools", "what the agent may call", &Chat::tools},
        {"undo", "leave the last turn out of what follows", &Chat::undo},
    };
    return all;
}

Chat::Chat(VerbContext& command, home::RunRequest wanted, std::optional<std::string> session)
    : command_(command), wanted_(std::move(wanted)), asked_for_(std::move(session)), input_(chat_input(command))
{}

Async<int> Chat::run()
{
    co_await begin();
    while (!over_) {
        auto line = co_await input_->next();
        if (!line) break;
        if (!input_->has_person()) {
            co_await take(std::move(*line));
            continue;
        }
        std::exception_ptr failure;
        try {
            co_await take(std::move(*line));
        } catch (const Error&) {
            failure = std::current_exception();
        }
        if (!failure) continue;
        try {
            std::rethrow_exception(failure);
        } catch (const ReaderGone&) {
            throw;
        } catch (const Error& error) {
            report(command_.console.output(), error);
        }
    }
    co_await good_bye();
    const int number = command_.interrupts.number();
    co_return number ? Interrupts::exit_code(number) : exit_;
}

/// What is wrong is said before the first message is typed.
Async<> Chat::begin()
{
    FoundSession found;
    if (asked_for_) found = co_await find_session(command_, *asked_for_);
    else found.id = to_string(new_id(system_random()));
    session_ = found.id;
    has_turns_ = found.head.has_value();
    if (!has_turns_ || wanted_.file || wanted_.agent) work_ = home::prepare_team(project_here(), wanted_);
    else model_ = home::another_turn(*project_here(), wanted_).model;
    if (work_) model_ = work_->task.model;
    const Output& output = command_.console.output();
    if (output.json) {
        std::string line;
        JsonWriter(line).begin_object().field("session", session_).end_object();
        co_await command_.console.out(line + "\n");
    }
    if (output.quiet) co_return;
    if (work_)
        for (const std::string& note : work_->notes) co_await command_.console.note(note);
    if (has_turns_)
        co_await command_.console.note(
            fmt::format("session {}, {}; the last: {}", engine::short_of(session_),
                        plural(static_cast<std::size_t>(found.head->turns), "turn"),
                        one_line(found.head->last.spec.description, kPromptShown, output.utf8)));
    else if (input_->has_person()) co_await command_.console.note("/help lists what can be typed beside messages");
    if (has_turns_ && found.head->is_open()) co_await tell_of_open_turn();
}

Async<> Chat::take(std::string line)
{
    if (const auto command = chat_command(line)) {
        for (const Command& known : commands())
            if (known.name == command->name) co_return co_await (this->*known.act)(command->argument);
        throw Error(Code::not_found, fmt::format("there is no /{}; /help lists what there is", command->name));
    }
    if (!trimmed(line).empty()) co_return co_await say(std::move(line));
    if (input_->has_person())
        if (const auto now = co_await head(); now && now->is_open()) co_await go_on("");
}

Async<> Chat::say(std::string text)
{
    home::expect_prompt(text);
    const Id task = new_id(system_random());
    engine::CreateTask create = work_ ? work_->task : home::another_turn(*project_here(), wanted_);
    create.id = task;
    create.session = session_;
    create.queue = false;  // a person sees whether a turn is stopped, and says what is to become of it
    create.description = std::move(text);
    create.model = model_;
    co_await command_.session.call(home::Create{.task = std::move(create), .held = true});
    has_turns_ = true;
    co_await see_through(task, 0);
}

/// A turn that fails is told and is no part of what follows.
Async<> Chat::see_through(Id task, std::uint32_t seen)
{
    const bool has_person = input_->has_person();
    ForegroundTask work(command_, task, seen, has_person ? AfterInterrupt::goes_on : AfterInterrupt::ends);
    const int exit = co_await work.run();
    if (exit == 0) co_return;
    const int number = command_.interrupts.number();
    if (has_person && (!number || number == SIGINT)) {
        command_.interrupts.forget();
        co_return co_await tell_of_open_turn();
    }
    over_ = true;
    exit_ = exit;
}

Async<> Chat::tell_of_open_turn()
{
    const auto now = co_await head();
    if (!now || !now->is_open() || command_.console.output().quiet) co_return;
    co_await command_.console.note(
        fmt::format("the turn is stopped: {}\n{} resumes it, /undo leaves it out",
                    one_line(now->last.spec.description, kPromptShown, command_.console.output().utf8),
                    input_->has_person() ? "an empty line, or /continue," : "/continue"));
}

Async<> Chat::good_bye()
{
    if (!has_turns_ || command_.console.output().quiet) co_return;
    co_await command_.console.note("to resume: " +
                                   as_typed(fmt::format("cadre chat --session {}", engine::short_of(session_))));
}

Async<std::optional<engine::SessionHead>> Chat::head()
{
    if (!has_turns_) co_return std::nullopt;
    co_return co_await command_.session.queries().find_session(command_.session.who(), session_);
}

Async<model::Team> Chat::team()
{
    if (work_) co_return work_->task.team;
    const auto now = co_await head();
    engine::PinnedTeams teams(command_.session.queries().store());
    co_return co_await teams.team_for(now->last.spec);
}

// ---- commands ----

Async<> Chat::help(std::string)
{
    std::vector<Row> rows;
    for (const Command& command : commands())
        rows.push_back({fmt::format("/{}", command.name), std::string(command.help)});
    co_await command_.console.err(
        table(rows) + "Everything else is a message. A line that ends in \\ continues on the next; Alt-Enter "
                      "begins another line.\n");
}

Async<> Chat::go_on(std::string)
{
    const auto now = co_await head();
    if (!now || !now->is_open()) throw Error(Code::conflict, "no turn is stopped: say something");
    const engine::TaskState& last = now->last;
    co_await command_.session.call(home::Resume{.task = last.id, .held = true});
    co_await see_through(last.id, last.end.event_seq);
}

Async<> Chat::model(std::string spec)
{
    if (!spec.empty()) {
        const std::string whole = home::whole_spec(spec, place_here().folder);
        home::expect_model(*project_here(), engine::llm_from_spec(whole));
        model_ = whole;
        co_await command_.console.note("from now on: " + whole);
        co_return;
    }
    std::string agent = work_ ? work_->task.agent : "";
    std::string now = model_;
    if (!work_) {
        const auto last = (co_await head())->last.spec;
        agent = last.agent;
        if (now.empty()) now = last.model;
    }
    for (const engine::Agent& one : engine::agents_of(co_await team(), now, model::ExecutionMode::autonomous))
        if (one.name == agent) co_await command_.console.note(fmt::format("{}, with {}", agent, one.model()));
}

Async<> Chat::tools(std::string)
{
    std::string agent = work_ ? work_->task.agent : "";
    if (!work_) agent = (co_await head())->last.spec.agent;
    const model::Team team = co_await this->team();
    const auto found = std::ranges::find(team.agents, agent, &model::Agent::name);
    std::vector<Row> rows;
    if (found != team.agents.end())
        for (const std::string& name : found->tools) {
            const auto tool = std::ranges::find(team.tools, name, &model::Tool::name);
            rows.push_back({name, tool == team.tools.end() ? "" : printable(tool->description)});
        }
    co_await command_.console.err(rows.empty() ? agent + " has no tools\n" : table(rows));
}

Async<> Chat::undo(std::string)
{
    const auto now = co_await head();
    if (!now) throw Error(Code::conflict, "there is no turn to leave out");
    std::string prompt = now->last.spec.description;
    const bool has_failed = now->last.finished() && now->last.status != model::TaskStatus::completed;
    if (has_failed && std::exchange(passed_over_, now->last.id) != now->last.id) {
        co_await command_.console.note(
            fmt::format("no part of what follows, because it {}: {}; /undo again leaves out the turn before it",
                        now->last.status == model::TaskStatus::failed ? "failed" : "was cancelled",
                        one_line(prompt, kPromptShown, command_.console.output().utf8)));
        co_return;
    }
    if (now->is_open()) {
        passed_over_ = now->last.id;
        co_await command_.session.call(home::Cancel{.task = now->last.id, .reason = "left out of the conversation"});
    } else {
        prompt = (co_await command_.session.call(home::Undo{session_})).prompt;
    }
    if (!command_.console.output().quiet)
        co_await command_.console.note("left out: " + one_line(prompt, kPromptShown, command_.console.output().utf8));
}

Async<> Chat::save(std::string file)
{
    if (file.empty()) throw Error(Code::invalid, "/save needs the name of a file");
    if (!has_turns_) throw Error(Code::conflict, "nothing was said yet");
    const auto messages = co_await command_.session.queries().conversation(command_.session.who(), session_);
    NewFiles files;
    files.file(file, markdown_of(session_, messages));
    files.keep();
    if (!command_.console.output().quiet)
        co_await command_.console.note(fmt::format("{} in {}", plural(messages.size(), "message"), file));
}

Async<> Chat::quit(std::string)
{
    over_ = true;
    co_return;
}

}  // namespace cadre::cli
