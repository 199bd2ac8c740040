#include "engine/node_progress.hpp"

#include "engine/test_cut.hpp"
#include "engine/test_flow.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using storage::Record;
using storage::RecordKind;

namespace {

/// A part of a flow, and of the graph that says the same.
struct Leg {
    const char* name;
    std::vector<std::size_t> inputs{};
    int nap = 0;
    bool fails = false;
    std::size_t enough = 0;  // 0: all
    bool tolerated = true;
    bool asks = false;
};

using Legs = std::vector<Leg>;

model::Graph graph_of(const Legs& legs)
{
    model::Graph graph{.name = "legs", .entry = legs.front().name};
    for (const Leg& leg : legs) {
        model::NodeDef& node = graph.nodes[leg.name];
        if (leg.enough > 0)
            node.join = model::Join{.policy = model::JoinPolicy::quorum, .k = static_cast<int>(leg.enough)};
        for (const std::size_t input : leg.inputs)
            graph.edges.push_back({.from = legs[input].name, .to = boost::json::value(leg.name)});
    }
    return graph;
}

std::function<Async<model::Reply>(Run&)> pattern_with(const Legs& legs)
{
    return [legs](Run& run) -> Async<model::Reply> {
        std::vector<FlowPart> parts;
        for (const Leg& leg : legs)
            parts.push_back({.name = leg.name,
                             .inputs = leg.inputs,
                             .policy = leg.enough > 0 ? Policy::enough : Policy::all,
                             .enough = leg.enough,
                             .tolerated = leg.tolerated});
        const TestFlow flow(std::move(parts));
        const auto body = [&legs](Run& at, std::size_t part, const Inputs<std::string>&) -> Async<std::string> {
            const Leg& leg = legs[part];
            if (leg.asks) co_await at.ask({.context = {{"question", "ok?"}}});
            co_await pay_for(at, static_cast<int>(part), leg.nap);
            if (leg.fails) throw Error(Code::upstream, std::string(leg.name) + " broke");
            co_return std::string(leg.name);
        };
        co_await run.flow<std::string>(flow, body);
        co_return run.reply("end");
    };
}

std::string words_for(const std::vector<NodeState>& states, const model::Graph& graph)
{
    std::string words;
    for (std::size_t i = 0; i < states.size(); ++i)
        words += fmt::format("{}{} {}", i > 0 ? ", " : "", graph.nodes.item(i).first, name_of(states[i].status));
    return words;
}

struct Told {
    std::vector<std::string> on_the_way{};  // each once
    std::string at_the_end{};
};

/// After each record of a run.
Told told(const Legs& legs)
{
    Stage world(pattern_with(legs));
    const Id id = world.play();
    world.finish(id);
    const model::Graph graph = graph_of(legs);
    NodeProgress states(graph);
    Told told;
    for (const Record& record : world.records(id)) {
        states.take(record);
        told.at_the_end = words_for(states.states(), graph);
        if (told.on_the_way.empty() || told.on_the_way.back() != told.at_the_end)
            told.on_the_way.push_back(told.at_the_end);
    }
    return told;
}

Record record_at(RecordKind kind, std::string path, std::string body = "{}")
{
    static int ms = 0;
    return {.at = Time(Millis(++ms)), .kind = kind, .path = std::move(path), .body = std::move(body)};
}

Record intent_at(std::string path)
{
    return record_at(RecordKind::intent, std::move(path), R"({"effect":"now"})");
}

Record outcome_of(std::string path)
{
    return record_at(RecordKind::outcome, std::move(path), R"({"effect":"now","at":"2026-01-01T00:00:00Z"})");
}

}  // namespace

TEST_CASE("node states: what became of each node once the task has ended")
{
    struct {
        const char* name;
        Legs legs;
        const char* says;
    } const cases[] = {
        {"a chain", {{"a"}, {"b", {0}}}, "a done, b done"},
        {"a tolerated failure", {{"a"}, {"b", {}, 0, true}, {"c", {0, 1}}}, "a done, b failed, c done"},
        {"all behind a failure", {{"a", {}, 0, true}, {"b", {0}}}, "a failed, b skipped"},
        {"a failure that ends it",
         {{"a", {}, 500}, {.name = "b", .fails = true, .tolerated = false}, {"c", {0}}},
         "a cancelled, b failed, c skipped"},
        {"who came too late",
         {{"a", {}, 500}, {"b", {}, 10}, {.name = "c", .inputs = {0, 1}, .enough = 1, .tolerated = false}},
         "a cancelled, b done, c done"},
        {"who came too late had not begun",
         {{"a", {}, 500}, {"b", {0}}, {"c"}, {.name = "d", .inputs = {1, 2}, .enough = 1}},
         "a cancelled, b skipped, c done, d done"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.name));
        CHECK(told(c.legs).at_the_end == c.says);
    }
}

