// Human nodes, and consent before other nodes: what a person is asked, and what the answer does.
#include "patterns/graph/visit.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Run;
using model::HumanVerb;
using model::NodeWork;

namespace {

/// The keys that ways of the node go by.
std::vector<std::string> keys_of(const BoardNode& node)
{
    std::vector<std::string> keys;
    for (const Way& way : node.ways)
        if (!way.condition)
            for (const auto& [key, to] : way.keys) keys.push_back(key);
    return keys;
}

bool has(const std::vector<std::string>& keys, std::string_view key)
{
    return std::ranges::find(keys, key) != keys.end();
}

/// An answer that leads nowhere is refused while the question is open: where edges go by keys, it must come to one of them.
json::object rules_for(const Visit& visit, const std::vector<std::string>& keys)
{
    json::object rules = visit.walk.board().updates_schema();
    const bool is_mapped =
        std::ranges::all_of(visit.node().ways, [](const Way& way) { return !way.to && !way.condition; });
    if (visit.def().type != model::NodeType::human || keys.empty() || !is_mapped || has(keys, "*")) return rules;
    json::array allowed;
    for (const std::string& key : keys) allowed.emplace_back(key);
    rules["properties"].as_object()["routing_key"] = json::object{{"enum", std::move(allowed)}};
    if (!has(keys, wire_name(HumanVerb::approve))) rules["required"] = json::array{"routing_key"};
    return rules;
}

engine::Question question_of(const Visit& visit, std::string text)
{
    engine::Question question{.type = model::HumanRequestType::approval,
                              .agent = visit.def().agent.value_or(visit.graph().name)};
    json::object& context = question.context;
    context["node"] = visit.node().name;
    context["workflow"] = visit.graph().name;
    context["question"] = std::move(text);
    if (std::string last = last_of(visit.heard(), visit.walk.setting().last); !last.empty())
        context["text"] = std::move(last);
    const std::vector<std::string> keys = keys_of(visit.node());
    if (!keys.empty()) context["keys"] = json::value_from(keys);
    json::object state = model::to_json_value(*visit.state).as_object();
    state.erase("messages");
    context["state"] = std::move(state);
    context["updates_schema"] = rules_for(visit, keys);
    return question;
}

/// What a person added to the conversation by hand: messages as document 000 writes them, or texts.
void take_messages(json::object& update, NodeWork& work, const std::string& by)
{
    const json::value* messages = update.if_contains("messages");
    if (!messages) return;
    if (const auto* list = messages->if_array())
        for (const json::value& one : *list) {
            const json::object* object = one.if_object();
            const json::value* content = object ? object->if_contains("content") : &one;
            const json::value* role = object ? object->if_contains("role") : nullptr;
            if (!content || !content->is_string()) continue;
            const bool is_answer = role && *role == "assistant";
            work.said.push_back({.by = is_answer ? "" : by,
                                 .role = is_answer ? model::Role::assistant : model::Role::user,
                                 .text = std::string(content->get_string())});
        }
    update.erase("messages");
}

/// No: along the way that is meant for it, or the node has failed.
NodeWork refused(const Visit& visit, const model::HumanAnswer& answer, NodeWork work)
{
    const std::vector<std::string> keys = keys_of(visit.node());
    const bool is_late = answer.verb == HumanVerb::timeout;
    for (const char* key : {"timeout", "reject"}) {
        if (!is_late && std::string_view(key) == "timeout") continue;
        if (!has(keys, key)) continue;
        work.key = key;
        return work;
    }
    if (is_late) throw Error(Code::timeout, fmt::format("no answer came in time at '{}'", visit.node().name));
    throw Error(Code::forbidden, "rejected by human" + (answer.message.empty() ? "" : ": " + answer.message));
}

/// A `key` only where the answer was no.
NodeWork taken(const Visit& visit, const model::HumanAnswer& answer)
{
    NodeWork work;
    const std::string by = answer.by.value_or("user");
    if (answer.verb == HumanVerb::timeout) return refused(visit, answer, std::move(work));  // its words are ours
    if (!answer.message.empty()) work.said.push_back({.by = by, .role = model::Role::user, .text = answer.message});
    if (answer.verb == HumanVerb::reject) return refused(visit, answer, std::move(work));
    work.update = model::with_own_fields(answer.updates, visit.graph().state);
    take_messages(work.update, work, by);
    return work;
}

}  // namespace

Async<NodeWork> ask_person(Run& run, const Visit& visit)
{
    const std::string& name = visit.node().name;
    engine::Question question =
        question_of(visit, visit.node().prompt ? visit.node().prompt->render(names_for(run, visit))
                                               : "Is '" + name + "' approved?");
    if (visit.def().timeout) question.timeout = Millis(static_cast<std::int64_t>(*visit.def().timeout * 1000));
    const model::HumanAnswer answer = co_await run.ask(std::move(question));
    NodeWork work = taken(visit, answer);
    if (work.key) co_return work;
    const json::value* key = work.update.if_contains("routing_key");
    // who changes the state and says nothing else has approved
    const bool is_approval = answer.verb == HumanVerb::modify && !has(keys_of(visit.node()), wire_name(answer.verb));
    work.key = key && key->is_string() ? std::string(key->get_string())
                                       : std::string(wire_name(is_approval ? HumanVerb::approve : answer.verb));
    co_return work;
}

Async<NodeWork> ask_consent(Run& run, const Visit& visit)
{
    const model::HumanAnswer answer = co_await run.ask(question_of(visit, "May '" + visit.node().name + "' begin?"));
    co_return taken(visit, answer);
}

}  // namespace cadre::patterns
