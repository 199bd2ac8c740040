// Agent nodes: what the agent hears, and which way on it chose.
#include "patterns/graph/visit.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "patterns/react.hpp"
#include "patterns/reflection.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cctype>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using model::NodeContext;
using model::NodeWork;
using model::Role;

namespace {

constexpr std::size_t kLongestKey = 64;

void tell(Run& run, const Visit& visit, const std::string& agent, const std::string& task)
{
    run.tell_history();
    run.tell(task);
    if (!visit.node().prompt)
        if (const json::value* item = visit.def().map ? visit.names.if_contains(visit.def().map->as) : nullptr)
            run.tell(item->is_string() ? std::string(item->get_string()) : to_text(*item));
    bool is_own = false;
    for (const Heard& one : context_of(visit)) {
        is_own = one.said->role == Role::assistant && one.said->by == agent;
        if (is_own) run.tell(llm::Message{.role = Role::assistant, .text = one.said->text});
        else if (one.said->role == Role::user) run.tell(one.said->text);
        else run.tell("[" + std::string(one.node) + "] " + one.said->text);
    }
    if (is_own)
        run.tell("Continue with your task.");  // some models take their own last words as the begin of an answer
}

bool is_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
}

bool has_word(std::string_view line, std::string_view word)
{
    for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
        const bool begins = at == 0 || !is_word(line[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end == line.size() || !is_word(line[end]))) return true;
    }
    return false;
}

/// The one of the keys that stands in the last line; where none or several do, the line itself.
std::string key_in(std::string_view answer, const std::vector<std::string>& keys)
{
    const std::size_t end = answer.find_last_not_of(" \t\r\n");
    if (end == answer.npos) return "";
    answer = answer.substr(0, end + 1);
    std::string_view line = answer.substr(answer.rfind('\n') + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    std::vector<std::string> found;
    for (const std::string& key : keys) {
        if (line == key) return key;
        if (has_word(line, key)) found.push_back(key);
    }
    return found.size() == 1 ? found.front() : std::string(utf8_prefix(line, kLongestKey));
}

}  // namespace

std::string task_for(const Run& run, const Visit& visit)
{
    std::string task =
        visit.node().prompt ? visit.node().prompt->render(names_for(run, visit)) : visit.walk.setting().task;
    if (visit.node().asked_keys.empty()) return task;
    std::string keys;
    for (const std::string& key : visit.node().asked_keys) keys += (keys.empty() ? "" : ", ") + key;
    return task + "\n\nEnd your answer with a line that has one of these words and nothing else: " + keys + ".";
}

void show_state(Run& run, const Visit& visit)
{
    if (std::ranges::none_of(run.agents(), [](const Agent& agent) { return agent.prompt != nullptr; })) return;
    const text::Scope names = names_for(run, visit);
    run.set_state(std::make_shared<const json::object>(text::to_json(*names.find("state")).as_object()));
}

std::vector<Heard> context_of(const Visit& visit)
{
    const NodeContext context = visit.def().context;
    if (context == NodeContext::none) return {};
    std::vector<Heard> heard = visit.heard();
    if (context != NodeContext::full)
        std::erase_if(heard, [](const Heard& one) { return one.said->role == Role::tool; });
    if (context != NodeContext::last) return heard;
    // the last answer, and what people said to it
    const auto is_answer = [](const Heard& one) { return one.said->role == Role::assistant; };
    const auto last = std::find_if(heard.rbegin(), heard.rend(), is_answer);
    if (last != heard.rend()) heard.erase(heard.begin(), std::prev(last.base()));
    return heard;
}

Async<NodeWork> speak(Run& run, const Visit& visit)
{
    const Agent& agent = run.agent(visit.def().agent.value_or(""));
    const std::string task = task_for(run, visit);
    show_state(run, visit);
    tell(run, visit, agent.name, task);
    std::vector<std::string> calls;
    Transcript* const kept = visit.node().keeps_calls ? &calls : nullptr;
    std::string text;
    if (visit.walk.board().uses_reflection()) {
        const model::Reflection how = visit.graph().reflection.value_or(model::Reflection{});
        const Agent& critic = how.agent ? run.agent(*how.agent) : agent;
        text = co_await reflect(run, agent, critic, {.task = task, .loop = how.loop}, kept);
    } else {
        text = (co_await react_to_what_was_told(run, agent, kept)).text;
    }
    NodeWork work;
    for (std::string& call : calls)
        work.said.push_back({.by = agent.name, .role = Role::tool, .text = std::move(call)});
    if (!visit.node().asked_keys.empty()) {
        work.key = key_in(text, visit.node().asked_keys);
        work.update["routing_key"] = *work.key;
    }
    work.update["current_agent"] = agent.name;
    work.said.push_back({.by = agent.name, .text = std::move(text)});
    co_return work;
}

}  // namespace cadre::patterns
