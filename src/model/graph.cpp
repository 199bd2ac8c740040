#include "model/graph.hpp"

#include "base/error.hpp"
#include "model/cycle.hpp"
#include "model/describe.hpp"
#include "model/known_names.hpp"
#include "model/providers.hpp"
#include "model/schema_version.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::model {

namespace json = boost::json;

namespace {

/// Loops inside of a node, bounded (C-04).
constexpr std::string_view kPatterns[] = {"react", "reflection"};

std::vector<Arc> arcs_of(const Graph& graph)
{
    std::vector<Arc> arcs;
    for (const EdgeDef& edge : graph.edges)
        for (std::string_view target : targets(edge)) arcs.push_back({edge.from, target});
    return arcs;
}

void check_edge(const EdgeDef& edge, const Path& path, Problems& problems)
{
    const Path to(path, "to");
    if (edge.to.is_string()) return;
    const json::object* mapping = edge.to.if_object();
    if (!mapping) return problems.add(to, "must be the name of a node, or an object from routing keys to nodes");
    if (mapping->empty()) problems.add(to, "must name at least one node");
    for (const auto& member : *mapping)
        if (!member.value().is_string()) problems.add(Path(to, member.key()), "must be the name of a node");
}

void check_patterns(const Graph& graph, const Path& path, Problems& problems)
{
    const Path list(path, "patterns");
    const std::vector<std::string> known(std::begin(kPatterns), std::end(kPatterns));
    for (std::size_t i = 0; i < graph.patterns.size(); ++i) {
        if (std::ranges::find(known, graph.patterns[i]) != known.end()) continue;
        std::string fix = problems.suggestion(graph.patterns[i], known);
        if (fix.empty()) fix = fmt::format("; these are: {}", fmt::join(known, ", "));
        problems.add(Path(list, i), ProblemKind::unknown_name,
                     fmt::format("unknown pattern {}{}", in_quotes(graph.patterns[i]), fix));
    }
}

/// What check_patterns() wants.
const std::string& pattern_schema()
{
    static const std::string text =
        fmt::format(R"({{"properties":{{"patterns":{{"items":{{{},"or_variable":true}}}}}}}})", enum_of(kPatterns));
    return text;
}

void check_graph(const Graph& graph, const Path& path, Problems& problems)
{
    std::vector<std::string> names;
    for (const auto& [name, node] : graph.nodes) names.push_back(name);
    const KnownNames known(std::move(names), Path(path, "nodes"), {}, problems);
    auto expect = [&](std::string_view name, const Path& here) {
        if (known.lack(name, here))
            known.report(name, here, in_quotes(name) + " is not a node of this workflow",
                         "define it under nodes, or name one of them");
    };
    expect(graph.entry, Path(path, "entry_point"));
    const Path edges(path, "edges");
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const Path edge(edges, i);
        expect(graph.edges[i].from, Path(edge, "from"));
        for (const std::string_view target : targets(graph.edges[i])) expect(target, Path(edge, "to"));
    }
    const Path stops(path, "checkpoints");
    for (std::size_t i = 0; i < graph.hitl_nodes.size(); ++i) expect(graph.hitl_nodes[i], Path(stops, i));
    if (const auto cycle = find_cycle(graph))
        problems.add(edges, ProblemKind::cycle,
                     fmt::format("must not contain cycles, and {} is one", cycle_text(*cycle)));
}

}  // namespace

std::span<const EnumName> names_of(const EdgeOn*)
{
    static constexpr EnumName names[] = {{int(EdgeOn::ok), "ok"}, {int(EdgeOn::error), "error"}};
    return names;
}

const Entity& describe(const ReflectionLoop*)
{
    static const Entity entity{
        .name = "reflection_loop",
        .doc = "How often an answer is revised.",
        .fields = {field("max", &ReflectionLoop::max, "Drafts, at most.", {.min = 1, .max = 100}),
                   field("on_limit", &ReflectionLoop::on_limit, "Whether the node fails when none was approved.")},
        .example = R"({"max":3,"on_limit":"fail"})"};
    return entity;
}

const Entity& describe(const Reflection*)
{
    static const Entity entity{
        .name = "reflection_def",
        .doc = "Who looks at the answers of a workflow's agents, and how often they are revised.",
        .fields = {field("agent", &Reflection::agent, "The critic; null: the agent that wrote the answer."),
                   field("loop", &Reflection::loop, "How often.")},
        .example = R"({"agent":"critic","loop":{"max":3,"on_limit":"fail"}})"};
    return entity;
}

