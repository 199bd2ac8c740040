#include "cli/graph/layers.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cadre::cli {
namespace {

constexpr int kSweeps = 12;

std::vector<std::vector<std::size_t>> leaving(std::size_t nodes, std::span<const Arc> arcs)
{
    std::vector<std::vector<std::size_t>> out(nodes);
    for (std::size_t i = 0; i < arcs.size(); ++i) out[arcs[i].from].push_back(i);
    return out;
}

/// Of each item on its layer.
std::vector<std::size_t> places_of(const Layered& graph)
{
    std::vector<std::size_t> places(graph.items.size());
    for (const auto& layer : graph.layers)
        for (std::size_t i = 0; i < layer.size(); ++i) places[layer[i]] = i;
    return places;
}

/// Pairs of which the second is smaller although it comes later.
std::size_t inversions(const std::vector<std::size_t>& values, std::size_t size)
{
    std::vector<std::size_t> tree(size + 1);
    std::size_t found = 0, seen = 0;
    for (const std::size_t value : values) {
        std::size_t not_above = 0;
        for (std::size_t i = value + 1; i > 0; i -= i & (~i + 1)) not_above += tree[i];
        found += seen++ - not_above;
        for (std::size_t i = value + 1; i <= size; i += i & (~i + 1)) ++tree[i];
    }
    return found;
}

struct Neighbours {
    std::vector<std::vector<std::size_t>> before, behind;  // by item
};

Neighbours neighbours_of(const Layered& graph)
{
    Neighbours of{.before = std::vector<std::vector<std::size_t>>(graph.items.size()),
                  .behind = std::vector<std::vector<std::size_t>>(graph.items.size())};
    for (const Link& link : graph.links) {
        of.before[link.to].push_back(link.from);
        of.behind[link.from].push_back(link.to);
    }
    return of;
}

/// Puts each item of the layer where its neighbours stand on average; those without any stay where they are.
void sort_layer(std::vector<std::size_t>& layer, const std::vector<std::vector<std::size_t>>& neighbours,
                std::vector<std::size_t>& places)
{
    struct Wanted {
        double place;
        std::size_t before, item;
    };
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < layer.size(); ++i) {
        const auto& near = neighbours[layer[i]];
        double sum = 0;
        for (const std::size_t one : near) sum += static_cast<double>(places[one]);
        const double place = near.empty() ? static_cast<double>(i) : sum / static_cast<double>(near.size());
        wanted.push_back({place, i, layer[i]});
    }
    std::ranges::sort(wanted, {}, [](const Wanted& one) { return std::pair(one.place, one.before); });
    for (std::size_t i = 0; i < layer.size(); ++i) {
        layer[i] = wanted[i].item;
        places[layer[i]] = i;
    }
}

void uncross(Layered& graph)
{
    const Neighbours near = neighbours_of(graph);
    auto places = places_of(graph);
    auto best = graph.layers;
    std::size_t fewest = crossings(graph);
    for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
        const std::size_t count = graph.layers.size();
        for (std::size_t i = 1; i < count; ++i) {
            if (sweep % 2 == 0) sort_layer(graph.layers[i], near.before, places);
            else sort_layer(graph.layers[count - 1 - i], near.behind, places);
        }
        if (const std::size_t now = crossings(graph); now < fewest) {
            fewest = now;
            best = graph.layers;
        }
    }
    graph.layers = std::move(best);
}

}  // namespace

std::vector<std::size_t> back_arcs(std::size_t nodes, std::span<const Arc> arcs)
{
    enum class Mark : std::uint8_t { fresh, open, closed };
    const auto out = leaving(nodes, arcs);
    std::vector<Mark> marks(nodes, Mark::fresh);
    std::vector<std::size_t> back;
    std::vector<std::pair<std::size_t, std::size_t>> way;  // node, and how many of its arcs were looked at
    for (std::size_t root = 0; root < nodes; ++root) {
        if (marks[root] != Mark::fresh) continue;
        marks[root] = Mark::open;
        way.emplace_back(root, 0);
        while (!way.empty()) {
            auto& [node, seen] = way.back();
            if (seen == out[node].size()) {
                marks[node] = Mark::closed;
                way.pop_back();
                continue;
            }
            const std::size_t arc = out[node][seen++];
            const std::size_t to = arcs[arc].to;
            if (marks[to] == Mark::open) back.push_back(arc);
            if (marks[to] != Mark::fresh) continue;
            marks[to] = Mark::open;
            way.emplace_back(to, 0);
        }
    }
    std::ranges::sort(back);
    return back;
}

