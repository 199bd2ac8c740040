// Ways that lead in circles, and places that no way leads to.
#include "base/error.hpp"
#include "base/json.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/cycle.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::config {

namespace {

/// Tools that stand in for each other in a circle would be tried for ever.
template <class T>
void expect_no_circle(const std::vector<T>& tools, const auto& report_at, Findings& findings)
{
    std::vector<model::Arc> arcs;
    for (const T& tool : tools)
        for (const std::string& other : tool.fallback_tools) arcs.push_back({tool.name, other});
    const auto cycle = model::find_cycle(arcs);
    if (!cycle) return;
    const std::string& last = (*cycle)[cycle->size() - 2];
    for (std::size_t i = 0; i < tools.size(); ++i)
        if (tools[i].name == last)
            report_at(i, fmt::format("cycle: {}; fallbacks must end somewhere: remove one", model::cycle_text(*cycle)),
                      findings);
}

}  // namespace

bool report_cycle(const model::Graph& graph, const Document& document, Findings& findings)
{
    const auto cycle = find_cycle(graph);
    if (!cycle) return false;
    const std::string& last = (*cycle)[cycle->size() - 2];
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const auto to = targets(graph.edges[i]);
        if (graph.edges[i].from != last || std::ranges::find(to, cycle->front()) == to.end()) continue;
        findings.error(document.file, document.value_at(element("edges", i)),
                       fmt::format("cycle: {}; a workflow has no way back: remove this edge, or let a pattern like "
                                   "reflection repeat inside a node",
                                   model::cycle_text(*cycle)));
        break;
    }
    return true;
}

void check_workflows(const Contents& contents, Findings& findings)
{
    for (const auto& [graph, file, at] : contents.workflows)
        for (const std::string& node : unreachable_nodes(graph)) {
            const std::string path = joined("nodes", node);
            findings.error(file->shown, file->document->key_at(path),
                           fmt::format("{}: no way from the entry point {} leads here; add an edge, or remove the node",
                                       path, cadre::quoted(graph.entry)));
        }
}

void check_fallbacks(const Contents& contents, Findings& findings)
{
    for (const auto& placed : contents.teams) {
        const File& file = *placed.file;
        expect_no_circle(
            placed.value.tools,
            [&](std::size_t i, std::string text, Findings& out) {
                report(joined(element("tools", i), "fallback_tools"), std::move(text), *file.document, out);
            },
            findings);
    }
    std::vector<model::framework::Tool> tools;
    for (const auto& placed : contents.tools) tools.push_back(placed.value);
    expect_no_circle(
        tools,
        [&](std::size_t i, std::string text, Findings& out) {
            const auto& placed = contents.tools[i];
            report(joined(placed.path, "fallback_tools"), std::move(text), *placed.file->document, out);
        },
        findings);
}

}  // namespace cadre::config
