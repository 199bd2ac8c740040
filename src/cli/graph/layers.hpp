// A directed graph in layers: who stands on which, and in which order, so that few lines cross. Numbers in, numbers out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cadre::cli {

struct Arc {
    std::size_t from = 0, to = 0;
    bool labelled = false;  // it needs a place on a layer of its own

    bool operator==(const Arc&) const = default;
};

/// What stands on a layer: a node, a label, or an arc that only passes.
struct LayerItem {
    std::optional<std::size_t> node{};
    std::optional<std::size_t> label{};  // of that arc
    std::size_t layer = 0;
};

struct Link {
    std::size_t from = 0, to = 0;  // items; `to` on the layer behind that of `from`
    std::size_t arc = 0;
};

struct Layered {
    std::vector<LayerItem> items{};                  // the nodes first, by their numbers
    std::vector<std::vector<std::size_t>> layers{};  // items, in order
    std::vector<Link> links{};
    std::vector<std::size_t> back{};  // arcs that lead back to where they came from; nothing links these
};

/// Arcs without which there is no way in circles; those of nodes mentioned first stay.
std::vector<std::size_t> back_arcs(std::size_t nodes, std::span<const Arc> arcs);

/// The layer of each node: the longest way to it. `back` arcs do not count.
std::vector<std::size_t> longest_ways(std::size_t nodes, std::span<const Arc> arcs, std::span<const std::size_t> back);

/// Nothing: there would be more than `most` items.
std::optional<Layered> layered(std::size_t nodes, std::span<const Arc> arcs, std::size_t most);

/// How often lines between neighbouring layers cross.
std::size_t crossings(const Layered& graph);

}  // namespace cadre::cli
