// Graph: the nodes of a workflow and the ways between them; document 000 calls it Workflow, and these are its names.
// It is always acyclic: loops live, bounded, inside a node (C-04).
#pragma once

#include "model/node.hpp"
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

/// Which end of a node an edge follows.
enum class EdgeOn : std::uint8_t { ok, error };
std::span<const EnumName> names_of(const EdgeOn*);

struct EdgeDef {
    std::string from{};
    boost::json::value to{};  // text, or an object of text: routing key to node
    std::optional<std::string> condition{};
    EdgeOn on = EdgeOn::ok;

    bool operator==(const EdgeDef&) const = default;
};
const Entity& describe(const EdgeDef*);

struct ReflectionLoop {
    int max = 3;  // drafts
    OnError on_limit = OnError::fail;

    bool operator==(const ReflectionLoop&) const = default;
};
const Entity& describe(const ReflectionLoop*);

/// Who looks at the answers of agent nodes where `patterns` names reflection, and how often they are revised.
struct Reflection {
    std::optional<std::string> agent{};  // nothing: the one who wrote it
    ReflectionLoop loop{};

    bool operator==(const Reflection&) const = default;
};
const Entity& describe(const Reflection*);

struct Graph {
    std::string name{};
    std::vector<std::string> patterns{};
    Dict<NodeDef> nodes{};
    std::vector<EdgeDef> edges{};
    std::string entry{};
    std::vector<std::string> hitl_nodes{};  // `checkpoints` on the wire, a word that means something else here (C-14)
    int max_iterations = 50;
    Dict<StateField> state{};
    std::optional<Reflection> reflection{};
    boost::json::object ext{};

    bool operator==(const Graph&) const = default;
};
const Entity& describe(const Graph*);

/// What a task of a workflow is pinned to: the workflow and all that it names, whatever becomes of the files.
struct WorkflowSetup {
    Graph graph{};
    Dict<Graph> nested{};  // by name, also those that nested ones name

    bool operator==(const WorkflowSetup&) const = default;
};
const Entity& describe(const WorkflowSetup*);

/// Every node that the edge can lead to, in the order in which it names them.
std::vector<std::string_view> targets(const EdgeDef& edge);
/// Where the edge leads with that routing key; nothing if its mapping does not have it.
std::optional<std::string> find_target(const EdgeDef& edge, std::string_view routing_key);

/// One closed walk, its first node repeated at the end; nothing in a graph that may be loaded.
std::optional<std::vector<std::string>> find_cycle(const Graph& graph);
/// Nodes that no way from the entry leads to. Not an error: whoever loads the file says it aloud.
std::vector<std::string> unreachable_nodes(const Graph& graph);

}  // namespace cadre::model
