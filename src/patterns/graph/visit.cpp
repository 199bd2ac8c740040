#include "patterns/graph/visit.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace cadre::patterns {

using engine::Run;
using model::EdgeOn;
using model::NodeType;
using model::NodeWork;

namespace {

Millis millis_of(double seconds)
{
    return Millis(static_cast<std::int64_t>(seconds * 1000));
}

// ---- doing it ----

Async<NodeWork> act(Run& run, const Visit& visit)
{
    const model::NodeDef& def = visit.def();
    NodeWork work;
    switch (def.type) {
    case NodeType::agent: work = co_await speak(run, visit); break;
    case NodeType::tool: work = co_await call_tool(run, visit); break;
    case NodeType::condition: break;
    case NodeType::human: work = co_await ask_person(run, visit); break;
    case NodeType::loop: co_return co_await repeat(run, visit);
    case NodeType::map: work = co_await for_each(run, visit); break;
    case NodeType::workflow: work = co_await run_nested(run, visit, def.workflow.value_or("")); break;
    case NodeType::team: work = co_await work_together(run, visit); break;
    }
    set_fields(run, visit, work);
    co_return work;
}

/// A person's patience is the question's own limit.
Async<NodeWork> act_in_time(Run& run, const Visit& visit)
{
    const auto& limit = visit.def().timeout;
    if (!limit || visit.def().type == NodeType::human) co_return co_await act(run, visit);
    auto work = co_await run.within(millis_of(*limit), [&visit](Run& inner) { return act(inner, visit); });
    if (!work) throw Error(Code::timeout, fmt::format("node '{}' took longer than {} s", visit.node().name, *limit));
    co_return std::move(*work);
}

/// What ran into a limit would do so again.
bool is_worth_another_try(Code code)
{
    return code != Code::limit && code != Code::timeout;
}

Async<NodeWork> attempts(Run& run, const Visit& visit)
{
    const auto& retry = visit.def().retry;
    if (!retry) co_return co_await act_in_time(run, visit);
    for (int i = 1;; ++i) {
        try {
            co_return co_await run.node("try", [&visit](Run& inner) { return act_in_time(inner, visit); });
        } catch (const Error& error) {
            if (i >= retry->max || !is_worth_another_try(error.code())) throw;
        }
        co_await run.sleep(millis_of(retry->delay));
    }
}

void put_before(NodeWork& work, NodeWork first, const model::Dict<model::StateField>& declared)
{
    first.said.insert(first.said.end(), work.said.begin(), work.said.end());
    work.said = std::move(first.said);
    work.update = model::composed(std::move(first.update), work.update, declared);
}

/// Conditions that only choose do nothing.
bool has_work(const Visit& visit)
{
    return visit.def().type != NodeType::condition || visit.node().asks_before || !visit.node().set.empty() ||
           visit.def().output;
}

Async<NodeWork> with_consent(Run& run, const Visit& visit)
{
    if (!visit.node().asks_before) co_return co_await attempts(run, visit);
    NodeWork given = co_await ask_consent(run, visit);
    if (given.key) co_return given;
    Visit changed = visit;
    if (!given.update.empty())
        changed.state = std::make_shared<const model::State>(updated(*visit.state, given.update, visit.graph().state));
    changed.own.insert(changed.own.end(), given.said.begin(), given.said.end());
    NodeWork work = co_await attempts(run, changed);
    put_before(work, std::move(given), visit.graph().state);
    co_return work;
}

// ---- what follows ----

std::string key_text(const text::Value& value)
{
    if (value.is(text::Value::Kind::string)) return value.text();
    return to_text(to_json(value));
}

std::vector<std::size_t> ways_on(const Visit& at, EdgeOn on, const std::string& key, const text::Scope& names)
{
    std::vector<std::size_t> found;
    for (const Way& way : at.node().ways) {
        if (way.on != on) continue;
        std::optional<std::size_t> to = way.to;
        if (!way.to) to = way.find(way.condition ? key_text(way.condition->evaluate(names)) : key);
        else if (way.condition && !way.condition->truth(names)) to.reset();
        if (to && std::ranges::find(found, *to) == found.end()) found.push_back(*to);
    }
    std::ranges::sort(found);
    return found;
}

/// Only where something has to be computed: most ways are plain.
bool has_conditions(const BoardNode& node)
{
    return std::ranges::any_of(node.ways, [](const Way& way) { return way.condition.has_value(); });
}

/// A condition that leads nowhere is a mistake; other nodes may be the end of their arm.
void expect_way(const BoardNode& node, const std::string& key)
{
    if (node.def->type != NodeType::condition || node.ways.empty()) return;
    std::string keys;
    for (const Way& way : node.ways)
        for (const auto& [name, to] : way.keys) keys += (keys.empty() ? "" : ", ") + name;
    if (keys.empty()) throw Error(Code::invalid, fmt::format("no condition of '{}' is true", node.name));
    throw Error(Code::invalid, fmt::format("condition '{}' leads nowhere with the routing key {}; it has {}", node.name,
                                           in_quotes(key), keys));
}

/// Another node may be the end of its arm, but whoever wrote an edge should hear why it was not taken.
std::optional<std::string> dead_end_of(const BoardNode& node, const std::string& key)
{
    std::string keys;
    bool has_edge = false;
    for (const Way& way : node.ways) {
        has_edge = has_edge || way.on == EdgeOn::ok;
        if (way.on == EdgeOn::ok && !way.condition)
            for (const auto& [name, to] : way.keys) keys += (keys.empty() ? "" : ", ") + name;
    }
    if (!has_edge) return std::nullopt;
    if (keys.empty()) return fmt::format("the workflow ends at '{}': no condition of its edges is true", node.name);
    return fmt::format("the workflow ends at '{}': its edges lead on for {}, and the routing key is {}", node.name,
                       keys, key.empty() ? "not set" : in_quotes(key));
}

/// Of the state behind the node, what its record does not tell otherwise.
void record_state(const Visit& at, const model::State& behind, model::NodeResult& result)
{
    const auto& join = at.def().join;
    const json::value* metadata = result.work.update.if_contains("metadata");
    const json::object* fields = metadata ? metadata->if_object() : nullptr;
    const auto& declared = at.graph().state;
    const bool is_plain =
        !fields || std::ranges::all_of(*fields, [&](const auto& one) { return declared.find(one.key()); });
    if (at.counted.size() != 1 || (join && !join->winner.empty()) || !is_plain) {
        result.state = model::to_json_value(behind).as_object();
        result.state.erase("messages");
    } else if (fields) {
        for (const auto& field : *fields)
            if (const json::value* now = behind.metadata.if_contains(field.key()); now && *now != field.value())
                result.reduced[field.key()] = *now;
    }
}

/// In a fork of the task, what it was told to change behind this node.
std::optional<std::string> take_override(const Run& run, const Visit& at, NodeWork& work)
{
    const json::value* after = run.overrides().if_contains("after");
    const json::value* update = run.overrides().if_contains("update");
    const std::string_view path = std::string_view(run.scope()).substr(0, run.scope().size() - 1);
    if (!after || !after->is_string() || !update || !update->is_object()) return std::nullopt;
    if (std::string_view(after->get_string()) != path) return std::nullopt;
    const auto& declared = at.graph().state;
    const json::object own = model::with_own_fields(update->get_object(), declared);
    work.update = model::composed(std::move(work.update), own, declared);
    const json::value* key = own.if_contains("routing_key");
    return key && key->is_string() ? std::optional<std::string>(key->get_string()) : std::nullopt;
}

model::NodeResult ended(const Run& run, const Visit& at, NodeWork work, const std::exception_ptr& failure)
{
    model::NodeResult result;
    auto state = at.state;
    if (failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const Error& error) {
            result.error = error.what();
        }
    }
    const auto other_key = take_override(run, at, work);
    if (!work.update.empty())
        state = std::make_shared<const model::State>(updated(*at.state, work.update, at.graph().state));
    std::string key = state->routing_key.value_or("");
    if (work.key) key = *work.key;
    if (other_key) key = *other_key;

