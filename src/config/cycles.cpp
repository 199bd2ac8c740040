// Ways that lead in circles.
#include "base/error.hpp"
#include "base/json.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/cycle.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::config {

namespace {

using Cycle = std::vector<std::string>;  // its first name again at the end

/// More than anyone mends in one go; each costs a walk over all arcs.
constexpr std::size_t kMaxCycles = 20;
constexpr std::ptrdiff_t kMaxTold = 16;

/// Every name that a way leads to from `start`.
std::set<std::string_view> reached_from(std::string_view start,
                                        const std::multimap<std::string_view, std::string_view>& ways)
{
    std::set<std::string_view> reached{start};
    std::vector<std::string_view> to_visit{start};
    while (!to_visit.empty()) {
        const auto [first, last] = ways.equal_range(to_visit.back());
        to_visit.pop_back();
        for (auto way = first; way != last; ++way)
            if (reached.insert(way->second).second) to_visit.push_back(way->second);
    }
    return reached;
}

/// Takes away the arcs between all names that lead to `name` and are led to from it: the cycles in such a knot are mended
/// together.
void remove_knot(std::string_view name, std::vector<model::Arc>& arcs)
{
    std::multimap<std::string_view, std::string_view> forth, back;
    for (const model::Arc& arc : arcs) forth.emplace(arc.from, arc.to), back.emplace(arc.to, arc.from);
    const auto after = reached_from(name, forth), before = reached_from(name, back);
    std::erase_if(arcs, [&](const model::Arc& arc) {
        return after.contains(arc.from) && before.contains(arc.from) && after.contains(arc.to) &&
               before.contains(arc.to);
    });
}

/// One of every knot.
std::vector<Cycle> find_cycles(std::vector<model::Arc> arcs)
{
    std::vector<Cycle> cycles;
    while (cycles.size() < kMaxCycles) {
        const auto cycle = model::find_cycle(arcs);
        if (!cycle) break;
        cycles.push_back(*cycle);
        remove_knot(cycle->front(), arcs);
    }
    return cycles;
}

/// A long way is told by how it begins and ends.
std::string told(Cycle cycle)
{
    if (std::ssize(cycle) > kMaxTold) {
        const auto begin = cycle.begin() + kMaxTold / 2, end = cycle.end() - kMaxTold / 2;
        *begin = fmt::format("({} more)", end - begin);
        cycle.erase(begin + 1, end);
    }
    return model::cycle_text(cycle);
}

/// The name from which the cycle leads back to its first.
const std::string& last_of(const Cycle& cycle)
{
    return cycle[cycle.size() - 2];
}

/// The tool's name, or the reference that gave it: what a variable holds is not told.
std::string shown_name(const auto& tool)
{
    const Document& document = *tool.file->document;
    const Found found = find(document.value, document.root, joined(tool.path, {"name"}));
    return found.exact && !found.place->written.empty() ? found.place->written : tool.value.name;
}

/// Tools that stand in for each other in a circle would be tried for ever.
template <class T>
void expect_no_circles(const std::vector<Placed<T>>& tools, Findings& findings)
{
    std::vector<model::Arc> arcs;
    for (const auto& tool : tools)
        for (const std::string& other : tool.value.fallback_tools) arcs.push_back({tool.value.name, other});
    for (Cycle& cycle : find_cycles(arcs)) {
        const auto named = [&](const std::string& name) {
            return std::ranges::find(tools, name, [](const auto& tool) { return tool.value.name; });
        };
        const auto last = named(last_of(cycle));
        for (std::string& name : cycle) name = shown_name(*named(name));
        report(joined(last->path, {"fallback_tools"}),
               fmt::format("cycle: {}; fallbacks must end somewhere: remove one", told(cycle)), *last->file->document,
               findings);
    }
}

bool leads(const model::EdgeDef& edge, std::string_view from, std::string_view to)
{
    const auto all = targets(edge);
    return edge.from == from && std::ranges::find(all, to) != all.end();
}

}  // namespace

void report_cycles(const model::Graph& graph, const Document& document, Findings& findings)
{
    std::vector<model::Arc> arcs;
    for (const model::EdgeDef& edge : graph.edges)
        for (const std::string_view to : targets(edge)) arcs.push_back({edge.from, to});
    for (const Cycle& cycle : find_cycles(arcs))
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            if (!leads(graph.edges[i], last_of(cycle), cycle.front())) continue;
            findings.error(document.file, document.value_at({"edges", i}),
                           fmt::format("cycle: {}; a workflow has no way back: remove this edge, or let a pattern like "
                                       "reflection repeat inside a node",
                                       told(cycle)));
            break;
        }
}

void check_nesting(const Contents& contents, Findings& findings)
{
    std::vector<model::Arc> arcs;
    std::map<std::pair<std::string_view, std::string_view>, std::pair<const File*, PathSteps>> places;
    for (const auto& [graph, file, at] : contents.workflows)
        for (const auto& [name, node] : graph.nodes)
            for (const auto& [other, path] : nested_in(name, node)) {
                arcs.push_back({graph.name, *other});
                places.try_emplace({graph.name, *other}, file, path);
            }
    for (const Cycle& cycle : find_cycles(arcs)) {
        const auto& [file, path] = places.at({last_of(cycle), cycle.front()});
        report(path,
               fmt::format(
                   "cycle: {}; a workflow must not run itself, not by way of others either: remove one of these nodes",
                   told(cycle)),
               *file->document, findings);
    }
}

void check_fallbacks(const Contents& contents, Findings& findings)
{
    for (const auto& [team, file, at] : contents.teams) {
        std::vector<Placed<model::Tool>> tools;
        for (std::size_t i = 0; i < team.tools.size(); ++i) tools.push_back({team.tools[i], file, {"tools", i}});
        expect_no_circles(tools, findings);
    }
    expect_no_circles(contents.tools, findings);
}

}  // namespace cadre::config
