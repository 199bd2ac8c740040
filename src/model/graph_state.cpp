#include "model/graph_state.hpp"

#include "base/error.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::model {

namespace json = boost::json;

namespace {

constexpr std::string_view kOfTheState[] = {"messages", "next_action", "current_agent", "routing_key", "metadata"};

const json::object* metadata_of(const json::object& update)
{
    const json::value* metadata = update.if_contains("metadata");
    return metadata ? metadata->if_object() : nullptr;
}

bool is_put_together(const Dict<StateField>& declared, std::string_view field)
{
    const StateField* found = declared.find(field);
    return found && found->reducer != Reducer::replace;
}

/// What a join's `winner` takes from the others: for each field of it, the nodes whose update of it does not count.
using Losers = std::map<std::string, std::vector<std::size_t>, std::less<>>;

void add_losers(Losers& losers, const Graph& graph, const GraphOrder& order, std::span<const Executed> executed,
                std::size_t join, std::span<const std::size_t> counted)
{
    const NodeDef* node = graph.nodes.find(order.names[join]);
    if (!node->join || node->join->winner.empty()) return;
    const std::vector<std::size_t> before = executed_before(counted, executed);
    for (const auto& [field, name] : node->join->winner) {
        const auto winner = order.find(name);
        if (!winner || !std::ranges::binary_search(before, *winner)) continue;
        for (const std::size_t other : before)
            if (other != *winner) losers[field].push_back(other);
    }
}

/// The update without the fields that others win.
json::object without(const json::object& update, const Losers& losers, std::size_t node)
{
    json::object rest = update;
    json::value* metadata = rest.if_contains("metadata");
    for (const auto& [field, nodes] : losers) {
        if (std::ranges::find(nodes, node) == nodes.end()) continue;
        if (std::ranges::find(kOfTheState, field) != std::end(kOfTheState)) rest.erase(field);
        else if (metadata && metadata->is_object()) metadata->get_object().erase(field);
    }
    return rest;
}

/// Of each field whose updates replace each other, who set it last so far.
using Writers = std::map<std::string, std::size_t, std::less<>>;

void expect_one_writer(Writers& writers, const GraphOrder& order, std::span<const Executed> executed,
                       std::string_view field, std::size_t node)
{
    const auto [writer, is_new] = writers.try_emplace(std::string(field), node);
    if (is_new) return;
    const auto before = executed_before(executed[node].counted, executed);
    if (!std::ranges::binary_search(before, writer->second))
        throw Error(Code::invalid,
                    fmt::format("field {} was set by both {} and {}; say under join.winner whose value counts", field,
                                order.names[writer->second], order.names[node]));
    writer->second = node;
}

/// What counts of the updates of these nodes, in order.
template <class F>
void for_each_update(const Graph& graph, const GraphOrder& order, std::span<const Executed> executed,
                     std::span<const std::size_t> nodes, Losers losers, F take)
{
    for (const std::size_t one : nodes) add_losers(losers, graph, order, executed, one, executed[one].counted);
    Writers writers;
    for (const std::size_t one : nodes) {
        if (!executed[one].update || executed[one].update->empty()) continue;
        const json::object update = without(*executed[one].update, losers, one);
        if (const json::object* metadata = metadata_of(update))
            for (const auto& field : *metadata)
                if (!is_put_together(graph.state, field.key()))
                    expect_one_writer(writers, order, executed, field.key(), one);
        if (update.contains("next_action")) expect_one_writer(writers, order, executed, "next_action", one);
        take(update);
    }
}

}  // namespace

State initial_state(const Graph& graph, const json::object& given)
{
    State state;
    for (const auto& [name, field] : graph.state) {
        const json::value* value = given.if_contains(name);
        if (!value) value = field.schema.if_contains("default");
        if (value) state.metadata[name] = *value;
    }
    return state;
}

json::object with_own_fields(json::object update, const Dict<StateField>& declared)
{
    json::object own;
    if (const json::object* metadata = metadata_of(update)) own = *metadata;
    json::object rest;
    for (auto& member : update) {
        if (declared.find(member.key())) own[member.key()] = std::move(member.value());
        else if (member.key() != "metadata") rest[member.key()] = std::move(member.value());
    }
    if (!own.empty()) rest["metadata"] = std::move(own);
    return rest;
}

json::object composed(json::object update, const json::object& next, const Dict<StateField>& declared)
{
    for (const auto& member : next) {
        const json::object* fields = member.key() == "metadata" ? member.value().if_object() : nullptr;
        if (!fields) {
            update[member.key()] = member.value();
            continue;
        }
        json::value& metadata = update["metadata"];
        if (!metadata.is_object()) metadata = json::object();
        json::object& own = metadata.get_object();
        for (const auto& field : *fields) {
            const StateField* known = declared.find(field.key());
            json::value& value = own[field.key()];
            value = known ? reduced(known->reducer, value, field.value()) : field.value();
        }
    }
    return update;
}

std::vector<std::size_t> executed_before(std::span<const std::size_t> counted, std::span<const Executed> executed)
{
    if (counted.empty()) return {};
    const std::size_t end = std::ranges::max(counted) + 1;
    std::vector<bool> found(end);
    for (const std::size_t node : counted) found[node] = true;
    for (std::size_t i = end; i-- > 0;)
        if (found[i])
            for (const std::size_t input : executed[i].counted) found[input] = true;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < end; ++i)
        if (found[i]) all.push_back(i);
    return all;
}

State state_at(const Graph& graph, const GraphOrder& order, State initial, std::span<const Executed> executed,
               std::size_t node, std::span<const std::size_t> counted)
{
    const std::vector<std::size_t> before = executed_before(counted, executed);
    Losers losers;
    add_losers(losers, graph, order, executed, node, counted);
    for_each_update(graph, order, executed, before, std::move(losers),
                    [&](const json::object& update) { initial = updated(std::move(initial), update, graph.state); });
    return initial;
}

json::object update_of(const Graph& graph, const GraphOrder& order, std::span<const Executed> executed,
                       std::span<const std::size_t> ends)
{
    json::object all;
    for_each_update(graph, order, executed, executed_before(ends, executed), {},
                    [&](const json::object& update) { all = composed(std::move(all), update, graph.state); });
    return all;
}

}  // namespace cadre::model
