#include "cli/graph/layers.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre::cli;

namespace {

/// `0 1|2|3`: the items of each layer, `-` for one that passes and `:` for a label.
std::string outline_of(const Layered& graph)
{
    std::string text;
    for (const auto& layer : graph.layers) {
        if (!text.empty()) text += "|";
        for (std::size_t i = 0; i < layer.size(); ++i) {
            const LayerItem& item = graph.items[layer[i]];
            if (i > 0) text += " ";
            text += item.node ? std::to_string(*item.node) : item.label ? ":" : "-";
        }
    }
    return text;
}

}  // namespace

TEST_CASE("layers: each node stands behind all that lead to it, and lines that pass have their own place")
{
    struct {
        const char* name;
        std::size_t nodes;
        std::vector<Arc> arcs;
        const char* says;
    } const cases[] = {
        {"nothing", 0, {}, ""},
        {"a chain", 3, {{0, 1}, {1, 2}}, "0|1|2"},
        {"a diamond", 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, "0|1 2|3"},
        {"a way past a node", 3, {{0, 1}, {1, 2}, {0, 2}}, "0|1 -|2"},
        {"a label has a layer", 3, {{0, 1, true}, {0, 2}}, "0|: -|1 2"},
        {"only where there are labels", 3, {{0, 1}, {1, 2, true}}, "0|1|:|2"},
        {"lines are uncrossed", 4, {{0, 3}, {1, 2}}, "0 1|3 2"},
        {"a circle", 3, {{0, 1}, {1, 2}, {2, 0}}, "0|1|2"},
        {"a node that leads to itself", 1, {{0, 0}}, "0"},
        {"alone", 2, {}, "0 1"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.name));
        const auto graph = layered(c.nodes, c.arcs, 100);
        REQUIRE(graph);
        CHECK(outline_of(*graph) == c.says);
        CHECK(crossings(*graph) == 0);
    }
}

TEST_CASE("layers: arcs that lead back are named, and nothing else")
{
    const std::vector<Arc> arcs{{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 2}};
    CHECK(back_arcs(3, arcs) == std::vector<std::size_t>{2, 3, 4});
    const auto graph = layered(3, arcs, 10);
    REQUIRE(graph);
    CHECK(graph->links.size() == 2);
}

TEST_CASE("layers: crossings are counted")
{
    Layered graph{.items = {{0}, {1}, {2, {}, 1}, {3, {}, 1}}, .layers = {{0, 1}, {2, 3}}, .links = {{0, 3}, {1, 2}}};
    CHECK(crossings(graph) == 1);
    graph.links.push_back({0, 2});
    CHECK(crossings(graph) == 1);
    graph.links.push_back({1, 3});
    CHECK(crossings(graph) == 1);
}

TEST_CASE("layers: ten thousand nodes in one chain, or side by side, are laid out; too many items are refused")
{
    std::vector<Arc> chain, fan;
    for (std::size_t i = 1; i < 10'000; ++i) {
        chain.push_back({i - 1, i});
        fan.push_back({0, i});
    }
    CHECK(layered(10'000, chain, 10'000)->layers.size() == 10'000);
    CHECK(layered(10'000, fan, 10'000)->layers.size() == 2);
    chain.push_back({0, 9'999});
    CHECK_FALSE(layered(10'000, chain, 19'000));
}
