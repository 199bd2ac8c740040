#include "cli/graph/plane.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace cadre::cli {
namespace {

constexpr int kSweepsAcross = 8;

/// Positions of a row of items, as near to the wanted ones as their sizes allow: neighbours that want the same place share the
/// difference (isotonic regression).
std::vector<int> spread(const std::vector<double>& wanted, const std::vector<int>& sizes, int gap,
                        std::optional<int> most)
{
    struct Block {
        double sum;
        int count;
        double mean() const { return sum / count; }
    };
    std::vector<Block> blocks;
    std::vector<int> offsets;
    int offset = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        offsets.push_back(offset);
        blocks.push_back({wanted[i] - offset, 1});
        offset += sizes[i] + gap;
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back().sum += last.sum;
            blocks.back().count += last.count;
        }
    }
    std::vector<int> places;
    for (const Block& block : blocks) {
        int at = static_cast<int>(std::lround(block.mean()));
        if (most) at = std::min(at, *most - (offset - gap));
        at = std::max(at, 0);
        for (int i = 0; i < block.count; ++i) places.push_back(at + offsets[places.size()]);
    }
    return places;
}

class Placer {
public:
    Placer(const Layered& graph, std::span<const Extent> sizes, const PlaneStyle& style)
        : graph_(graph), style_(style), before_(graph.items.size()), behind_(graph.items.size())
    {
        for (const Extent& size : sizes) plane_.items.push_back({.size = size});
        for (const Link& link : graph.links) {
            before_[link.to].push_back(link.from);
            behind_[link.from].push_back(link.to);
        }
    }

    std::optional<Plane> place()
    {
        for (const auto& layer : graph_.layers) {
            int length = -style_.gap;
            for (const std::size_t item : layer) {
                plane_.items[item].cross = length + style_.gap;
                length += style_.gap + plane_.items[item].size.cross;
            }
            if (style_.most_cross && length > *style_.most_cross) return std::nullopt;
        }
        for (int sweep = 0; sweep < kSweepsAcross; ++sweep) {
            for (const auto& layer : graph_.layers) arrange(layer, before_);
            for (auto layer = graph_.layers.rbegin(); layer != graph_.layers.rend(); ++layer) arrange(*layer, behind_);
        }
        for (const auto& layer : graph_.layers) arrange(layer, before_);
        to_the_edge();
        for (PlacedItem& item : plane_.items) item.exit = middle(item);
        route();
        return std::move(plane_);
    }

private:
    static int middle(const PlacedItem& item) { return item.cross + item.size.cross / 2; }
    bool is_node(std::size_t item) const { return graph_.items[item].node.has_value(); }

    void arrange(const std::vector<std::size_t>& layer, const std::vector<std::vector<std::size_t>>& near)
    {
        std::vector<double> wanted;
        std::vector<int> sizes;
        for (const std::size_t item : layer) {
            const PlacedItem& placed = plane_.items[item];
            double sum = 0;
            for (const std::size_t one : near[item]) sum += middle(plane_.items[one]);
            const auto count = static_cast<double>(near[item].size());
            wanted.push_back(near[item].empty() ? placed.cross : sum / count - placed.size.cross / 2);
            sizes.push_back(placed.size.cross);
        }
        const auto places = spread(wanted, sizes, style_.gap, style_.most_cross);
        for (std::size_t i = 0; i < layer.size(); ++i) plane_.items[layer[i]].cross = places[i];
    }

    void to_the_edge()
    {
        int first = plane_.items.empty() ? 0 : plane_.items.front().cross;
        for (const PlacedItem& item : plane_.items) first = std::min(first, item.cross);
        for (PlacedItem& item : plane_.items) {
            item.cross -= first;
            plane_.size.cross = std::max(plane_.size.cross, item.cross + item.size.cross);
        }
    }

    // ---- lines ----

    /// Of the lines between a layer and the next one, in the order of where they come from.
    std::vector<Net> nets_from(std::size_t layer)
    {
        std::map<std::size_t, std::vector<const Link*>> by_source;
        for (const Link* link : links_of_[layer]) by_source[link->from].push_back(link);
        std::vector<Net> nets;
        for (const std::size_t item : graph_.layers[layer]) {
            if (!by_source.contains(item)) continue;
            Net net{.from = item, .exit = plane_.items[item].exit};
            for (const Link* link : by_source[item]) net.arrivals.push_back({.to = link->to, .arc = link->arc});
            nets.push_back(std::move(net));
        }
        return nets;
    }

    struct Coming {
        Net::Arrival* arrival;
        int from;  // cross
        std::size_t place;
    };

    /// Where the lines end that lead to one item: straight ahead where that is possible, else side by side around its middle.
    void set_ports(std::size_t item, std::vector<Coming>& coming, const std::set<int>& exits)
    {
        const PlacedItem& placed = plane_.items[item];
        std::ranges::sort(coming, {}, [](const Coming& one) { return std::pair(one.from, one.place); });
        const int count = static_cast<int>(coming.size());
        const int lowest = is_node(item) ? placed.cross + 1 : middle(placed);
        const int highest = is_node(item) ? placed.cross + placed.size.cross - 2 : middle(placed);
        int step = style_.port_step;
        while (step > 0 && lowest + step * (count - 1) > highest) --step;
        std::vector<double> wanted;
        for (int i = 0; i < count; ++i) {
            const int from = coming[static_cast<std::size_t>(i)].from;
            const bool straight = from >= lowest && from <= highest;
            wanted.push_back(straight ? from : middle(placed) + step * (i - (count - 1) / 2.0));
        }
        std::vector<int> ports(coming.size(), middle(placed));
        if (step > 0) {
            for (double& one : wanted) one -= lowest;
            ports = spread(wanted, std::vector<int>(coming.size(), 1), step - 1, highest - lowest + 1);
            for (int& port : ports) port += lowest;
        }
        for (std::size_t i = 0; i < coming.size(); ++i) coming[i].arrival->at = ports[i];
        if (count == 1)
            make_way(coming.front(), lowest - (is_node(item) ? 0 : 1), highest + (is_node(item) ? 0 : 1), exits);
        if (!is_node(item) && !graph_.items[item].label) plane_.items[item].exit = coming.front().arrival->at;
    }

