#include "model/graph_order.hpp"

#include "base/error.hpp"
#include "model/cycle.hpp"

#include <algorithm>
#include <queue>

namespace cadre::model {

namespace {

/// Nodes in the order in which they are mentioned, and the ways between them.
struct Mentioned {
    std::vector<std::string> names{};
    std::map<std::string, std::size_t, std::less<>> places{};
    std::vector<std::vector<std::size_t>> followers{};

    std::size_t mention(std::string_view name)
    {
        const auto [place, is_new] = places.try_emplace(std::string(name), names.size());
        if (is_new) {
            names.emplace_back(name);
            followers.emplace_back();
        }
        return place->second;
    }
};

Mentioned mentioned_in(const Graph& graph)
{
    Mentioned all;
    all.mention(graph.entry);
    for (const EdgeDef& edge : graph.edges) {
        const std::size_t from = all.mention(edge.from);
        for (const std::string_view target : targets(edge)) {
            const std::size_t to = all.mention(target);
            all.followers[from].push_back(to);
        }
    }
    for (const std::string& name : all.names)
        if (!graph.nodes.find(name)) throw Error(Code::invalid, in_quotes(name) + " is not a node of this workflow");
    for (auto& followers : all.followers) {
        std::ranges::sort(followers);
        const auto twins = std::ranges::unique(followers);
        followers.erase(twins.begin(), twins.end());
    }
    return all;
}

std::vector<bool> reached_in(const Mentioned& all)
{
    std::vector<bool> reached(all.names.size());
    std::vector<std::size_t> to_visit{0};
    reached[0] = true;
    while (!to_visit.empty()) {
        const std::size_t node = to_visit.back();
        to_visit.pop_back();
        for (const std::size_t follower : all.followers[node]) {
            if (reached[follower]) continue;
            reached[follower] = true;
            to_visit.push_back(follower);
        }
    }
    return reached;
}

}  // namespace

std::optional<std::size_t> GraphOrder::find(std::string_view name) const
{
    const auto place = places.find(name);
    return place == places.end() ? std::nullopt : std::optional(place->second);
}

GraphOrder order_of(const Graph& graph)
{
    const Mentioned all = mentioned_in(graph);
    const std::vector<bool> reached = reached_in(all);
    std::vector<std::size_t> waits_for(all.names.size());
    for (std::size_t i = 0; i < all.names.size(); ++i)
        if (reached[i])
            for (const std::size_t follower : all.followers[i]) ++waits_for[follower];

    GraphOrder order;
    std::vector<std::size_t> place(all.names.size());
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    if (waits_for[0] == 0) ready.push(0);
    while (!ready.empty()) {
        const std::size_t node = ready.top();
        ready.pop();
        place[node] = order.names.size();
        order.places.emplace(all.names[node], place[node]);
        order.names.push_back(all.names[node]);
        for (const std::size_t follower : all.followers[node])
            if (--waits_for[follower] == 0) ready.push(follower);
    }
    if (order.size() != static_cast<std::size_t>(std::ranges::count(reached, true))) {
        const auto cycle = find_cycle(graph);
        throw Error(Code::invalid, "the workflow has a cycle: " + (cycle ? cycle_text(*cycle) : graph.entry));
    }
    order.inputs.resize(order.size());
    order.followers.resize(order.size());
    for (std::size_t i = 0; i < all.names.size(); ++i) {
        if (!reached[i]) continue;
        for (const std::size_t follower : all.followers[i]) order.followers[place[i]].push_back(place[follower]);
        std::ranges::sort(order.followers[place[i]]);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const std::size_t follower : order.followers[i]) order.inputs[follower].push_back(i);
    return order;
}

std::vector<std::size_t> ancestors(const GraphOrder& order, std::size_t node)
{
    std::vector<bool> found(order.size());
    found[node] = true;
    for (std::size_t i = node + 1; i-- > 0;)
        if (found[i])
            for (const std::size_t input : order.inputs[i]) found[input] = true;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < node; ++i)
        if (found[i]) all.push_back(i);
    return all;
}

}  // namespace cadre::model
