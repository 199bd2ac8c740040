#include "cli/chat_verbs.hpp"

#include "base/async.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "cli/args.hpp"
#include "cli/chat.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "cli/verb_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unistd.h>

namespace cadre::cli {
namespace {

using engine::SessionEntry;

constexpr std::size_t kWidestSession = 200;

Async<int> run_chat(VerbContext& command, home::RunRequest wanted, std::optional<std::string> session)
{
    Chat chat(command, std::move(wanted), std::move(session));
    co_return co_await chat.run();
}

int chat(const Args& args, Output& output)
{
    home::RunRequest wanted{.file = args.find("file"),
                            .agent = args.find("agent"),
                            .model = args.find("model"),
                            .budget = args.find("budget")};
    VerbContext command(output);
    return command.run(run_chat(command, std::move(wanted), args.find("session")));
}

std::string json_of(const std::vector<SessionEntry>& sessions, const std::optional<std::set<Id>>& driven)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("sessions").begin_array();
    for (const SessionEntry& session : sessions) {
        json.begin_object().field("id", session.id).field("turns", std::uint64_t{session.turns});
        const bool is_running = session.status == "running";
        const bool is_driven = !driven || driven->contains(session.last);
        json.field("status", is_running && !is_driven ? kInterrupted : session.status);
        if (is_running) json.field("driven", is_driven);
        json.field("agent", session.agent).field("title", session.title);
        json.field("last_task", to_string(session.last));
        json.field("created_at", to_iso(session.created_at)).field("updated_at", to_iso(session.updated_at));
        json.end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

std::string table_of(const std::vector<SessionEntry>& sessions, const Output& output)
{
    const Time now = system_clock().now();
    const std::size_t width = page_width(kWidestSession);
    const auto turns_of = [](const SessionEntry& session) {
        return plural(session.turns, "turn") + (session.open ? ", open" : "");
    };
    std::size_t turns = 0, ages = 0;
    for (const SessionEntry& session : sessions) {
        turns = std::max(turns, turns_of(session).size());
        ages = std::max(ages, age_text(now - session.updated_at).size());
    }
    const std::size_t before = 8 + 2 + turns + 2 + ages + 2;
    std::string text;
    for (const SessionEntry& session : sessions)
        text += fmt::format("{}  {}  {}  {}\n", engine::short_of(session.id), padded(turns_of(session), turns),
                            padded(age_text(now - session.updated_at), ages),
                            one_line(session.title, width > before ? width - before : 0, output.utf8));
    return text;
}

int sessions(const Args&, Output& output)
{
    ReadOnlyHome onlooker;
    std::vector<SessionEntry> all;
    std::optional<std::set<Id>> driven;
    if (onlooker.has_journal()) {
        all = onlooker.run(onlooker.queries().sessions(onlooker.who()));
        if (output.json) driven = onlooker.run(onlooker.driven());
    }
    output.print(output.json ? json_of(all, driven) : table_of(all, output));
    if (!output.json && !output.quiet)
        output.complain(all.empty() ? "no sessions yet; to begin one: " + as_typed("cadre chat") + "\n"
                                    : "to continue one: " + as_typed("cadre chat --session ID") + "\n");
    return 0;
}

}  // namespace

std::vector<Verb> chat_verbs()
{
    return {
        {
            .name = "chat",
            .summary = "Talk with an agent, turn by turn",
            .arguments = {{.name = "file",
                           .help = "A team or agent: its file or its name; the project's team when left out",
                           .count = Argument::Count::optional}},
            .flags = {{.name = "session",
                       .value = "ID",
                       .help = "Go on with this one; its id or the first letters of it"},
                      {.name = "agent", .value = "NAME", .help = "The agent that answers"},
                      {.name = "model",
                       .value = "SPEC",
                       .help = "provider/model, local or script:FILE, from the first message on"},
                      {.name = "budget", .value = "LIMITS", .help = "What each turn may spend: 20000tokens, $0.50, 5m"},
                      {.name = "trust", .help = "Trust the project for this once, as CADRE_TRUST=1 does"}},
            .text =
                "Each message is a task that hears what was said before. Every step is on disk before the next one "
                "begins: after a crash, cadre chat --session ID has all of it, and offers to resume the turn that "
                "was interrupted.\n\n"
                "On a terminal: Enter sends, a line that ends in \\ continues on the next, Alt-Enter begins another "
                "line, arrows "
                "bring back what was typed before. Ctrl-C stops an answer, Ctrl-D or /quit ends; /help lists /model, "
                "/tools, /undo, /save and /continue.\n\n"
                "Without a terminal, each line of standard input is a message and the answers go to standard output; "
                "the first failure ends it. With --json, the first line is {\"session\":ID}, the others are events "
                "as of cadre run.",
            .examples = {{"cadre chat", "With the project's team"},
                         {"cadre chat --agent researcher --model openai/gpt-5-mini", "An agent, and its model"},
                         {"cadre chat --session 3f2a4b1c", "Go on, also after a crash"},
                         {"printf 'Hello\\nAnd now?\\n' | cadre chat --quiet", "Two messages from a script"}},
            .run = chat,
        },
        {
            .name = "sessions",
            .summary = "List conversations, the newest first",
            .text =
                "A session is a series of tasks with a shared history: its id, how many turns it has, its age and the "
                "last prompt. cadre chat --session ID and cadre run --session ID continue one.",
            .examples = {{"cadre sessions", "All of them"},
                         {"cadre sessions --json | jq -r '.sessions[0].id'", "The id of the newest"}},
            .run = sessions,
        },
    };
}

}  // namespace cadre::cli