    text::Scope names;
    if (has_conditions(at.node())) {
        Visit behind = at;
        behind.state = state;
        names = names_for(run, behind, &work);
        if (result.error) names.set("error", *result.error);
    }
    std::vector<std::size_t> next;
    if (failure) next = ways_on(at, EdgeOn::error, key, names);
    const bool goes_on = failure && at.def().on_error == model::OnError::carry_on;
    if (!failure || (next.empty() && goes_on)) next = ways_on(at, EdgeOn::ok, key, names);
    if (failure && next.empty() && !goes_on) std::rethrow_exception(failure);
    if (next.empty()) expect_way(at.node(), key);
    if (next.empty()) result.dead_end = dead_end_of(at.node(), key);

    for (const std::size_t place : next) result.next.push_back(at.walk.name(place));
    for (const std::size_t place : at.counted) result.after.push_back(at.walk.name(place));
    result.work = std::move(work);
    record_state(at, *state, result);
    return result;
}

/// Every failure says where, once: the innermost node knows best.
[[noreturn]] void throw_with_place(const Error& error, const std::string& scope)
{
    const std::string text = error.what();
    const std::string_view path = std::string_view(scope).substr(0, scope.size() - 1);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (const std::string& said :
         {fmt::format("'{}'", name), std::string(" at '"), std::string(" at \""), std::string("(node '")})
        if (text.find(said) != text.npos) throw;
    throw Error(error.code(), fmt::format("{} (node '{}')", text, path), error.hint());
}

}  // namespace

std::vector<Heard> Visit::heard() const
{
    std::vector<Heard> all = walk.heard_at(counted);
    for (const model::Said& said : own) all.push_back({node().name, &said});
    return all;
}

Async<model::NodeResult> visit(Run& run, const Walk& walk, std::size_t place, std::vector<std::size_t> counted)
{
    std::ranges::sort(counted);
    try {
        Visit at{.walk = walk, .place = place, .counted = std::move(counted)};
        at.state = walk.state_at(place, at.counted);
        NodeWork work;
        std::exception_ptr failure;
        try {
            if (has_work(at)) work = co_await with_consent(run, at);
        } catch (const Error&) {
            failure = std::current_exception();
        }
        co_return ended(run, at, std::move(work), failure);
    } catch (const Error& error) {
        throw_with_place(error, run.scope());
    }
}

}  // namespace cadre::patterns
