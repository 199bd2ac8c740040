#include "model/graph_check.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "model/graph.hpp"
#include "model/names.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>

namespace cadre::model {

namespace {

// ---- fields and types of nodes ----

/// A field that means something only for nodes of some types.
struct TypedField {
    std::string_view name;
    bool (*given)(const NodeDef&);
    std::initializer_list<NodeType> types;
};

using enum NodeType;
const TypedField kTypedFields[] = {
    {"agent", [](const NodeDef& node) { return node.agent.has_value(); }, {agent, loop, map}},
    {"tool", [](const NodeDef& node) { return node.tool.has_value(); }, {tool, loop, map}},
    {"prompt", [](const NodeDef& node) { return node.prompt.has_value(); }, {agent, human, loop, map, workflow, team}},
    {"context", [](const NodeDef& node) { return node.context != NodeContext::answers; }, {agent, loop, map, team}},
    {"args", [](const NodeDef& node) { return !node.args.empty(); }, {tool, loop, map}},
    {"output",
     [](const NodeDef& node) { return node.output.has_value(); },
     {agent, tool, human, loop, map, workflow, team}},
    {"timeout",
     [](const NodeDef& node) { return node.timeout.has_value(); },
     {agent, tool, human, loop, map, workflow, team}},
    {"retry", [](const NodeDef& node) { return node.retry.has_value(); }, {agent, tool, loop, map, workflow, team}},
    {"on_error",
     [](const NodeDef& node) { return node.on_error != OnError::fail; },
     {agent, tool, human, loop, map, workflow, team}},
    {"loop", [](const NodeDef& node) { return node.loop.has_value(); }, {loop}},
    {"map", [](const NodeDef& node) { return node.map.has_value(); }, {map}},
    {"workflow", [](const NodeDef& node) { return node.workflow.has_value(); }, {workflow}},
    {"pattern", [](const NodeDef& node) { return node.pattern.has_value(); }, {team}},
};

/// What is accepted and never looked at misleads whoever wrote it.
void check_fields(const NodeDef& node, const Path& path, Problems& errors)
{
    for (const TypedField& field : kTypedFields) {
        if (!field.given(node) || std::ranges::find(field.types, node.type) != field.types.end()) continue;
        std::vector<std::string_view> types;
        for (const NodeType type : field.types) types.push_back(wire_name(type));
        const std::string fit = fmt::format("{}{}{}", fmt::join(types.begin(), types.end() - 1, ", "),
                                            types.size() > 1 ? " or " : "", types.back());
        errors.add(Path(path, field.name),
                   fmt::format("means something only for a node of type {}; this one is of type {}: remove it", fit,
                               wire_name(node.type)));
    }
}

/// Exactly one of an agent, a tool and a workflow.
void check_body(const NodeDef& node, const Path& path, Problems& errors)
{
    const bool is_loop = node.type == NodeType::loop && node.loop;
    const bool is_map = node.type == NodeType::map && node.map;
    if (!is_loop && !is_map) return;
    const auto& nested = is_loop ? node.loop->workflow : node.map->workflow;
    const int bodies = (node.agent ? 1 : 0) + (node.tool ? 1 : 0) + (nested ? 1 : 0);
    const Path own(path, is_loop ? "loop" : "map");
    if (bodies == 0)
        errors.add(own, "has no body; name what is repeated: agent or tool at the node, or workflow in here");
    if (bodies > 1) errors.add(own, "has more than one body; keep one of the node's agent, its tool, and workflow");
    if (node.prompt && node.tool) errors.add(Path(path, "prompt"), "is not for a tool; write args, or remove it");
    if (node.context != NodeContext::answers && !node.agent)
        errors.add(Path(path, "context"), "is for an agent, and the node has none; remove it");
    if (!node.args.empty() && !node.tool)
        errors.add(Path(path, "args"), "are for a tool, and the node has none; remove them");
    if (is_map && node.map->k && node.map->policy != JoinPolicy::quorum)
        errors.add(Path(own, "k"), "is for the policy quorum; write that, or remove it");
}

// ---- what nodes write ----

constexpr std::string_view kOwnFields[] = {"routing_key", "next_action"};

void expect_field(const Graph& graph, std::string_view name, const Path& path, Problems& errors)
{
    if (graph.state.find(name) || std::ranges::find(kOwnFields, name) != std::end(kOwnFields)) return;
    std::vector<std::string> known(std::begin(kOwnFields), std::end(kOwnFields));
    for (const auto& [field, schema] : graph.state) known.push_back(field);
    std::string fix = errors.suggestion(name, known);
    if (fix.empty()) fix = "; declare it under state";
    errors.add(path, ProblemKind::unknown_name,
               fmt::format("{} is not a field of this workflow's state{}", in_quotes(name), fix));
}

void check_targets(const Graph& graph, const NodeDef& node, const Path& path, Problems& errors)
{
    if (node.output) expect_field(graph, *node.output, Path(path, "output"), errors);
    const Path set(path, "set");
    for (const auto& [field, expression] : node.set) expect_field(graph, field, Path(set, field), errors);
    const Path own(path, "map");
    if (node.map && node.map->into) expect_field(graph, *node.map->into, Path(own, "into"), errors);
}

// ---- joins ----

/// How many edges lead to each node.
std::map<std::string_view, int> count_ways_in(const Graph& graph)
{
    std::map<std::string_view, int> ways;
    for (const EdgeDef& edge : graph.edges) {
        const auto all = targets(edge);
        for (const std::string_view target : std::set<std::string_view>(all.begin(), all.end())) ++ways[target];
    }
    return ways;
}

void check_join(const Graph& graph, const NodeDef& node, int ways, const Path& path, Problems& errors)
{
    if (!node.join) return;
    const Join& join = *node.join;
    const Path own(path, "join");
    if (join.policy == JoinPolicy::quorum && join.k && *join.k > ways)
        errors.add(Path(own, "k"), fmt::format("is {}, and only {} here; lower it, or add edges", *join.k,
                                               ways == 1 ? "1 edge leads" : fmt::format("{} edges lead", ways)));
    if (join.policy != JoinPolicy::quorum && join.k)
        errors.add(Path(own, "k"), "is for the policy quorum; write that, or remove it");
    const Path winners(own, "winner");
    for (const auto& [field, winner] : join.winner) {
        const Path one(winners, field);
        expect_field(graph, field, one, errors);
        if (!graph.nodes.find(winner))
            errors.add(one, ProblemKind::unknown_name, in_quotes(winner) + " is not a node of this workflow");
    }
}

// ---- the whole ----

/// What a node takes of max_iterations at least: itself and its first call. What may not happen at all costs nothing.
int least_cost(const NodeDef& node)
{
    switch (node.type) {
    case NodeType::agent:
    case NodeType::tool: return 2;
    case NodeType::condition:
    case NodeType::human:
    case NodeType::loop:
    case NodeType::map:
    case NodeType::workflow:
    case NodeType::team: break;
    }
    return 0;
}

/// The fewest iterations from the entry to a node that nothing follows. Edges are relaxed in the order of their depths, which is found
/// by counting ways in.
int shortest_way(const Graph& graph)
{
    constexpr int kNever = std::numeric_limits<int>::max();
    std::map<std::string_view, std::vector<std::string_view>> ways;
    std::map<std::string_view, int> open, least;
    for (const auto& [name, node] : graph.nodes) open[name] = 0, least[name] = kNever;
    for (const EdgeDef& edge : graph.edges)
        for (const std::string_view to : targets(edge)) ways[edge.from].push_back(to), ++open[to];
    std::vector<std::string_view> ready;
    for (const auto& [name, count] : open)
        if (count == 0) ready.push_back(name);
    least[graph.entry] = 0;
    int shortest = kNever;
    while (!ready.empty()) {
        const std::string_view at = ready.back();
        ready.pop_back();
        const int here = least[at] == kNever ? kNever : least[at] + least_cost(*graph.nodes.find(at));
        const auto& on = ways[at];
        if (on.empty()) shortest = std::min(shortest, here);
        for (const std::string_view to : on) {
            least[to] = std::min(least[to], here);
            if (--open[to] == 0) ready.push_back(to);
        }
    }
    return shortest == kNever ? 0 : shortest;
}

void check_dead_ends(const Graph& graph, const Path& path, Problems& errors)
{
    std::set<std::string_view> left;
    for (const EdgeDef& edge : graph.edges) left.insert(edge.from);
    for (const auto& [name, node] : graph.nodes)
        if (node.type == NodeType::condition && !left.contains(name))
            errors.add(Path(path, name), "chooses between ways, and no edge leads on from it; add one, or remove it");
}

void check_reflection(const Graph& graph, Problems& errors)
{
    const Path root;
    const bool reflects = std::ranges::find(graph.patterns, "reflection") != graph.patterns.end();
    if (graph.reflection && !reflects)
        errors.add(Path(root, "reflection"),
                   "means something only if patterns name reflection; add it there, or remove this");
}

}  // namespace

void check_workflow(const Graph& graph, Problems& errors, Problems& warnings)
{
    const Path root;
    const Path nodes(root, "nodes");
    const auto ways_in = count_ways_in(graph);
    for (const auto& [name, node] : graph.nodes) {
        const Path path(nodes, name);
        if (!is_node_name(name))
            errors.add(path,
                       fmt::format("is not a node's name: at most {} letters, digits, '.', '_' and '-', and a letter "
                                   "or '_' first",
                                   kLongestNodeName));
        check_fields(node, path, errors);
        check_body(node, path, errors);
        check_targets(graph, node, path, errors);
        const auto ways = ways_in.find(name);
        check_join(graph, node, ways == ways_in.end() ? 0 : ways->second, path, errors);
    }
    check_dead_ends(graph, nodes, errors);
    check_reflection(graph, errors);
    if (const int least = shortest_way(graph); least > graph.max_iterations)
        errors.add(
            Path(root, "max_iterations"),
            fmt::format("is {}, and the shortest way through the workflow takes {}, two for each agent and tool; "
                        "raise it",
                        graph.max_iterations, least));
    check_writes(graph, errors, warnings);
}

}  // namespace cadre::model
