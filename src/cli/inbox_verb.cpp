#include "cli/inbox_verb.hpp"

#include "base/async.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "cli/args.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "model/write.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::cli {
namespace {

constexpr std::size_t kMost = 10'000;

using engine::OpenQuestion;

struct Waiting {
    Id task;
    std::string title;
    OpenQuestion question;
};

Async<std::vector<Waiting>> all_waiting(ReadOnlyHome& onlooker)
{
    std::vector<Waiting> all;
    engine::Queries& queries = onlooker.queries();
    for (const storage::TaskEntry& entry :
         co_await queries.tasks(onlooker.who(), {.open_only = true, .statuses = {"waiting"}, .limit = kMost})) {
        const auto state = co_await queries.task(onlooker.who(), entry.task);
        for (const OpenQuestion& question : state->questions) all.push_back({state->id, entry.title, question});
    }
    std::ranges::sort(all, {}, [](const Waiting& one) { return one.question.asked_at; });
    co_return all;
}

std::string since_text(Millis time)
{
    const std::string age = age_text(time);
    return age == "now" ? age : age + " ago";
}

std::string json_of(const std::vector<Waiting>& all)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("waiting").begin_array();
    for (const Waiting& one : all) {
        json.begin_object().field("task", to_string(one.task)).field("title", one.title);
        json.field("asked_at", to_iso(one.question.asked_at));
        if (one.question.due) json.field("due", to_iso(*one.question.due));
        json.key("request").raw(model::to_json_text(one.question.request)).key("commands").begin_array();
        for (const std::string& command : answer_commands(one.task, one.question.request)) json.value(command);
        json.end_array().end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

std::string page_of(const std::vector<Waiting>& all, const Output& output)
{
    const Time now = system_clock().now();
    std::string text;
    for (const Waiting& one : all) {
        std::string head = fmt::format("{}  {}", short_id(one.task), since_text(now - one.question.asked_at));
        if (one.question.due) head += fmt::format(", until {}", local_time(*one.question.due, now));
        text += output.out.paint(Tone::bold, head) + "\n";
        text += wrapped(printable(question_text(one.question.request)), 2);
        // each on a line of its own, however long: they are there to be copied
        for (const std::string& command : answer_commands(one.task, one.question.request))
            text += "  " + command + "\n";
    }
    return text;
}

int inbox(const Args&, Output& output)
{
    ReadOnlyHome onlooker;
    std::vector<Waiting> all;
    if (onlooker.has_journal()) all = onlooker.run(all_waiting(onlooker));
    output.print(output.json ? json_of(all) : page_of(all, output));
    if (!output.json && !output.quiet)
        output.complain(all.empty() ? "nothing is waiting for you\n"
                                    : plural(all.size(), "question") + ", the oldest first\n");
    return 0;
}

}  // namespace

Verb inbox_verb()
{
    return {
        .name = "inbox",
        .summary = "List what waits for a person, the oldest first",
        .text =
            "Approvals, questions and unknown outcomes of all tasks, with the command that answers each. What has a "
            "deadline says when: then the question counts as not answered, also when no cadre runs at that time.",
        .examples = {{"cadre inbox", "Everything that waits"}, {"cadre inbox --json", "The same, for programs"}},
        .run = inbox,
    };
}

}  // namespace cadre::cli