    /// A line that must turn anyway does not end right below another one's beginning.
    void make_way(const Coming& coming, int lowest, int highest, const std::set<int>& exits) const
    {
        int& at = coming.arrival->at;
        if (coming.from == at || !exits.contains(at) || style_.gap < 2) return;
        for (const int other : {at - 1, at + 1})
            if (other >= lowest && other <= highest && !exits.contains(other)) {
                at = other;
                return;
            }
    }

    void end_lines(std::vector<Net>& nets)
    {
        std::map<std::size_t, std::vector<Coming>> by_target;
        std::set<int> exits;
        for (Net& net : nets) {
            exits.insert(net.exit);
            for (Net::Arrival& arrival : net.arrivals) {
                auto& coming = by_target[arrival.to];
                coming.push_back({&arrival, net.exit, coming.size()});
            }
        }
        for (auto& [item, coming] : by_target) set_ports(item, coming, exits);
    }

    static bool is_straight(const Net& net)
    {
        return std::ranges::all_of(net.arrivals, [&](const Net::Arrival& one) { return one.at == net.exit; });
    }

    static std::pair<int, int> span_of(const Net& net)
    {
        std::pair span{net.exit, net.exit};
        for (const Net::Arrival& one : net.arrivals)
            span = {std::min(span.first, one.at), std::max(span.second, one.at)};
        return span;
    }

    /// Gives each net that turns a track on which no other runs at the same place. A net turns before another one arrives where it
    /// has come from; where two wait for each other, the first of them does not.
    static int set_tracks(std::vector<Net>& nets)
    {
        std::vector<std::size_t> turning;
        for (std::size_t i = 0; i < nets.size(); ++i)
            if (!is_straight(nets[i])) turning.push_back(i);
        std::map<int, std::size_t> leaves_at;
        for (const std::size_t net : turning) leaves_at.emplace(nets[net].exit, net);
        std::map<std::size_t, std::set<std::size_t>> earlier;  // nets that turn before this one
        for (const std::size_t net : turning)
            for (const Net::Arrival& one : nets[net].arrivals)
                if (const auto other = leaves_at.find(one.at); other != leaves_at.end() && other->second != net)
                    earlier[net].insert(other->second);
        std::vector<std::vector<std::pair<int, int>>> tracks;
        std::vector<bool> is_set(nets.size());
        const auto is_free = [&](std::size_t track, const std::pair<int, int>& span) {
            return std::ranges::none_of(tracks[track], [&](const auto& taken) {
                return span.first <= taken.second && taken.first <= span.second;
            });
        };
        while (!turning.empty()) {
            auto next = std::ranges::find_if(turning, [&](std::size_t net) {
                return std::ranges::all_of(earlier[net], [&](std::size_t one) { return is_set[one]; });
            });
            if (next == turning.end()) next = turning.begin();
            Net& net = nets[*next];
            std::size_t track = 0;
            for (const std::size_t one : earlier[*next])
                if (is_set[one]) track = std::max(track, static_cast<std::size_t>(*nets[one].track) + 1);
            const auto span = span_of(net);
            while (track < tracks.size() && !is_free(track, span)) ++track;
            if (track >= tracks.size()) tracks.resize(track + 1);
            tracks[track].push_back(span);
            net.track = static_cast<int>(track);
            is_set[*next] = true;
            turning.erase(next);
        }
        return static_cast<int>(tracks.size());
    }

    void route()
    {
        links_of_.resize(graph_.layers.size());
        for (const Link& link : graph_.links) links_of_[graph_.items[link.from].layer].push_back(&link);
        int main = 0;
        for (std::size_t layer = 0; layer < graph_.layers.size(); ++layer) {
            int thickest = 0;
            for (const std::size_t item : graph_.layers[layer]) {
                plane_.items[item].main = main;
                thickest = std::max(thickest, plane_.items[item].size.main);
            }
            for (const std::size_t item : graph_.layers[layer])
                if (!is_node(item) && !graph_.items[item].label) plane_.items[item].size.main = thickest;
            main += thickest;
            if (layer + 1 == graph_.layers.size()) break;
            auto nets = nets_from(layer);
            end_lines(nets);
            const int tracks = set_tracks(nets);
            for (Net& net : nets) {
                if (net.track) *net.track += main + style_.margin;
                plane_.nets.push_back(std::move(net));
            }
            const bool has_arrows =
                std::ranges::any_of(graph_.layers[layer + 1], [&](std::size_t item) { return is_node(item); });
            main += style_.margin + tracks + (has_arrows ? 1 : 0);
        }
        plane_.size.main = main;
    }

    const Layered& graph_;
    const PlaneStyle& style_;
    std::vector<std::vector<std::size_t>> before_, behind_;
    std::vector<std::vector<const Link*>> links_of_;  // by the layer that they leave
    Plane plane_;
};

}  // namespace

std::optional<Plane> plane_of(const Layered& graph, std::span<const Extent> sizes, const PlaneStyle& style)
{
    return Placer(graph, sizes, style).place();
}

}  // namespace cadre::cli
