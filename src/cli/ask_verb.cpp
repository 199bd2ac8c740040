#include "cli/ask_verb.hpp"

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
#include "home/project/prepare_ask.hpp"
#include "home/telling.hpp"
#include "model/ask_setup.hpp"
#include "model/read.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace cadre::cli {
namespace {

/// A line for each domain when it is asked and when it has answered.
class DomainLines final : public home::Listener {
public:
    DomainLines(Console& console, const model::AskSetup& setup) : console_(console), setup_(setup) {}

    Async<> hear(home::Told told) override
    {
        const auto* event = std::get_if<engine::EventPtr>(&told);
        if (!event) co_return;
        seen = (*event)->number;
        if (console_.output().json || console_.output().quiet) co_return;
        const std::string line = line_of((*event)->event);
        if (!line.empty())
            co_await console_.err(one_line(line, console_.size().width - 1, console_.output().utf8) + "\n");
    }

    std::uint32_t seen = 0;

private:
    std::string line_of(const model::Event& event)
    {
        if (const auto* call = std::get_if<model::ToolCallEvent>(&event)) {
            const std::string domain = domain_of(call->tool_call.tool_name);
            const bool is_new =
                asked_.insert_or_assign(call->tool_call.id, domain).second && domains_.insert(domain).second;
            return is_new ? fmt::format("asking {}", domain) : "";
        }
        const auto* result = std::get_if<model::ToolResultEvent>(&event);
        if (!result) return "";
        const std::string& domain = asked_[result->tool_result.tool_call_id];
        const std::string time =
            result->execution_time_ms ? " after " + cadre::to_text(Millis(*result->execution_time_ms)) : "";
        if (result->tool_result.error)
            return fmt::format("{} failed{}: {}", domain, time, printable(*result->tool_result.error));
        return fmt::format("{} answered{}", domain, time);
    }

    /// A task may call a tool of a server by another name than files do.
    std::string domain_of(const std::string& tool) const
    {
        for (const model::domains::Domain& domain : setup_.domains)
            for (const std::string& name : domain.mcp_tools)
                if (tool == name || tool.ends_with(name.substr(name.rfind('.') + 1))) return domain.display_name;
        return tool;
    }

    Console& console_;
    const model::AskSetup& setup_;
    std::map<std::string, std::string> asked_;  // domains by call
    std::set<std::string> domains_;
};

std::string answer_text(const model::Reply& reply)
{
    std::string text = reply.text + "\n";
    if (!reply.sources.empty())
        text += fmt::format("\nSources: {} (confidence: {})\n", fmt::join(reply.sources, ", "),
                            model::wire_name(reply.confidence));
    for (const std::string& suggestion : reply.suggestions)
        text += fmt::format("{}- {}\n", &suggestion == &reply.suggestions.front() ? "\nYou could ask next:\n" : "",
                            suggestion);
    return text;
}

Async<int> show_answer(VerbContext& command, const engine::TaskState& state, const std::string& session)
{
    const std::string id = short_id(state.id);
    if (state.status != model::TaskStatus::completed || !state.reply)
        throw Error(code_of(state.error_code), fmt::format("task {} is {}{}{}", id, model::wire_name(state.status),
                                                           state.error.empty() ? "" : ": ", state.error));
    Console& console = command.console;
    if (console.output().json) co_await console.out(model::to_json_text(model::domains::view(*state.reply)) + "\n");
    else if (console.output().quiet) co_await console.out(state.reply->text + "\n");
    else {
        std::string text = answer_text(*state.reply);
        co_await console.out(console.out_is_terminal() ? terminal_text(text) : text);
    }
    if (!console.output().quiet && !console.output().json)
        co_await console.note("to follow up: " +
                              as_typed(fmt::format("cadre ask --session {} \"…\"", engine::short_of(session))));
    co_return state.reply->ok ? 0 : surface(Code::unavailable).exit;
}

Async<int> ask_in_session(VerbContext& command, home::RunRequest wanted, std::optional<std::string> session)
{
    FoundSession found{.id = to_string(new_id(system_random()))};
    if (session) found = co_await find_session(command, *session);
    home::PreparedTask work = home::prepare_ask(project_here(), wanted, found.head ? &found.head->last : nullptr);
    const auto setup = model::from_text<model::AskSetup>(work.task.setup, {.limits = model::kTeamLimits});
    const Id task = new_id(system_random());
    work.task.id = task;
    work.task.session = found.id;
    work.task.queue = false;
    if (!command.console.output().quiet)
        for (std::string& note : work.notes) co_await command.console.note(std::move(note));
    co_await command.session.call(home::Create{.task = std::move(work.task), .held = true});
    DomainLines lines(command.console, setup);
    if (const auto stopped = co_await command.drive_to_answer(task, lines, lines.seen, "question")) co_return *stopped;
    const auto state = co_await command.session.task(task);
    co_return co_await show_answer(command, *state, found.id);
}

int ask_question(const Args& args, Output& output)
{
    const home::RunRequest wanted{
        .model = args.find("model"), .budget = args.find("budget"), .prompt = args["question"]};
    VerbContext command(output);
    return command.run(ask_in_session(command, wanted, args.find("session")));
}

}  // namespace

Verb ask_verb()
{
    return {
        .name = "ask",
        .summary = "Ask the data domains of the project a question",
        .arguments = {{.name = "question", .help = "What you want to know"}},
        .flags = {{.name = "trust", .help = "Trust the project for this once, as CADRE_TRUST=1 does"},
                  {.name = "session",
                   .value = "ID",
                   .help = "A turn of this conversation: what domains said before is known. A whole UUID may be new"},
                  {.name = "model",
                   .value = "SPEC",
                   .help = "provider/model, local or script:FILE; wins over CADRE_MODEL and all files"},
                  {.name = "budget", .value = "BUDGET", .help = "What it may use, for example 20000tokens,0.10usd"}},
        .text =
            "The domains are those of config/domains.yaml, of the project or else of the home. It is decided which "
            "of them the question is for; their tools are asked at once, each at most 50 s; the answer is there in "
            "less than a minute, and says what is missing where something is. A question that is not clear is asked "
            "back.\n\n"
            "Standard output gets the answer; with --json, the whole of it as one object. Which domain was asked and "
            "has answered goes to standard error. When no domain has answered, the exit code is that of a service "
            "which is not available.",
        .examples = {{"cadre ask \"What is low in stock?\"", "A question"},
                     {"cadre ask --session 6f1c \"And last month?\"", "The next one, in the same conversation"},
                     {"cadre ask --json \"What sells best?\" | jq .sources", "For programs"}},
        .run = ask_question,
    };
}

}  // namespace cadre::cli