std::vector<std::size_t> longest_ways(std::size_t nodes, std::span<const Arc> arcs, std::span<const std::size_t> back)
{
    const auto out = leaving(nodes, arcs);
    std::vector<bool> ignored(arcs.size());
    for (const std::size_t arc : back) ignored[arc] = true;
    std::vector<std::size_t> missing(nodes), layer(nodes), ready;
    for (std::size_t i = 0; i < arcs.size(); ++i)
        if (!ignored[i]) ++missing[arcs[i].to];
    for (std::size_t i = 0; i < nodes; ++i)
        if (missing[i] == 0) ready.push_back(i);
    for (std::size_t at = 0; at < ready.size(); ++at)
        for (const std::size_t arc : out[ready[at]]) {
            if (ignored[arc]) continue;
            const std::size_t to = arcs[arc].to;
            layer[to] = std::max(layer[to], layer[ready[at]] + 1);
            if (--missing[to] == 0) ready.push_back(to);
        }
    return layer;
}

std::optional<Layered> layered(std::size_t nodes, std::span<const Arc> arcs, std::size_t most)
{
    Layered graph{.back = back_arcs(nodes, arcs)};
    std::vector<bool> is_back(arcs.size());
    for (const std::size_t arc : graph.back) is_back[arc] = true;
    const auto ways = longest_ways(nodes, arcs, graph.back);

    // a layer of labels before each of nodes that labelled arcs lead to
    std::size_t depth = 0;
    for (const std::size_t way : ways) depth = std::max(depth, way + 1);
    std::vector<bool> has_labels(depth);
    for (std::size_t i = 0; i < arcs.size(); ++i)
        if (arcs[i].labelled && !is_back[i]) has_labels[ways[arcs[i].from] + 1] = true;
    std::vector<std::size_t> layer_of(depth);
    std::size_t next = 0;
    for (std::size_t i = 0; i < depth; ++i) {
        if (has_labels[i]) ++next;
        layer_of[i] = next++;
    }
    graph.layers.resize(next);

    const auto add = [&](LayerItem item) {
        graph.layers[item.layer].push_back(graph.items.size());
        graph.items.push_back(item);
        return graph.items.size() - 1;
    };
    if (nodes > most) return std::nullopt;
    for (std::size_t i = 0; i < nodes; ++i) add({.node = i, .layer = layer_of[ways[i]]});
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        if (is_back[i]) continue;
        std::size_t from = arcs[i].from;
        const std::size_t last = layer_of[ways[arcs[i].to]];
        const std::size_t label = layer_of[ways[from] + 1] - 1;
        for (std::size_t layer = layer_of[ways[from]] + 1; layer < last; ++layer) {
            if (graph.items.size() == most) return std::nullopt;
            LayerItem item{.layer = layer};
            if (arcs[i].labelled && layer == label) item.label = i;
            const std::size_t place = add(item);
            graph.links.push_back({from, place, i});
            from = place;
        }
        graph.links.push_back({from, arcs[i].to, i});
    }
    uncross(graph);
    return graph;
}

std::size_t crossings(const Layered& graph)
{
    const auto places = places_of(graph);
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> between(graph.layers.size());
    for (const Link& link : graph.links)
        between[graph.items[link.from].layer].emplace_back(places[link.from], places[link.to]);
    std::size_t found = 0;
    for (std::size_t i = 0; i + 1 < between.size(); ++i) {
        std::ranges::sort(between[i]);
        std::vector<std::size_t> ends;
        for (const auto& pair : between[i]) ends.push_back(pair.second);
        found += inversions(ends, graph.layers[i + 1].size());
    }
    return found;
}

}  // namespace cadre::cli
