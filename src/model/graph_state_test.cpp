#include "model/graph_state.hpp"

#include "base/json.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;

namespace {

/// a, then b and c at the same time, then d, then e.
Graph diamond(std::string_view join = "null")
{
    return from_text<Graph>(R"({"name":"g","patterns":[],"entry_point":"a","nodes":{
        "a":{"type":"condition"},"b":{"type":"condition"},"c":{"type":"condition"},"e":{"type":"condition"},
        "d":{"type":"condition","join":)" +
                            std::string(join) + R"(}},
        "edges":[{"from":"a","to":"b"},{"from":"a","to":"c"},{"from":"b","to":"d"},{"from":"c","to":"d"},{"from":"d","to":"e"}],
        "state":{"x":{"schema":{}},"list":{"schema":{},"reducer":"append"},"most":{"schema":{},"reducer":"max"}}})");
}

constexpr std::size_t kA = 0, kB = 1, kC = 2, kD = 3, kE = 4;

struct Past {
    std::vector<json::object> updates = std::vector<json::object>(5);
    std::vector<Executed> executed = std::vector<Executed>(5);

    Past()
    {
        executed[kB].counted = {kA};
        executed[kC].counted = {kA};
        executed[kD].counted = {kB, kC};
        for (std::size_t i = 0; i < 5; ++i) executed[i].update = &updates[i];
    }
    void set(std::size_t node, std::string_view metadata) { updates[node] = {{"metadata", parse_json(metadata)}}; }
    /// With its members in the order of their names.
    std::string at(const Graph& graph, std::size_t node, std::vector<std::size_t> counted) const
    {
        const GraphOrder order = order_of(graph);
        return to_canonical_text(state_at(graph, order, initial_state(graph, {}), executed, node, counted).metadata);
    }
};

}  // namespace

TEST_CASE("parallel arms do not see each other's updates, a join sees all, in the order of the graph")
{
    const Graph graph = diamond();
    Past past;
    past.set(kA, R"({"x":1,"list":["a"],"most":2})");
    past.set(kB, R"({"list":"b","most":9})");
    past.set(kC, R"({"list":["c"],"most":3,"x":5})");
    CHECK(past.at(graph, kB, {kA}) == R"({"list":["a"],"most":2,"x":1})");
    CHECK(past.at(graph, kC, {kA}) == R"({"list":["a"],"most":2,"x":1})");
    CHECK(past.at(graph, kD, {kB, kC}) == R"({"list":["a","b","c"],"most":9,"x":5})");
    CHECK(past.at(graph, kD, {kC, kB}) == R"({"list":["a","b","c"],"most":9,"x":5})");  // whatever order they came in
    CHECK(past.at(graph, kD, {kB}) == R"({"list":["a","b"],"most":9,"x":1})");          // the other arm does not count
    past.set(kD, R"({"x":6})");
    CHECK(past.at(graph, kE, {kD}) == R"({"list":["a","b","c"],"most":9,"x":6})");
}

TEST_CASE("two nodes that set one field at the same time are named, unless the join says who wins")
{
    Past past;
    past.set(kB, R"({"x":"b"})");
    past.set(kC, R"({"x":"c"})");
    CHECK_THROWS_WITH(past.at(diamond(), kD, {kB, kC}), doctest::Contains("field x was set by both b and c"));
    const Graph won = diamond(R"({"winner":{"x":"b"}})");
    CHECK(past.at(won, kD, {kB, kC}) == R"({"x":"b"})");
    CHECK(past.at(won, kE, {kD}) == R"({"x":"b"})");  // and behind it
    CHECK(past.at(won, kD, {kC}) == R"({"x":"c"})");  // where the winner was not executed there is nothing to win
    past.set(kA, R"({"x":"a"})");
    CHECK(past.at(diamond(), kD, {kB}) == R"({"x":"b"})");  // one after the other do not conflict
}

TEST_CASE("a workflow begins with what it declares: given, or the default of its schema")
{
    Graph graph = diamond();
    graph.state["x"].schema = {{"default", 7}};
    CHECK(initial_state(graph, {}).metadata == json::object{{"x", 7}});
    CHECK(initial_state(graph, {{"x", 1}, {"other", 2}}).metadata == json::object{{"x", 1}});
}

TEST_CASE("two updates as one do what both do, one after the other")
{
    const Graph graph = diamond();
    const json::object first{{"routing_key", "a"}, {"metadata", {{"x", 1}, {"list", {"a"}}, {"most", 3}}}};
    const json::object second{{"routing_key", "b"}, {"metadata", {{"x", 2}, {"list", "b"}, {"most", 1}}}};
    const json::object both = composed(first, second, graph.state);
    for (const char* before : {R"({})", R"({"list":["z"],"most":2,"x":0})"}) {
        State state;
        state.metadata = parse_json(before).as_object();
        CHECK(updated(state, both, graph.state) == updated(updated(state, first, graph.state), second, graph.state));
    }
}

TEST_CASE("people may write the workflow's fields beside the state's")
{
    const Graph graph = diamond();
    CHECK(with_own_fields({{"routing_key", "a"}, {"x", 1}, {"metadata", {{"most", 2}}}}, graph.state) ==
          json::object{{"routing_key", "a"}, {"metadata", {{"most", 2}, {"x", 1}}}});
    CHECK(with_own_fields({{"next_action", "a"}}, graph.state) == json::object{{"next_action", "a"}});
}
