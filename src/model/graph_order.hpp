// The one order of a workflow's nodes: topological, and among those that could both be next the one that `edges` mentions first.
// What nodes say and set is put together in it, so that nothing hangs on time.
#pragma once

#include "model/graph.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

/// The nodes that a way from the entry leads to, the entry first. Nodes are meant by their place in it.
struct GraphOrder {
    std::vector<std::string> names{};
    std::vector<std::vector<std::size_t>> inputs{};     // by node: those from which a way leads to it, ascending
    std::vector<std::vector<std::size_t>> followers{};  // by node: those that a way from it leads to, ascending
    std::map<std::string, std::size_t, std::less<>> places{};

    std::size_t size() const { return names.size(); }
    std::optional<std::size_t> find(std::string_view name) const;
};

/// Throws Error(invalid) for a graph with a cycle, or with an edge to what is not there: such a graph cannot be read either.
GraphOrder order_of(const Graph& graph);

/// Every node from which a way leads to `node`, ascending.
std::vector<std::size_t> ancestors(const GraphOrder& order, std::size_t node);

}  // namespace cadre::model
