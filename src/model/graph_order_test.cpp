#include "model/graph_order.hpp"

#include "model/read.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;

namespace {

/// `a>b b>c`: condition nodes of these names, and the edges; the first is the entry.
Graph graph_from(std::string_view edges)
{
    Graph graph{.name = "g"};
    std::size_t at = 0;
    while (at < edges.size()) {
        const std::size_t end = std::min(edges.find(' ', at), edges.size());
        const std::string_view one = edges.substr(at, end - at);
        const std::size_t arrow = one.find('>');
        const std::string from(one.substr(0, arrow));
        if (graph.entry.empty()) graph.entry = from;
        graph.nodes[from].type = NodeType::condition;
        if (arrow != one.npos) {
            const std::string to(one.substr(arrow + 1));
            graph.nodes[to].type = NodeType::condition;
            graph.edges.push_back({.from = from, .to = boost::json::value(to)});
        }
        at = end + 1;
    }
    return graph;
}

std::string order_in(std::string_view edges)
{
    std::string text;
    for (const std::string& name : order_of(graph_from(edges)).names) text += name;
    return text;
}

}  // namespace

TEST_CASE("the order of a workflow is topological, and ties go by first mention in edges")
{
    CHECK(order_in("a") == "a");
    CHECK(order_in("a>b b>c") == "abc");
    CHECK(order_in("a>c a>b c>d b>d") == "acbd");
    CHECK(order_in("a>d a>b b>c c>d") == "abcd");  // d is mentioned first, and waits for c
    CHECK(order_in("a>z a>b b>c z>c c>e") == "azbce");
    CHECK(order_in("a>b x>b x>y") == "ab");  // nothing leads to x
}

TEST_CASE("a node knows whom it hangs on, directly and not")
{
    const GraphOrder order = order_of(graph_from("a>b a>c b>d c>d d>e a>e"));
    CHECK(order.names == std::vector<std::string>{"a", "b", "c", "d", "e"});
    CHECK(order.inputs[4] == std::vector<std::size_t>{0, 3});
    CHECK(order.followers[0] == std::vector<std::size_t>{1, 2, 4});
    CHECK(ancestors(order, 3) == std::vector<std::size_t>{0, 1, 2});
    CHECK(ancestors(order, 0).empty());
    CHECK(order.find("d") == 3);
    CHECK(!order.find("x"));
}

TEST_CASE("a workflow with a cycle has no order, and the cycle is named")
{
    CHECK_THROWS_WITH(order_of(graph_from("a>b b>c c>b")), doctest::Contains("b → c → b"));
}
