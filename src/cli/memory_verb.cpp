#include "cli/memory_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/visible.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "home/memory_requests.hpp"
#include "home/project/project.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <fmt/format.h>

#include <charconv>
#include <type_traits>

namespace cadre::cli {
namespace {

template <class E>
std::string choices_of()
{
    std::string all;
    for (const model::EnumName& name : names_of(static_cast<const E*>(nullptr)))
        all += (all.empty() ? "" : ", ") + std::string(name.name);
    return all;
}

template <class E>
std::optional<E> named_in(const Args& args, std::string_view flag)
{
    const auto word = args.find(flag);
    if (!word) return std::nullopt;
    const auto value = model::find_named<E>(*word);
    if (!value)
        throw Error(Code::invalid,
                    fmt::format("--{} {} is not known; there are {}", flag, in_quotes(*word), choices_of<E>()));
    return value;
}

std::optional<double> fraction_in(const Args& args, std::string_view flag)
{
    const auto word = args.find(flag);
    if (!word) return std::nullopt;
    double number = -1;
    const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), number);
    if (error != std::errc() || end != word->data() + word->size() || !(number >= 0 && number <= 1))
        throw Error(Code::invalid, fmt::format("--{} is a number from 0 to 1, not {}", flag, in_quotes(*word)));
    return number;
}

/// A time, or how long from now: `2026-01-31T12:00:00Z`, `30d`.
std::optional<Time> expiry_in(const Args& args)
{
    const auto word = args.find("expires");
    if (!word) return std::nullopt;
    if (word->find('-') != std::string::npos) return time_from_iso(*word);
    return system_clock().now() + duration_from(*word);
}

std::string project_folder()
{
    const auto project = project_here();
    return project ? project->folder().string() : "";
}

std::string joined_words(const std::vector<std::string>& words)
{
    return fmt::format("{}", fmt::join(words, " "));
}

/// `mem_3f2a…  semantic  user  2 h  The text, in one line  (told 3 times)`
std::string line_of(const memory::Item& item, Time now, const Output& output)
{
    std::string notes;
    if (item.told > 1) notes += fmt::format("  (told {} times)", item.told);
    if (!item.conflicts.empty()) notes += fmt::format("  (contradicts {})", fmt::join(item.conflicts, ", "));
    if (!item.consolidated_into.empty()) notes += fmt::format("  (summed up in {})", item.consolidated_into);
    return fmt::format("{}  {:<10}  {:<7}  {}  {}{}\n", item.id, model::wire_name(item.type),
                       model::wire_name(item.scope.kind), padded(age_text(now - item.updated_at), 6),
                       one_line(item.text, 100, output.utf8), notes);
}

template <class Request>
Async<int> ask(VerbContext& command, Request request, typename Request::Answer& answer)
{
    answer = co_await command.session.call(std::move(request));
    co_return 0;
}

/// What the owner of the home answers: this process where nobody has it, else whoever does.
template <class Request>
typename Request::Answer answer_of(Output& output, Request request)
{
    VerbContext command(output);
    // whoever only looks makes no home
    if constexpr (!std::is_same_v<Request, home::AddMemory>) expect_journal(command.session.home());
    typename Request::Answer answer;
    command.run(ask(command, std::move(request), answer));
    return answer;
}

int list(const Args& args, Output& output)
{
    const auto known = answer_of(output, home::ListMemory{.user = args.find("user").value_or(""),
                                                          .type = named_in<model::MemoryType>(args, "type"),
                                                          .scope = named_in<memory::ScopeKind>(args, "scope")});
    if (output.json) {
        output.print(model::to_json_text(known) + "\n");
        return 0;
    }
    const Time now = system_clock().now();
    for (const memory::Item& item : known.items) output.print(line_of(item, now, output));
    if (known.items.empty() && !output.quiet) output.complain("nothing is remembered\n");
    return 0;
}

int search(const Args& args, Output& output)
{
    home::SearchMemory request{.user = args.find("user").value_or(""),
                               .query = joined_words(args.all("text")),
                               .threshold = fraction_in(args, "threshold")};
    if (const auto type = named_in<model::MemoryType>(args, "type")) request.types = {*type};
    if (request.query.empty())
        throw Error(Code::invalid,
                    "cadre memory search needs what is to be found, like: cadre memory search deploy key");
    const auto found = answer_of(output, std::move(request));
    if (output.json) {
        output.print(model::to_json_text(found) + "\n");
        return 0;
    }
    for (const home::FoundMemory& one : found.results)
        output.print(fmt::format(
            "{:.2f}  {}  {}{}\n", one.relevance_score, one.memory_id, one_line(one.content, 120, output.utf8),
            one.conflicts.empty() ? "" : fmt::format("  (contradicts {})", fmt::join(one.conflicts, ", "))));
    if (found.results.empty() && !output.quiet) output.complain("nothing is known about that\n");
    return 0;
}

