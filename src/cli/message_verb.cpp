#include "cli/message_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/race.hpp"
#include "base/random.hpp"
#include "cli/args.hpp"
#include "cli/chat.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/text_stream.hpp"
#include "cli/verb_context.hpp"
#include "engine/numbered_event.hpp"
#include "home/project/prepare_message.hpp"
#include "home/telling.hpp"
#include "model/names.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "patterns/message/message_view.hpp"

#include <fmt/format.h>

namespace cadre::cli {
namespace {

using model::conversation::Channel;

/// A line for each phase in which somebody works.
class PhaseLines final : public home::Listener {
public:
    explicit PhaseLines(Console& console) : console_(console) {}

    Async<> hear(home::Told told) override
    {
        const auto* event = std::get_if<engine::EventPtr>(&told);
        if (!event) co_return;
        seen = (*event)->number;
        if (console_.output().json || console_.output().quiet) co_return;
        std::string line = line_of((*event)->event);
        if (line.empty() || line == last_) co_return;
        last_ = line;
        co_await console_.err(one_line(line, console_.size().width - 1, console_.output().utf8) + "\n");
    }

    std::uint32_t seen = 0;

private:
    static std::string line_of(const model::Event& event)
    {
        if (const auto* started = std::get_if<model::AgentStartEvent>(&event); started && started->node)
            return fmt::format("{} ({})", *started->node, started->agent_name);
        if (const auto* call = std::get_if<model::ToolCallEvent>(&event); call && call->node)
            return fmt::format("{} ({}: {})", *call->node, call->agent_name, call->tool_call.tool_name);
        return "";
    }

    Console& console_;
    std::string last_;
};

Async<int> show_answer(VerbContext& command, Id task, Channel channel, const std::string& session)
{
    const auto state = co_await command.session.task(task);
    Console& console = command.console;
    if (console.output().json) {
        const auto records = co_await command.session.queries().records(command.session.who(), task);
        co_await console.out(model::to_json_text(patterns::message_state(*state, records)) + "\n");
    }
    if (state->status != model::TaskStatus::completed || !state->reply)
        throw Error(code_of(state->error_code),
                    fmt::format("task {} is {}{}{}", short_id(task), model::wire_name(state->status),
                                state->error.empty() ? "" : ": ", state->error));
    if (!console.output().json)
        co_await console.out(console.out_is_terminal() ? terminal_text(state->reply->text + "\n")
                                                       : state->reply->text + "\n");
    const bool is_silent = console.output().quiet || console.output().json;
    if (!state->reply->ok && !is_silent)
        co_await console.note(fmt::format("no answer was good enough, so this was said instead: {}",
                                          printable(state->reply->error.value_or(""))));
    if (!is_silent)
        co_await console.note("to continue: " +
                              as_typed(fmt::format("cadre message --channel {} --session {} \"…\"",
                                                   model::wire_name(channel), engine::short_of(session))));
    co_return state->reply->ok ? 0 : surface(Code::unavailable).exit;
}

Async<int> answer_in_session(VerbContext& command, home::RunRequest wanted, home::MessageRequest message,
                             std::optional<std::string> session)
{
    FoundSession found{.id = to_string(new_id(system_random()))};
    if (session) found = co_await find_session(command, *session);
    home::PreparedTask work =
        home::prepare_message(project_here(), wanted, message, found.head ? &found.head->last : nullptr);
    const Id task = new_id(system_random());
    work.task.id = task;
    work.task.session = found.id;
    work.task.queue = false;
    co_await command.session.call(home::Create{.task = std::move(work.task), .held = true});
    PhaseLines lines(command.console);
    if (const auto stopped = co_await command.drive_to_answer(task, lines, lines.seen, "message")) co_return *stopped;
    co_return co_await show_answer(command, task, message.channel, found.id);
}

Channel channel_of(const Args& args)
{
    const auto name = args.find("channel");
    const auto channel = name ? model::find_named<Channel>(*name) : std::nullopt;
    if (channel) return *channel;
    throw Error(Code::invalid, (name ? fmt::format("{} is none of the channels: ", in_quotes(*name))
                                     : "over which channel? --channel ") +
                                   "sms, email, whatsapp, teams");
}

int answer_message(const Args& args, Output& output)
{
    const home::RunRequest wanted{.model = args.find("model"), .budget = args.find("budget"), .prompt = args["text"]};
    const home::MessageRequest message{.channel = channel_of(args), .user_name = args.find("name")};
    VerbContext command(output);
    return command.run(answer_in_session(command, wanted, message, args.find("session")));
}

}  // namespace

Verb message_verb()
{
    return {
        .name = "message",
        .summary = "Answer a message as its channel would get it",
        .arguments = {{.name = "text", .help = "What somebody has written"}},
        .flags = {{.name = "trust", .help = "Trust the project for this once, as CADRE_TRUST=1 does"},
                  {.name = "channel", .value = "CHANNEL", .help = "sms, email, whatsapp or teams"},
                  {.name = "name", .value = "NAME", .help = "Who has written it, for the greeting"},
                  {.name = "session",
                   .value = "ID",
                   .help = "A turn of this conversation: what was said before is known. A whole UUID may be new"},
                  {.name = "model",
                   .value = "SPEC",
                   .help = "provider/model or script:FILE; wins over CADRE_MODEL and all files"},
                  {.name = "budget", .value = "BUDGET", .help = "What it may use, for example 20000tokens,0.10usd"}},
        .text =
            "Four agents answer: the planner says what is needed and what a good answer must fulfil, timesheet finds "
            "the "
            "data, the planner writes, branding formats for the channel, and quality judges by the planner's "
            "scorecard. "
            "What fails is refined once; what fails twice is answered with the words of the style guide for that, and "
            "the exit code is that of a service which is not available. teams/conversation.yaml has the agents where "
            "they are not the built-in ones, agents/config/channels.yaml and style_guide.yaml what channels show and "
            "how "
            "answers sound.\n\n"
            "Nothing is sent: standard output gets what would be, piece by piece; with --json, all that was made on "
            "the "
            "way as one object.",
        .examples = {{"cadre message --channel sms \"Check my timesheet\"", "An answer as an SMS"},
                     {"cadre message --channel email --name Ann \"Hours left?\"", "With a greeting"},
                     {"cadre message --channel teams --json \"Hours by day\"", "With the card"}},
        .run = answer_message,
    };
}

}  // namespace cadre::cli
