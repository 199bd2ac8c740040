#include "model/graph.hpp"

#include "base/json.hpp"
#include "support/entity.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

/// A graph of agents: "a>b b>c".
Graph graph_of(std::string_view nodes, std::initializer_list<std::pair<const char*, const char*>> edges)
{
    Graph graph{.name = "g", .entry = std::string(nodes.substr(0, 1))};
    for (char name : nodes) graph.nodes[std::string(1, name)] = {.type = NodeType::agent, .agent = "x"};
    for (const auto& [from, to] : edges) graph.edges.push_back({.from = from, .to = json::value(to)});
    return graph;
}

}  // namespace

TEST_CASE(
    "a workflow's rules name what breaks them")  // FLOW-02 U, FLOW-06 U, FLOW-07 U, FLOW-08 U, FLOW-09 U, FLOW-13 U, FLOW-14 U, FLOW-15 U
{
    struct {
        const char* field;
        const char* value;
        const char* says;
    } const cases[] = {
        {"nodes", "{}", "nodes: must not be empty"},
        {"edges", R"([{"from":"write","to":"publish"}])",
         "edges[0].to: \"publish\" is not a node of this workflow; define it under nodes, or name one of them"},
        {"edges", R"([{"from":"wrte","to":"review"}])",
         "edges[0].from: \"wrte\" is not a node of this workflow, did you mean \"write\"?"},
        {"edges", R"([{"from":"write","to":{"ok":"review","bad":"nowhere"}}])",
         "edges[0].to: \"nowhere\" is not a node of this workflow; define it under nodes, or name one of them"},
        {"edges", R"([{"from":"write","to":7}])",
         "edges[0].to: must be the name of a node, or an object from routing keys to nodes"},
        {"edges", R"([{"from":"write","to":{}}])", "edges[0].to: must name at least one node"},
        {"edges", R"([{"from":"write","to":{"ok":1}}])", "edges[0].to.ok: must be the name of a node"},
        {"edges", R"([{"from":"write"}])", "edges[0].to: is required"},
        {"edges", R"([{"to":"write"}])", "edges[0].from: is required"},
        {"edges", R"([{"from":"write","to":"review"},{"from":"review","to":{"again":"write"}}])",
         "edges: must not contain cycles, and write → review → write is one"},
        {"entry_point", "\"start\"",
         "entry_point: \"start\" is not a node of this workflow; define it under nodes, or name one of them"},
        {"checkpoints", R"(["reviw"])",
         "checkpoints[0]: \"reviw\" is not a node of this workflow, did you mean \"review\"?"},
        {"max_iterations", "0", "max_iterations: must be at least 1, is 0"},
        {"nodes", R"({"write":{"type":"agent"},"review":{"type":"human"}})",
         "nodes.write.agent: is required for a node of type agent"},
        {"nodes", R"({"write":{"type":"tool","agent":"x"},"review":{"type":"human"}})",
         "nodes.write.tool: is required for a node of type tool"},
        {"nodes", R"({"write":{"type":"robot"},"review":{"type":"human"}})",
         "nodes.write.type: \"robot\" is none of agent, tool, condition, human, loop, map, workflow, team"},
        {"state", R"({"notes":{"reducer":"sum"}})",
         "state.notes.reducer: \"sum\" is none of replace, append, merge, max, min"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.value);
        CHECK(problems_with<Graph>(c.field, c.value) == c.says);
    }
    for (const char* field : {"name", "patterns", "nodes", "edges", "entry_point"})
        CHECK(problems_without<Graph>(field) == std::string(field) + ": is required");
    CHECK(problems_without<NodeDef>("type") == "type: is required");
}

TEST_CASE("a workflow has document 000's names on the wire, and its defaults")  // FLOW-01 U
{
    const char* const text =
        R"({"name":"w","patterns":["react"],"nodes":{"z":{"type":"agent","agent":"x","tool":null},)"
        R"("c":{"type":"condition","agent":null,"tool":null},"t":{"type":"tool","agent":null,"tool":"search"},)"
        R"("h":{"type":"human","agent":null,"tool":null}},)"
        R"("edges":[{"from":"z","to":"c","condition":null},{"from":"c","to":{"a":"t","b":"h"},"condition":"x > 1"}],)"
        R"("entry_point":"z","checkpoints":["h"],"max_iterations":12})";
    const auto graph = from_text<Graph>(text);
    CHECK(graph.entry == "z");
    CHECK(graph.hitl_nodes == std::vector<std::string>{"h"});
    CHECK(to_json_text(graph) == text);
    CHECK(default_of<Graph>("max_iterations") == "50");
    CHECK(default_of<Graph>("checkpoints") == "[]");
}

TEST_CASE("an edge leads to its node, or to the node of the routing key")
{
    const EdgeDef plain{.from = "a", .to = json::value("b")};
    CHECK(find_target(plain, "whatever") == "b");
    CHECK(targets(plain) == std::vector<std::string_view>{"b"});
    const EdgeDef mapped{.from = "a", .to = parse_json(R"({"x":"n1","y":"n2"})")};
    CHECK(find_target(mapped, "y") == "n2");
    CHECK(!find_target(mapped, "z"));
    CHECK(targets(mapped) == std::vector<std::string_view>{"n1", "n2"});
}

TEST_CASE("a cycle is found and named, wherever it is")
{
    using Names = std::vector<std::string>;
    CHECK(!find_cycle(graph_of("a", {})));
    CHECK(!find_cycle(graph_of("abcd", {{"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}})));  // two ways to one node
    CHECK(find_cycle(graph_of("a", {{"a", "a"}})) == Names{"a", "a"});
    CHECK(find_cycle(graph_of("abc", {{"a", "b"}, {"b", "c"}, {"c", "b"}})) == Names{"b", "c", "b"});
    CHECK(find_cycle(graph_of("abcd", {{"a", "b"}, {"c", "d"}, {"d", "c"}})) == Names{"c", "d", "c"});  // out of reach
    Graph chain{.name = "long", .entry = "0"};
    for (int i = 0; i < 100'000; ++i)
        chain.edges.push_back({.from = std::to_string(i), .to = json::value(std::to_string(i + 1))});
    CHECK(!find_cycle(chain));  // and the stack holds
}

TEST_CASE("nodes that no way leads to are named")
{
    CHECK(unreachable_nodes(graph_of("abc", {{"a", "b"}, {"b", "c"}})).empty());
    CHECK(unreachable_nodes(graph_of("abcd", {{"a", "b"}, {"d", "c"}})) == std::vector<std::string>{"c", "d"});
}
