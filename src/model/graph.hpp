// Graph: the nodes of a workflow and the ways between them; document 000 calls it Workflow, and these are its names.
// It is always acyclic: loops live, bounded, inside a node (C-04).
#pragma once

#include "model/state.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

enum class NodeType : std::uint8_t { agent, tool, condition, human };
std::span<const EnumName> names_of(const NodeType*);

struct NodeDef {
    NodeType type = NodeType::agent;
    std::optional<std::string> agent{};
    std::optional<std::string> tool{};
    boost::json::object ext{};

    bool operator==(const NodeDef&) const = default;
};
const Entity& describe(const NodeDef*);

struct EdgeDef {
    std::string from{};
    boost::json::value to{};  // text, or an object of text: routing key to node
    std::optional<std::string> condition{};

    bool operator==(const EdgeDef&) const = default;
};
const Entity& describe(const EdgeDef*);

struct Graph {
    std::string name{};
    std::vector<std::string> patterns{};
    Dict<NodeDef> nodes{};
    std::vector<EdgeDef> edges{};
    std::string entry{};
    std::vector<std::string> hitl_nodes{};  // `checkpoints` on the wire, a word that means something else here (C-14)
    int max_iterations = 50;
    Dict<StateField> state{};
    boost::json::object ext{};

    bool operator==(const Graph&) const = default;
};
const Entity& describe(const Graph*);

/// Every node that the edge can lead to, in the order in which it names them.
std::vector<std::string_view> targets(const EdgeDef& edge);
/// Where the edge leads with that routing key; nothing if its mapping does not have it.
std::optional<std::string> find_target(const EdgeDef& edge, std::string_view routing_key);

/// One closed walk, its first node repeated at the end; nothing in a graph that may be loaded.
std::optional<std::vector<std::string>> find_cycle(const Graph& graph);
/// Nodes that no way from the entry leads to. Not an error: whoever loads the file says it aloud.
std::vector<std::string> unreachable_nodes(const Graph& graph);

}  // namespace cadre::model