TEST_CASE("node states: what is known while the task runs")
{
    SUBCASE("one node after the other, one that waits for a person among them")
    {
        CHECK(told({{"a"}, {.name = "b", .inputs = {0}, .asks = true}, {"c", {1}}}).on_the_way ==
              std::vector<std::string>{"a pending, b pending, c pending", "a running, b pending, c pending",
                                       "a done, b pending, c pending", "a done, b waiting, c pending",
                                       "a done, b running, c pending", "a done, b done, c pending",
                                       "a done, b done, c running", "a done, b done, c done"});
    }
    SUBCASE("a failure is seen as soon as somebody continues without it, and so is what will never begin")
    {
        const auto seen = told({{"a", {}, 0, true}, {"b", {0}}, {"c"}, {"d", {1, 2}, 50}}).on_the_way;
        CHECK(std::ranges::count(seen, "a failed, b skipped, c done, d running") == 1);
    }
    SUBCASE("a loser whose result somebody else needs continues")
    {
        const auto seen =
            told({{"a", {}, 500}, {"b"}, {.name = "c", .inputs = {0, 1}, .enough = 1}, {"d", {0, 1}}}).on_the_way;
        CHECK(std::ranges::count(seen, "a running, b done, c done, d pending") == 1);
        CHECK(seen.back() == "a done, b done, c done, d done");
    }
}

TEST_CASE("node states: the times of a node are those of its first and its last record")
{
    Stage world(pattern_with({{"a", {}, 100}}));
    const Id id = world.play();
    world.finish(id);
    const auto states = node_states(world.records(id), graph_of({{"a"}}));
    REQUIRE(states[0].started.has_value());
    REQUIRE(states[0].ended.has_value());
    CHECK(*states[0].ended - *states[0].started == Millis(120));
}

TEST_CASE("node states: a result says where its node led, and that it failed although something follows")
{
    model::Graph graph{.name = "routed", .entry = "ask"};
    for (const char* name : {"ask", "x", "y", "z", "end"}) graph.nodes[name];
    graph.edges.push_back({.from = "ask", .to = boost::json::parse(R"({"good":"x","bad":"y"})")});
    graph.edges.push_back({.from = "ask", .to = boost::json::value("z"), .on = model::EdgeOn::error});
    for (const char* name : {"x", "y", "z"}) graph.edges.push_back({.from = name, .to = boost::json::value("end")});
    struct {
        const char* result;
        const char* says;
    } const cases[] = {
        {R"({"work":{},"next":["y"]})", "ask done, x skipped, y pending, z skipped, end pending"},
        {R"({"work":{},"next":["z"],"error":"broke"})", "ask failed, x skipped, y skipped, z pending, end pending"},
        {R"({"next":[]})", "ask done, x skipped, y skipped, z skipped, end skipped"},
        {R"({"work":{}})", "ask done, x pending, y pending, z skipped, end pending"},
        {R"("text")", "ask done, x pending, y pending, z skipped, end pending"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.result));
        CHECK(words_for(node_states(std::vector{record_at(RecordKind::node_done, "ask", c.result)}, graph), graph) ==
              c.says);
    }
}

TEST_CASE("node states: turns, attempts and branches are counted, also in a workflow inside another")
{
    for (const std::string scope : {"", "outer/2/"}) {
        CAPTURE(scope);
        model::Graph graph{.name = "counts", .entry = "turns"};
        graph.nodes["turns"] = {.type = model::NodeType::loop, .loop = model::LoopDef{.max = 5}};
        graph.nodes["each"] = {
            .type = model::NodeType::map, .timeout = 9.0, .retry = model::NodeRetry{}, .map = model::MapDef{}};
        graph.nodes["agent"] = {};
        std::vector<Record> records;
        for (const char* path : {"turns/turn/now:1", "turns/turn/2/now:1", "each/try/branch:1.0/branch:1.red/now:1",
                                 "each/try/2/branch:1.0/branch:1.red/now:1",
                                 "each/try/2/branch:1.0/branch:1.blue/now:1", "agent/branch:1.0/now:1"})
            records.push_back(intent_at(scope + path));
        records.push_back(outcome_of(scope + "each/try/branch:1.0/branch:1.red/now:1"));
        records.push_back(outcome_of(scope + "each/try/2/branch:1.0/branch:1.red/now:1"));
        records.push_back(intent_at("turns/turn/7/now:1"));
        if (scope.empty()) records.pop_back();
        const auto states = node_states(records, graph, scope);
        CHECK(states[0].turns == 2);
        CHECK(states[1].attempts == 2);
        CHECK(states[1].branches == 2);
        CHECK(states[1].at_work == 1);
        CHECK(states[2].branches == 0);
        CHECK(states[2].status == NodeStatus::running);
    }
}

TEST_CASE("node states: a long chain is looked at in time that grows with it")
{
    model::Graph graph{.name = "long", .entry = "n0"};
    std::vector<Record> records;
    for (int i = 0; i < 10'000; ++i) {
        const std::string name = "n" + std::to_string(i);
        graph.nodes[name];
        if (i > 0) graph.edges.push_back({.from = "n" + std::to_string(i - 1), .to = boost::json::value(name)});
        if (i < 5'000) records.push_back(record_at(RecordKind::node_done, name));
    }
    const auto states = node_states(records, graph);
    CHECK(std::ranges::count(states, NodeStatus::done, &NodeState::status) == 5'000);
    CHECK(std::ranges::count(states, NodeStatus::pending, &NodeState::status) == 5'000);
}
