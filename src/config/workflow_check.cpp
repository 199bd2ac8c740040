// What is wrong with a workflow by itself.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/graph_check.hpp"
#include "model/human.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cadre::config {

namespace {

/// More than anyone mends in one go; each costs a walk over all edges.
constexpr std::size_t kMostLost = 20;

std::multimap<std::string_view, std::string_view> ways_of(const model::Graph& graph)
{
    std::multimap<std::string_view, std::string_view> ways;
    for (const model::EdgeDef& edge : graph.edges)
        for (const std::string_view to : targets(edge)) ways.emplace(edge.from, to);
    return ways;
}

/// How many of the ways' ends are behind the node, each once.
std::size_t count_behind(std::string_view node, const std::multimap<std::string_view, std::string_view>& ways)
{
    std::set<std::string_view> reached{node};
    std::vector<std::string_view> to_visit{node};
    while (!to_visit.empty()) {
        const auto [first, last] = ways.equal_range(to_visit.back());
        to_visit.pop_back();
        for (auto way = first; way != last; ++way)
            if (reached.insert(way->second).second) to_visit.push_back(way->second);
    }
    return reached.size() - 1;
}

/// Nodes that are never reached: only where such a part begins, as what is behind it is mended with it.
void warn_of_unreachable(const model::Graph& graph, const Document& document, Findings& findings)
{
    const auto list = unreachable_nodes(graph);
    const std::set<std::string_view> lost(list.begin(), list.end());
    auto ways = ways_of(graph);
    std::erase_if(ways, [&](const auto& way) { return !lost.contains(way.first) || !lost.contains(way.second); });
    std::set<std::string_view> inner;
    for (const auto& [from, to] : ways) inner.insert(to);
    std::size_t told = 0;
    for (const std::string& node : list) {
        if (inner.contains(node) || ++told > kMostLost) continue;
        const std::size_t behind = count_behind(node, ways);
        findings.warn(document.file, document.key_at({"nodes", node}),
                      fmt::format("{}: no way from the entry point {} leads here{}; add an edge, or remove the node",
                                  model::path_text(PathSteps{"nodes", node}), in_quotes(graph.entry),
                                  behind == 0   ? ""
                                  : behind == 1 ? ", nor to the node after it"
                                                : fmt::format(", nor to the {} nodes after it", behind)));
    }
}

/// Behind a person, a mapping goes by the answer, or by a routing key that the answer sets: that is any word, but one that is
/// nearly an answer was meant to be it.
void warn_of_answers(const model::Graph& graph, const Document& document, Findings& findings)
{
    std::vector<std::string> answers;
    for (const model::EnumName& name : names_of(static_cast<const model::HumanVerb*>(nullptr)))
        if (suits(model::HumanRequestType::approval, static_cast<model::HumanVerb>(name.value)))
            answers.emplace_back(name.name);
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const auto* node = graph.nodes.find(graph.edges[i].from);
        const auto* mapping = graph.edges[i].to.if_object();
        if (!node || node->type != model::NodeType::human || !mapping) continue;
        for (const auto& member : *mapping) {
            const std::string key(member.key());
            const auto near = std::ranges::find(answers, key) == answers.end() ? nearest(key, answers) : std::nullopt;
            const PathSteps path{"edges", i, "to", key};
            if (near)
                findings.warn(document.file, document.key_at(path),
                              fmt::format("{}: is not an answer of a person, did you mean {}?", model::path_text(path),
                                          in_quotes(*near)));
        }
    }
}

/// The same way twice: the second is never taken, and somebody meant another.
void report_twins(const model::Graph& graph, const Document& document, Findings& findings)
{
    std::map<std::tuple<std::string_view, std::string, std::string_view, model::EdgeOn>, std::size_t> seen;
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const model::EdgeDef& edge = graph.edges[i];
        const std::string_view condition = edge.condition ? std::string_view(*edge.condition) : std::string_view();
        const auto [twin, is_new] = seen.try_emplace({edge.from, to_text(edge.to), condition, edge.on}, i);
        if (!is_new)
            report({"edges", i}, fmt::format("is the same as edges[{}]; remove one of them", twin->second), document,
                   findings);
    }
}

void check_inside(const model::Graph& graph, const Document& document, Findings& findings)
{
    model::Problems errors, warnings;
    model::check_workflow(graph, errors, warnings);
    report(errors, document, findings);
    for (const model::Problem& warning : warnings.list())
        findings.warn(document.file, document.key_at(warning.place), warning.line());
}

}  // namespace

std::vector<std::pair<const std::string*, PathSteps>> nested_in(const std::string& name, const model::NodeDef& node)
{
    std::vector<std::pair<const std::string*, PathSteps>> all;
    if (node.workflow) all.push_back({&*node.workflow, {"nodes", name, "workflow"}});
    if (node.loop && node.loop->workflow) all.push_back({&*node.loop->workflow, {"nodes", name, "loop", "workflow"}});
    if (node.map && node.map->workflow) all.push_back({&*node.map->workflow, {"nodes", name, "map", "workflow"}});
    return all;
}

void check_workflows(const Contents& contents, Findings& findings)
{
    for (const auto& [graph, file, at] : contents.workflows) {
        const std::size_t errors = findings.errors();
        report_twins(graph, *file->document, findings);
        check_inside(graph, *file->document, findings);
        if (findings.errors() > errors) continue;  // mended, it may be another workflow
        warn_of_unreachable(graph, *file->document, findings);
        warn_of_answers(graph, *file->document, findings);
    }
    check_workflow_texts(contents, findings);
    check_nesting(contents, findings);
}

}  // namespace cadre::config