const Entity& describe(const EdgeDef*)
{
    static const Entity entity{
        .name = "edge_def",
        .doc = "A way from one node of a workflow to another.",
        .fields =
            {
                field("from", &EdgeDef::from, "Node it starts from.", {.required = true}),
                field("to", &EdgeDef::to, "Node it leads to, or an object from routing keys to nodes.",
                      {.required = true}),
                field("condition", &EdgeDef::condition,
                      "Expression over the state; the edge is taken when it is true."),
                field("on", &EdgeDef::on, "Whether it is taken when the node has succeeded, or when it has failed.",
                      {.extension = true}),
            },
        .checks = {check<EdgeDef>({"to"}, "`to` names a node, or at least one in an object.", check_edge,
                                  R"({"properties":{"to":{"anyOf":[{"type":"string"},
            {"type":"object","minProperties":1,"additionalProperties":{"type":"string"}}]}}})")},
        .example = R"({"from":"review","to":{"ok":"publish","bad":"rewrite"},"condition":null})",
    };
    return entity;
}

const Entity& describe(const Graph*)
{
    static const Entity entity{
        .name = "workflow",
        .doc = "The nodes of a workflow and the ways between them, without cycles.",
        .fields =
            {
                field("name", &Graph::name, "Who it is; its file has this name.",
                      {.required = true, .max_length = 128, .format = Format::file_name}),
                field("patterns", &Graph::patterns, "Patterns applied in sequence, like react and reflection.",
                      {.required = true}),
                field("nodes", &Graph::nodes, "Named nodes.", {.required = true, .min_length = 1}),
                field("edges", &Graph::edges, "Ways between them.", {.required = true}),
                field("entry_point", &Graph::entry, "Node it starts at.", {.required = true}),
                field("checkpoints", &Graph::hitl_nodes, "Nodes before which a person is asked."),
                field("max_iterations", &Graph::max_iterations, "Nodes and inner iterations before it gives up.",
                      {.min = 1}),
                field("state", &Graph::state, "Fields of the state's metadata that it declares.", {.extension = true}),
                field("reflection", &Graph::reflection, "How answers are revised; null: by their writer, 3 drafts.",
                      {.extension = true}),
                field("ext", &Graph::ext, "What Cadre knows about it and this format has no field for.",
                      {.extension = true}),
            },
        .home = {Home::Kind::yaml_file, "`workflows/NAME.yaml`"},
        .checks = {check<Graph>(
                       {},
                       "`entry_point`, `edges` and `checkpoints` name nodes of the workflow, and no way leads back "
                       "to where it came from.",
                       check_graph),
                   check<Graph>({"patterns"}, "Patterns are `react` and `reflection`.", check_patterns,
                                pattern_schema()),
                   schema_version_check<Graph>()},
        .example = R"({"name":"article","patterns":["react","reflection"],
            "nodes":{"write":{"type":"agent","agent":"writer","tool":null},
                     "review":{"type":"human","agent":null,"tool":null}},
            "edges":[{"from":"write","to":"review","condition":null}],
            "entry_point":"write","checkpoints":["review"],"max_iterations":50})",
    };
    return entity;
}

const Entity& describe(const WorkflowSetup*)
{
    static const Entity entity{
        .name = "workflow_setup",
        .doc = "A workflow and all workflows that it names, as a task is pinned to them.",
        .fields = {field("graph", &WorkflowSetup::graph, "The workflow.", {.required = true}),
                   field("nested", &WorkflowSetup::nested, "Those that it names, and that they name.")},
        .home = {Home::Kind::inside, "documents of a task"},
        .example = R"({"graph":{"name":"article","patterns":["react"],
            "nodes":{"write":{"type":"agent","agent":"writer","tool":null}},"edges":[],
            "entry_point":"write","checkpoints":[],"max_iterations":50},"nested":{}})"};
    return entity;
}

std::vector<std::string_view> targets(const EdgeDef& edge)
{
    std::vector<std::string_view> names;
    if (const auto* text = edge.to.if_string()) names.push_back(*text);
    if (const auto* mapping = edge.to.if_object())
        for (const auto& member : *mapping)
            if (const auto* text = member.value().if_string()) names.push_back(*text);
    return names;
}

std::optional<std::string> find_target(const EdgeDef& edge, std::string_view routing_key)
{
    const json::value* target = &edge.to;
    if (const auto* mapping = edge.to.if_object()) target = mapping->if_contains(routing_key);
    if (!target || !target->is_string()) return std::nullopt;
    return std::string(target->as_string());
}

std::optional<std::vector<std::string>> find_cycle(const Graph& graph)
{
    return find_cycle(arcs_of(graph));
}

std::vector<std::string> unreachable_nodes(const Graph& graph)
{
    std::multimap<std::string_view, std::string_view> ways;
    for (const Arc& arc : arcs_of(graph)) ways.emplace(arc.from, arc.to);
    std::set<std::string_view> reached{graph.entry};
    std::vector<std::string_view> to_visit{graph.entry};
    while (!to_visit.empty()) {
        const auto [first, last] = ways.equal_range(to_visit.back());
        to_visit.pop_back();
        for (auto way = first; way != last; ++way)
            if (reached.insert(way->second).second) to_visit.push_back(way->second);
    }
    std::vector<std::string> names;
    for (const auto& [name, node] : graph.nodes)
        if (!reached.contains(name)) names.push_back(name);
    return names;
}

}  // namespace cadre::model
