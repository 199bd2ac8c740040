// Where the items of a layered graph lie and how the lines between them run, in whole numbers. `main` goes along the layers, `cross`
// along one layer: which of both is up and down is for the painter to say.
#pragma once

#include "cli/graph/layers.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cadre::cli {

struct Extent {
    int main = 0, cross = 0;
};

struct PlaneStyle {
    int gap = 2;                      // between two items of a layer
    int margin = 0;                   // of a channel, before its first track
    int port_step = 2;                // between two lines that end at the same item
    std::optional<int> most_cross{};  // nothing lies behind this
};

struct PlacedItem {
    int main = 0, cross = 0;
    Extent size{};
    int exit = 0;  // where, along the layer, lines leave it
};

/// A line from one item to all of the next layer that it leads to: along its own place to the track, along that, and on.
struct Net {
    std::size_t from = 0;
    int exit = 0;
    std::optional<int> track{};  // in `main`; nothing: it is straight
    struct Arrival {
        std::size_t to = 0;
        int at = 0;  // cross
        std::size_t arc = 0;
    };
    std::vector<Arrival> arrivals{};
};

struct Plane {
    std::vector<PlacedItem> items{};
    std::vector<Net> nets{};
    Extent size{};
};

/// Nothing: some layer is longer than `most_cross`. `sizes`: of the items.
std::optional<Plane> plane_of(const Layered& graph, std::span<const Extent> sizes, const PlaneStyle& style);

}  // namespace cadre::cli
