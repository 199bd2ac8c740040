// The state of a running workflow, as each of its nodes sees it: a function of what was executed before it, never of time.
#pragma once

#include "model/graph_order.hpp"
#include "model/state.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace cadre::model {

/// The declared fields that `given` has, and the `default` of the schemas of those that it does not.
State initial_state(const Graph& graph, const boost::json::object& given);

/// An update as people write it, where the workflow's own fields may stand beside the state's: they are moved into `metadata`.
boost::json::object with_own_fields(boost::json::object update, const Dict<StateField>& declared);

/// `next` put onto `update`: one update that does what both do, one after the other.
boost::json::object composed(boost::json::object update, const boost::json::object& next,
                             const Dict<StateField>& declared);

/// A node that was executed.
struct Executed {
    std::vector<std::size_t> counted{};           // the nodes before it that it went with
    const boost::json::object* update = nullptr;  // what it did to the state; null: it was not executed
};

/// Every node that was executed before one that goes with `counted`, ascending. `executed` is by place in the order.
std::vector<std::size_t> executed_before(std::span<const std::size_t> counted, std::span<const Executed> executed);

/// The state that `node`, which goes with `counted`, begins with: the initial one, then the updates of all that was executed before
/// it, in their order. Where a join says who wins a field, only the winner's update of it counts. Throws Error(invalid) when two
/// nodes, of which neither came before the other, have set a field whose updates cannot be put together.
State state_at(const Graph& graph, const GraphOrder& order, State initial, std::span<const Executed> executed,
               std::size_t node, std::span<const std::size_t> counted);

/// One update that does to a state what `ends` and all that was executed before them did, by the same rules.
boost::json::object update_of(const Graph& graph, const GraphOrder& order, std::span<const Executed> executed,
                              std::span<const std::size_t> ends);

}  // namespace cadre::model
