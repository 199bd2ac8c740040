#include "patterns/reflection.hpp"

#include "base/error.hpp"
#include "engine/run.hpp"
#include "patterns/team/vote.hpp"

#include <cctype>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;

namespace {

/// The first word of a line, small, without what decorates it.
std::string first_word(std::string_view line)
{
    std::string word;
    for (const char c : line) {
        if (std::isalpha(static_cast<unsigned char>(c)))
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!word.empty()) break;
    }
    return word;
}

bool is_approval(const std::string& word)
{
    return word == "approve" || word == "approved";
}

Async<std::string> criticise(Run& run, const Agent& critic, std::string task, std::string draft)
{
    run.tell("This is an answer to the task below. If it is good, answer with the one word approve. If not, answer "
             "with the word revise, and below it what must change.\n\nTask:\n" +
             task + "\n\nAnswer:\n" + draft);
    co_return (co_await react_to_what_was_told(run, critic)).text;
}

}  // namespace

bool approves(std::string_view critique)
{
    if (const auto choice = choice_in_json(critique)) return *choice == Choice::approve;
    const std::size_t begin = critique.find_first_not_of(" \t\r\n");
    if (begin == critique.npos) return false;
    critique = critique.substr(begin, critique.find_last_not_of(" \t\r\n") + 1 - begin);
    const std::string first = first_word(critique.substr(0, critique.find('\n')));
    if (is_approval(first)) return true;
    return first != "revise" && is_approval(first_word(critique.substr(critique.rfind('\n') + 1)));
}

Async<std::string> reflect(Run& run, const Agent& writer, const Agent& critic, ReflectOptions options,
                           Transcript* calls)
{
    for (int i = 1;; ++i) {
        const std::string draft = (co_await react_to_what_was_told(run, writer, calls)).text;
        const std::string critique =
            co_await run.node("critique", [&](Run& inner) { return criticise(inner, critic, options.task, draft); });
        if (approves(critique)) co_return draft;
        if (i >= options.loop.max) {
            if (options.loop.on_limit == model::OnError::carry_on) co_return draft;
            throw Error(Code::limit,
                        "loop limit " + std::to_string(options.loop.max) + " reached at '" + critic.name + "'");
        }
        run.tell("A reviewer wants this to be changed. Give the whole answer again, changed accordingly.\n\n" +
                 critique);
    }
}

}  // namespace cadre::patterns
