// Where Graphviz puts boxes and lines. It is told sizes and numbers only, no text of anyone's.
#pragma once

#include "cli/graph/drawing.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

struct Point {
    double x = 0, y = 0;  // to the right and down
};

struct BoxSize {
    double width = 0, height = 0;
};

struct LaidOut {
    BoxSize size{};
    std::vector<Point> nodes{};               // their middles
    std::vector<std::vector<Point>> edges{};  // of Bézier curves: the first, and then three for each
    std::vector<Point> labels{};              // their middles; of edges that have none, nothing
};

/// How much room texts need.
struct TextSizes {
    std::vector<BoxSize> nodes{};
    std::vector<std::size_t> labels{};  // of edges, in columns; 0: it has none
    std::vector<std::size_t> groups{};  // of their titles, in columns
};

/// What `dot` reads.
std::string dot_text(const Drawing& drawing, const TextSizes& sizes);
/// What `dot -Tplain` wrote. Throws Error(upstream) when it is not that.
LaidOut laid_out(std::string_view plain, const Drawing& drawing);

/// Runs the program `dot`. Throws Error(unavailable) that says how to install it, and Error(limit) where the drawing is too large
/// for it.
LaidOut lay_out(const Drawing& drawing, const TextSizes& sizes);

}  // namespace cadre::cli
