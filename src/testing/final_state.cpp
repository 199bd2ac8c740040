#include "testing/final_state.hpp"

#include "model/graph.hpp"
#include "model/graph_order.hpp"
#include "model/graph_state.hpp"
#include "model/node_result.hpp"
#include "model/read.hpp"
#include "model/team.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace cadre::testing {

namespace {

namespace json = boost::json;

constexpr const char* kRoutingKey = "routing_key";
constexpr const char* kNextAction = "next_action";
constexpr model::ReadOptions kPinned{.ignore_unknown = true, .limits = model::kTeamLimits};

using Results = std::map<std::size_t, model::NodeResult>;  // by place in the order

/// Of its own nodes; those of workflows in it have told theirs what they did.
Results results_in(std::span<const storage::Record> records, const model::GraphOrder& order)
{
    Results results;
    for (const storage::Record& record : records)
        if (const auto place = order.find(record.path); place && record.kind == storage::RecordKind::node_done)
            results[*place] = model::from_text<model::NodeResult>(record.body, kPinned);
    return results;
}

std::vector<std::size_t> places_of(const std::vector<std::string>& names, const model::GraphOrder& order)
{
    std::vector<std::size_t> places;
    for (const std::string& name : names)
        if (const auto place = order.find(name)) places.push_back(*place);
    return places;
}

/// Those behind which nothing was executed.
std::vector<std::size_t> ends_of(const Results& results, const model::GraphOrder& order)
{
    std::vector<std::size_t> ends;
    for (const auto& [place, result] : results) {
        const auto next = places_of(result.next, order);
        if (std::ranges::none_of(next, [&](std::size_t one) { return results.contains(one); })) ends.push_back(place);
    }
    return ends;
}

}  // namespace

std::vector<std::string> state_fields(const std::string& setup)
{
    const auto graph = model::from_text<model::WorkflowSetup>(setup, kPinned).graph;
    std::vector<std::string> names{kRoutingKey, kNextAction};
    for (const auto& [name, field] : graph.state) names.push_back(name);
    return names;
}

json::object final_state(const std::string& setup, const json::object& inputs, std::span<const storage::Record> records)
{
    const model::Graph graph = model::from_text<model::WorkflowSetup>(setup, kPinned).graph;
    const model::GraphOrder order = model::order_of(graph);
    const Results results = results_in(records, order);
    std::vector<model::Executed> executed(order.size());
    for (const auto& [place, result] : results)
        executed[place] = {.counted = places_of(result.after, order), .update = &result.work.update};
    const json::object update = model::update_of(graph, order, executed, ends_of(results, order));
    const model::State state = model::updated(model::initial_state(graph, inputs), update, graph.state);
    json::object fields = state.metadata;
    if (state.routing_key) fields[kRoutingKey] = *state.routing_key;
    if (state.next_action) fields[kNextAction] = *state.next_action;
    return fields;
}

}  // namespace cadre::testing
