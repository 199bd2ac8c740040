#include "model/cycle.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace cadre::model {

namespace {

enum class Mark : std::uint8_t { fresh, on_the_way, done };

struct Node {
    std::string_view name;
    std::vector<std::size_t> next{};
    Mark mark = Mark::fresh;
};

std::vector<Node> nodes_of(std::span<const Arc> arcs)
{
    std::vector<Node> nodes;
    std::map<std::string_view, std::size_t> index;
    auto index_of = [&](std::string_view name) {
        const auto [place, added] = index.emplace(name, nodes.size());
        if (added) nodes.push_back({.name = name});
        return place->second;
    };
    for (const Arc& arc : arcs) {
        const std::size_t from = index_of(arc.from);
        const std::size_t to = index_of(arc.to);
        nodes[from].next.push_back(to);
    }
    return nodes;
}

/// Depth first from `start`, without recursion: a file may hold a chain of any length.
std::optional<std::vector<std::string>> cycle_from(std::size_t start, std::vector<Node>& nodes)
{
    struct Visit {
        std::size_t node;
        std::size_t tried = 0;
    };
    std::vector<Visit> way{{start}};
    nodes[start].mark = Mark::on_the_way;
    while (!way.empty()) {
        Visit& here = way.back();
        if (here.tried == nodes[here.node].next.size()) {
            nodes[here.node].mark = Mark::done;
            way.pop_back();
            continue;
        }
        const std::size_t next = nodes[here.node].next[here.tried++];
        if (nodes[next].mark == Mark::fresh) {
            nodes[next].mark = Mark::on_the_way;
            way.push_back({next});
        } else if (nodes[next].mark == Mark::on_the_way) {
            std::vector<std::string> cycle;
            auto visit = std::find_if(way.begin(), way.end(), [&](const Visit& v) { return v.node == next; });
            for (; visit != way.end(); ++visit) cycle.emplace_back(nodes[visit->node].name);
            cycle.emplace_back(nodes[next].name);
            return cycle;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> find_cycle(std::span<const Arc> arcs)
{
    auto nodes = nodes_of(arcs);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].mark != Mark::fresh) continue;
        if (auto cycle = cycle_from(i, nodes)) return cycle;
    }
    return std::nullopt;
}

std::string cycle_text(std::span<const std::string> cycle)
{
    std::string text;
    for (const std::string& name : cycle) text += (text.empty() ? "" : " → ") + name;
    return text;
}

}  // namespace cadre::model