int add(const Args& args, Output& output)
{
    home::AddMemory request{.text = joined_words(args.all("text")),
                            .session = args.find("session").value_or(""),
                            .agent = args.find("agent").value_or(""),
                            .team = args.find("team").value_or(""),
                            .tags = args.all("tag"),
                            .expires_at = expiry_in(args)};
    if (const auto type = named_in<model::MemoryType>(args, "type")) request.type = *type;
    if (const auto importance = fraction_in(args, "importance")) request.importance = *importance;
    if (!request.agent.empty() || !request.team.empty()) request.project = project_folder();
    if (request.text.empty())
        throw Error(Code::invalid, "cadre memory add needs a text, like: cadre memory add \"The invoices go to Ann\"");
    const auto added = answer_of(output, std::move(request));
    if (output.json) {
        output.print(model::to_json_text(added) + "\n");
        return 0;
    }
    output.print(added.memory_id + "\n");
    if (output.quiet) return 0;
    if (added.change == memory::Change::merged) output.complain("this was known already\n");
    if (added.change == memory::Change::conflict)
        output.complain(fmt::format("it contradicts {}; both are kept\n", fmt::join(added.conflicts, ", ")));
    return 0;
}

int forget(const Args& args, Output& output)
{
    const auto gone = answer_of(
        output,
        home::ForgetMemory{.ids = args.all("text"), .all = args.has("all"), .user = args.find("user").value_or("")});
    if (output.json) {
        output.print(model::to_json_text(gone) + "\n");
        return 0;
    }
    if (output.quiet) return 0;
    output.print(fmt::format("forgot {}\n", plural(gone.memory_ids.size(), "item")));
    if (gone.tasks.empty()) return 0;
    output.complain(
        fmt::format("the journals of these tasks still hold what was said: {}\n", fmt::join(gone.tasks, " ")));
    return 0;
}

Async<int> consolidate_for(VerbContext& command, home::ConsolidateMemory request, std::optional<std::string> task,
                           home::ConsolidatedMemory& answer)
{
    if (task) request.task = co_await command.session.resolve(std::move(*task));
    answer = co_await command.session.call(std::move(request));
    co_return 0;
}

int consolidate(const Args& args, Output& output)
{
    home::ConsolidatedMemory done;
    VerbContext command(output);
    expect_journal(command.session.home());
    command.run(consolidate_for(command, {.topic = joined_words(args.all("text"))}, args.find("task"), done));
    if (output.json) {
        output.print(model::to_json_text(done) + "\n");
        return 0;
    }
    for (const std::string& id : done.memory_ids) output.print(id + "\n");
    if (output.quiet) return 0;
    if (done.items_consolidated == 0) output.complain("nothing to sum up\n");
    else
        output.complain(fmt::format("summed up {}: {}\n",
                                    plural(static_cast<std::size_t>(done.items_consolidated), "item"),
                                    visible(done.topic)));
    return 0;
}

struct Action {
    std::string_view name;
    int (*run)(const Args& args, Output& output);
};
constexpr Action kActions[] = {
    {"list", list}, {"search", search}, {"add", add}, {"forget", forget}, {"consolidate", consolidate}};

std::vector<std::string> memory_actions()
{
    std::vector<std::string> names;
    for (const Action& action : kActions) names.emplace_back(action.name);
    return names;
}

int memory_verb_run(const Args& args, Output& output)
{
    for (const Action& action : kActions)
        if (action.name == args["action"]) return action.run(args, output);
    throw Error(Code::internal, "memory has no action " + in_quotes(args["action"]));  // the table let it pass
}

}  // namespace

Verb memory_verb()
{
    return {
        .name = "memory",
        .summary = "See, search, add to and forget what is remembered",
        .arguments = {{.name = "action", .help = "What to do", .choices = memory_actions},
                      {.name = "text",
                       .help = "For search and consolidate: what about; for add: what is to be known; for forget: ids",
                       .count = Argument::Count::repeated}},
        .flags = {{.name = "type", .value = "TYPE", .help = "semantic, episodic, long_term or short_term"},
                  {.name = "scope", .value = "SCOPE", .help = "For list: task, session, user, agent or team"},
                  {.name = "threshold", .value = "NUMBER", .help = "For search: leave out what fits less; else 0.25"},
                  {.name = "session", .value = "ID", .help = "For add: only in that session"},
                  {.name = "agent", .value = "NAME", .help = "For add: only for that agent of this project"},
                  {.name = "team", .value = "NAME", .help = "For add: for all who run that team of this project"},
                  {.name = "tag", .value = "WORD", .help = "For add: a word to find it by; may be repeated"},
                  {.name = "importance", .value = "NUMBER", .help = "For add: 0 to 1; what matters least goes first"},
                  {.name = "expires", .value = "WHEN", .help = "For add: 30d, or 2026-01-31T12:00:00Z"},
                  {.name = "all", .help = "For forget: everything of the user"},
                  {.name = "user", .value = "NAME", .help = "Another user's, in place of yours"},
                  {.name = "task", .value = "TASK", .help = "For consolidate: what that task may read"}},
        .text =
            "Agents that were granted the tools remember and recall keep facts and what happened for later tasks. What "
            "says the same is merged; what contradicts is kept and flagged. A task finds what its user, its session "
            "and "
            "its agent know, and what was meant for its team: never what another user was told.\n\n"
            "consolidate sums up what happened (episodic items) that belongs together; the sources stay, marked. "
            "forget "
            "--all removes everything of a user at once and names the tasks whose journals still hold some of it; "
            "remove those with cadre gc. All of it works too while another process owns the home.",
        .examples = {{"cadre memory add \"Invoices go to Ann\"", "Agents will know it"},
                     {"cadre memory search invoices", "By words and meaning"},
                     {"cadre memory list --type episodic --json", "For programs"},
                     {"cadre memory forget mem_3f2a4b1c", "The first letters are enough"}},
        .run = memory_verb_run,
    };
}

}  // namespace cadre::cli
