#include "model/graph_check.hpp"

#include "base/json.hpp"
#include "model/graph.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using namespace cadre;
using namespace cadre::model;

namespace {

struct Remarks {
    Problems errors{}, warnings{};
};

Remarks remarks_on(const Graph& graph)
{
    Remarks remarks;
    check_workflow(graph, remarks.errors, remarks.warnings);
    return remarks;
}

Graph graph_from(const std::string& nodes, const std::string& edges, const std::string& more = "")
{
    const std::string entry = nodes.substr(1, nodes.find('"', 1) - 1);
    return from_text<Graph>(
        fmt::format(R"({{"name":"g","patterns":["react"],"nodes":{{{}}},"edges":[{}],"entry_point":"{}"{}}})", nodes,
                    edges, entry, more.empty() ? "" : "," + more));
}

/// `a>b b>c`: edges between agents.
std::string ways(const std::string& text)
{
    std::string edges;
    for (std::size_t at = 0; at < text.size();
         at = text.find(' ', at) == text.npos ? text.size() : text.find(' ', at) + 1) {
        const std::string one = text.substr(at, text.find(' ', at) - at);
        const std::size_t arrow = one.find('>');
        edges += fmt::format(R"({}{{"from":"{}","to":"{}"}})", edges.empty() ? "" : ",", one.substr(0, arrow),
                             one.substr(arrow + 1));
    }
    return edges;
}

/// Nodes of agents: `a b=x c` of which b writes the field x.
std::string agents(const std::string& text)
{
    std::string nodes;
    for (std::size_t at = 0; at < text.size();
         at = text.find(' ', at) == text.npos ? text.size() : text.find(' ', at) + 1) {
        const std::string one = text.substr(at, text.find(' ', at) - at);
        const std::size_t equals = one.find('=');
        const std::string output = equals == one.npos ? "" : fmt::format(R"(,"output":"{}")", one.substr(equals + 1));
        nodes += fmt::format(R"({}"{}":{{"type":"agent","agent":"w"{}}})", nodes.empty() ? "" : ",",
                             one.substr(0, equals), output);
    }
    return nodes;
}

const std::string kState = R"("state":{"x":{"schema":{}},"y":{"schema":{}},"list":{"schema":{},"reducer":"append"}})";

}  // namespace

TEST_CASE("a workflow's nodes have no field that they have no use for")
{
    struct {
        const char* node;
        const char* says;
    } const cases[] = {
        {R"({"type":"agent","agent":"w","args":{"q":"x"}})", "nodes.n.args: means something only for a node of type "
                                                             "tool, loop or map; this one is of type agent: remove it"},
        {R"({"type":"human","tool":"clock"})", "nodes.n.tool: means something only for a node of type tool, loop or "
                                               "map; this one is of type human: remove it"},
        {R"({"type":"human","retry":{"max":2}})", "nodes.n.retry: means something only for a node of type agent, tool, "
                                                  "loop, map, workflow or team; this one is of "
                                                  "type human: remove it"},
        {R"({"type":"tool","tool":"clock","prompt":"Hi"})",
         "nodes.n.prompt: means something only for a node of type agent, human, loop, map, workflow or team; this one "
         "is of type "
         "tool: remove it"},
        {R"({"type":"agent","agent":"w","loop":{"max":2}})",
         "nodes.n.loop: means something only for a node of type loop; this one is of type agent: remove it"},
        {R"({"type":"loop","loop":{"max":2}})",
         "nodes.n.loop: has no body; name what is repeated: agent or tool at the node, or workflow in here"},
        {R"({"type":"loop","agent":"w","loop":{"max":2,"workflow":"other"}})",
         "nodes.n.loop: has more than one body; keep one of the node's agent, its tool, and workflow"},
        {R"({"type":"map","tool":"clock","prompt":"Hi","map":{"over":"state.x"}})",
         "nodes.n.prompt: is not for a tool; write args, or remove it"},
        {R"({"type":"map","agent":"w","args":{"a":1},"map":{"over":"state.x"}})",
         "nodes.n.args: are for a tool, and the node has none; remove them"},
        {R"({"type":"map","agent":"w","map":{"over":"state.x","k":2}})",
         "nodes.n.map.k: is for the policy quorum; write that, or remove it"},
        {R"({"type":"agent","agent":"w","join":{"k":2}})",
         "nodes.n.join.k: is for the policy quorum; write that, or remove it"},
        {R"({"type":"agent","agent":"w","output":"z"})",
         "nodes.n.output: \"z\" is not a field of this workflow's state; declare it under state"},
        {R"({"type":"agent","agent":"w","set":{"routing_kee":"1"}})",
         "nodes.n.set.routing_kee: \"routing_kee\" is not a field of this workflow's state, did you mean "
         "\"routing_key\"?"},
        {R"({"type":"map","agent":"w","map":{"over":"state.x","into":"lost"}})",
         "nodes.n.map.into: \"lost\" is not a field of this workflow's state, did you mean \"list\"?"},
        {R"({"type":"condition"})",
         "nodes.n: chooses between ways, and no edge leads on from it; add one, or remove it"},
        {R"({"type":"agent","agent":"w","join":{"winner":{"x":"nobody"}}})",
         "nodes.n.join.winner.x: \"nobody\" is not a node of this workflow"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.node);
        CHECK(remarks_on(graph_from(std::string(R"("n":)") + c.node, "", kState)).errors.text() == c.says);
    }
    const char* const good[] = {
        R"({"type":"agent","agent":"w","prompt":"Hi","context":"last","output":"x","timeout":3,"retry":{}})",
        R"({"type":"human","prompt":"Hi","output":"x"})",
        R"({"type":"loop","tool":"clock","args":{"a":1},"loop":{"max":2}})",
        R"({"type":"map","map":{"over":"state.x","workflow":"other","policy":"quorum","k":2,"into":"list"}})",
        R"({"type":"workflow","workflow":"other","output":"y"})",
    };
    for (const char* node : good) {
        CAPTURE(node);
        CHECK(remarks_on(graph_from(std::string(R"("n":)") + node, "", kState)).errors.text() == "");
    }
}

TEST_CASE("a node's name fits into a path of the journal")
{
    for (const std::string name : {"a", "_b", "Review-2.final", "a_b"}) {
        CAPTURE(name);
        CHECK(remarks_on(graph_from(fmt::format(R"("{}":{{"type":"human"}})", name), "")).errors.empty());
    }
    for (const std::string name : {"", "2a", "think:1", "a/b", "-a", "a b", "ä"}) {
        CAPTURE(name);
        const auto remarks = remarks_on(graph_from(fmt::format(R"("{}":{{"type":"human"}})", name), ""));
        CHECK(remarks.errors.text().find("is not a node's name") != std::string::npos);
    }
    const std::string most(64, 'a');
    CHECK(remarks_on(graph_from(fmt::format(R"("{}":{{"type":"human"}})", most), "")).errors.empty());
    CHECK(!remarks_on(graph_from(fmt::format(R"("{}a":{{"type":"human"}})", most), "")).errors.empty());
}

TEST_CASE("a quorum is not larger than the number of edges into its node")
{
    const auto join = [](int k, const char* edges) {
        return remarks_on(
                   graph_from(agents("a b c") +
                                  fmt::format(R"(,"d":{{"type":"human","join":{{"policy":"quorum","k":{}}}}})", k),
                              edges))
            .errors.text();
    };
    const std::string fan = ways("a>b a>c b>d c>d");
    CHECK(join(2, fan.c_str()) == "");
    CHECK(join(3, fan.c_str()) == "nodes.d.join.k: is 3, and only 2 edges lead here; lower it, or add edges");
    // both keys of a mapping are one edge
    CHECK(join(2, R"({"from":"a","to":"b"},{"from":"b","to":"c"},{"from":"c","to":{"x":"d","y":"d"}})") ==
          "nodes.d.join.k: is 2, and only 1 edge leads here; lower it, or add edges");
}

TEST_CASE("reflection is described only where it is used")
{
    const std::string reflection = R"("reflection":{"agent":"critic"})";
    CHECK(remarks_on(graph_from(agents("a"), "", reflection)).errors.text() ==
          "reflection: means something only if patterns name reflection; add it there, or remove this");
}

TEST_CASE("a workflow whose shortest way takes more than it may is refused")
{
    const auto with = [](int most, const std::string& edges) {
        return remarks_on(graph_from(agents("a b c"), edges, fmt::format(R"("max_iterations":{})", most)))
            .errors.text();
    };
    CHECK(with(6, ways("a>b b>c")) == "");
    CHECK(with(5, ways("a>b b>c")) == "max_iterations: is 5, and the shortest way through the workflow takes 6, two "
                                      "for each agent and tool; raise it");
    CHECK(with(4, ways("a>b b>c") + R"(,{"from":"a","to":"c","condition":"state.x"})") == "");
}

TEST_CASE("parallel nodes that replace one field are refused, unless it is known whose value counts")
{
    struct {
        const char* name;
        std::string nodes, edges;
        const char* error;
        const char* warning;
    } const cases[] = {
        {"one after the other", agents("a=x b=x c"), ways("a>b b>c"), "", ""},
        {"diamond", agents("a b=x c=x d"), ways("a>b a>c b>d c>d"),
         "nodes.d: b, c replace the field \"x\" of the state at the same time, and meet here; say under "
         "join.winner whose "
         "value counts, or declare another reducer",
         ""},
        {"they never meet", agents("a b=x c=x"), ways("a>b a>c"), "", ""},
        {"different fields", agents("a b=x c=y d"), ways("a>b a>c b>d c>d"), "", ""},
        {"a reducer that merges", agents("a b=list c=list d"), ways("a>b a>c b>d c>d"), "", ""},
        {"further down", agents("a b=x c e=x d f"), ways("a>b a>c c>e b>d e>d d>f"),
         "nodes.d: b, e replace the field \"x\" of the state at the same time, and meet here; say under "
         "join.winner whose "
         "value counts, or declare another reducer",
         ""},
        {"one arm writes twice", agents("a b=x e=x c=x d"), ways("a>b b>e a>c e>d c>d"),
         "nodes.d: c, e replace the field \"x\" of the state at the same time, and meet here; say under "
         "join.winner whose "
         "value counts, or declare another reducer",
         ""},
        {"both before the last", agents("a=x b c=x d"), ways("a>b a>c b>d c>d"), "", ""},
        {"targets of a mapping", agents("a b=x c=x d"), R"({"from":"a","to":{"l":"b","r":"c"}},)" + ways("b>d c>d"), "",
         ""},
        {"behind targets of a mapping", agents("a b c e=x f=x d"),
         R"({"from":"a","to":{"l":"b","r":"c"}},)" + ways("b>e c>f e>d f>d"), "", ""},
        {"a third, unconditional one", agents("a b=x c=x e=x d"),
         R"({"from":"a","to":{"l":"b","r":"c"}},)" + ways("a>e b>d c>d e>d"),
         "nodes.d: b, c, e replace the field \"x\" of the state at the same time, and meet here; say under join.winner "
         "whose "
         "value counts, or declare another reducer",
         ""},
        {"parallel ones behind one key", agents("a p c=x b=x e=x d"),
         R"({"from":"a","to":{"l":"p","r":"c"}},)" + ways("p>b p>e b>d e>d c>d"),
         "nodes.d: b, e replace the field \"x\" of the state at the same time, and meet here; say under join.winner "
         "whose value "
         "counts, or declare another reducer",
         ""},
        {"success and failure", agents("a b=x c=x d"),
         R"({"from":"a","to":"b"},{"from":"a","to":"c","on":"error"},)" + ways("b>d c>d"), "", ""},
        {"opposite conditions", agents("a b=x c=x d"),
         R"({"from":"a","to":"b","condition":"state.y"},{"from":"a","to":"c","condition":"not state.y"},)" +
             ways("b>d c>d"),
         "",
         "nodes.d: b, c replace the field \"x\" of the state, and meet here; if more than one of them runs, the "
         "workflow "
         "fails: say under join.winner whose value counts"},
        {"a winner", agents("a b=x c=x") + R"(,"d":{"type":"human","join":{"winner":{"x":"b"}}})",
         ways("a>b a>c b>d c>d"), "", ""},
        {"the first", agents("a b=x c=x") + R"(,"d":{"type":"human","join":{"policy":"first"}})",
         ways("a>b a>c b>d c>d"), "", ""},
        {"told once", agents("a b=x c=x d e f g"), ways("a>b a>c b>d c>d d>e d>f e>g f>g"),
         "nodes.d: b, c replace the field \"x\" of the state at the same time, and meet here; say under "
         "join.winner whose "
         "value counts, or declare another reducer",
         ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const Remarks remarks = remarks_on(graph_from(c.nodes, c.edges, kState));
        CHECK(remarks.errors.text() == c.error);
        CHECK(remarks.warnings.text() == c.warning);
    }
}

TEST_CASE("of ten thousand nodes that clash, one message tells")  // a quadratic look at them would take minutes
{
    constexpr int kNodes = 10'000;
    Graph chain{.name = "g", .patterns = {"react"}, .entry = "n0", .max_iterations = 2 * kNodes};
    Graph fan = chain;
    for (const char* field : {"x", "y"}) chain.state[field] = {}, fan.state[field] = {};
    for (int i = 0; i < kNodes; ++i) {
        const std::string name = fmt::format("n{}", i);
        const NodeDef node{.agent = "w", .output = i % 2 ? "x" : "y"};
        chain.nodes[name] = fan.nodes[name] = node;
        if (i > 0) chain.edges.push_back({.from = fmt::format("n{}", i - 1), .to = json::value(name)});
        if (i > 0 && i < kNodes - 1) {
            fan.edges.push_back({.from = "n0", .to = json::value(name)});
            fan.edges.push_back({.from = name, .to = json::value(fmt::format("n{}", kNodes - 1))});
        }
    }
    CHECK(remarks_on(chain).errors.text() == "");
    const Remarks wide = remarks_on(fan);
    CHECK(wide.errors.count() == 2);
    CHECK(wide.errors.text().find(" and 4994 more replace the field") != std::string::npos);
}
