// Where ways meet: the policies of joins, dead arms, failures, and what time may not decide.
#include "base/random.hpp"
#include "patterns/graph/test_workflow.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using model::TaskStatus;

namespace {

using Texts = std::vector<std::string>;

/// A node that pays `n`.
std::string pays(std::string_view name, int n, std::string_view more = "", std::string_view tool = "buy")
{
    return "\"" + std::string(name) + R"(":{"type":"tool","tool":")" + std::string(tool) + R"(","args":{"n":)" +
           std::to_string(n) + "}" + std::string(more) + "}";
}

std::string joins(std::string_view name, std::string_view join, std::string_view agent = "c")
{
    return "\"" + std::string(name) + R"(":{"type":"agent","agent":")" + std::string(agent) + R"(","join":)" +
           std::string(join) + "}";
}

/// The tool takes as long as `takes` says, and fails for the amounts in `fails`.
struct Payments : Flowing {
    Payments(const Sketch& sketch, std::vector<int> failing = {}, std::map<int, int> takes = {}) : Flowing(sketch)
    {
        registry.add(std::make_shared<SlowTool>(std::move(failing), std::move(takes)));
        for (model::Agent& agent : team->agents) agent.tools.push_back("buy");
    }

    class SlowTool final : public tools::Tool {
    public:
        SlowTool(std::vector<int> failing, std::map<int, int> takes)
            : failing_(std::move(failing)), takes_(std::move(takes))
        {
            definition_.name = "buy";
            definition_.description = "Pays.";
            definition_.effect = model::Effect::once;
        }
        const model::Tool& definition() const override { return definition_; }
        Async<tools::Result> call(tools::Call call, tools::ToolContext&) override
        {
            const int n = call.arguments.at("n").to_number<int>();
            const auto takes = takes_.find(n);
            co_await sleep_for(Millis(takes == takes_.end() ? 10 : takes->second));
            if (std::ranges::count(failing_, n))
                co_return tools::Result{.text = "no " + std::to_string(n), .is_error = true};
            co_return tools::Result{.text = "paid " + std::to_string(n)};
        }

    private:
        model::Tool definition_;
        std::vector<int> failing_;
        std::map<int, int> takes_;
    };
};

const std::string kFan = R"("s":{"type":"condition"},)";

}  // namespace

TEST_CASE("case 1: a diamond with a dead arm: the join runs once with the live arm's state")
{
    Payments world(
        {.nodes = kFan + pays("x", 1, R"(,"output":"v")") + "," + pays("y", 2, R"(,"output":"v")") + "," +
                  joins("j", "null") + R"(,"after":{"type":"agent","agent":"b","prompt":"{{ state.v }}"})",
         .edges = "x>j y>j j>after",
         .more_edges = R"([{"from":"s","to":"x","condition":"true"},{"from":"s","to":"y","condition":"false"}])",
         .more = R"({"state":{"v":{"schema":{}}}})"});
    const Id id = world.begin_flow();
    CHECK(world.rest(id).status == TaskStatus::completed);
    REQUIRE(world.model->requests.size() == 2);
    CHECK(world.heard(world.model->requests[0]) == Texts{"Go.", "[x] paid 1"});
    CHECK(world.model->requests[1].messages[0]->text == "paid 1");
}

TEST_CASE("fail_fast: a failure ends the workflow and says where")
{
    Payments world(
        {.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + "," + joins("j", "null"), .edges = "s>x s>y x>j y>j"}, {2},
        {{1, 1000}});
    const Id id = world.begin_flow();
    CHECK(ending(world.rest(id)) == "failed: no 2 (node 'y')");
    CHECK(world.model->requests.empty());
}

TEST_CASE("collect: failures are values, and conditions see them as errors")
{
    const Sketch sketch{.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + "," +
                                 R"("z":{"type":"agent","agent":"a"},)" +
                                 R"("j":{"type":"agent","agent":"c","join":{"policy":"collect"},
                                   "prompt":"{{ errors | tojson }}"},"k":{"type":"agent","agent":"b",
                                   "prompt":"{{ errors.y }}"})",
                        .edges = "s>x s>y y>z x>j z>j j>k"};
    Payments world(sketch, {2});
    CHECK(world.play_out() == "b heard 3");
    REQUIRE(world.model->requests.size() == 2);  // z was not executed
    CHECK(world.heard(world.model->requests[0]) == Texts{R"x({"y": "no 2 (node \u0027y\u0027)"})x", "[x] paid 1"});
    CHECK(world.model->requests[1].messages[0]->text == "no 2 (node 'y')");

    Payments all(sketch, {1, 2});
    CHECK(all.play_out() == "failed: no way to 'j' succeeded: x: no 1 (node 'x'); y: no 2 (node 'y')");
}

TEST_CASE("a failure that a join does not cover on every way ends the workflow")
{
    Payments world({.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + "," + joins("j", R"({"policy":"collect"})") +
                             R"(,"log":{"type":"agent","agent":"a"})",
                    .edges = "s>x s>y x>j y>j x>log"},
                   {1});
    CHECK(world.play_out() == "failed: no 1 (node 'x')");
}

TEST_CASE("first: the others are cancelled, also what they ask people")
{
    Payments world({.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + R"(,"q":{"type":"human"},)" +
                             joins("j", R"({"policy":"first"})"),
                    .edges = "s>x s>y s>q x>j y>j q>j"},
                   {}, {{1, 500}, {2, 100}});
    const Id id = world.begin_flow();
    CHECK(world.rest(id).reply->text == "c heard 2");
    CHECK(world.heard(world.model->requests[0]) == Texts{"Go.", "[y] paid 2"});
    CHECK(world.state(id).questions.empty());
    CHECK(outcome_at(world.records(id), "join:j").find("[2]") != std::string::npos);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("case 2: a first join inside an arm of a collect join; the losing chain of three holds an open question")
{
    Payments world({.nodes = kFan + pays("fast", 1) + "," + pays("l1", 2) + R"(,"l2":{"type":"human"},)" +
                             pays("l3", 3) + "," + joins("f", R"({"policy":"first"})", "a") + "," + pays("other", 4) +
                             "," + joins("all", R"({"policy":"collect"})", "b"),
                    .edges = "s>fast s>l1 l1>l2 l2>l3 fast>f l3>f s>other f>all other>all"},
                   {}, {{1, 300}, {2, 10}});
    const Id id = world.begin_flow();
    CHECK(world.rest(id).reply->text == "b heard 4");
    CHECK(world.heard(world.model->requests[1]) == Texts{"Go.", "[fast] paid 1", "[f] a heard 2", "[other] paid 4"});
    CHECK(world.state(id).questions.empty());
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("case 3: two of three fail under quorum 2")
{
    const Sketch sketch{.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + "," + pays("z", 3) + "," +
                                 joins("vote", R"({"policy":"quorum","k":2})"),
                        .edges = "s>x s>y s>z x>vote y>vote z>vote"};
    Payments two(sketch, {1, 3});
    CHECK(two.play_out() == "failed: quorum 2 of 3 not reached at 'vote': x: no 1 (node 'x'); z: no 3 (node 'z')");
    Payments one(sketch, {1});
    CHECK(one.play_out() == "c heard 3");
    CHECK(one.heard(one.model->requests[0]) == Texts{"Go.", "[y] paid 2", "[z] paid 3"});
    Payments late(sketch, {}, {{2, 5000}});
    CHECK(late.play_out() == "c heard 3");
    CHECK(late.heard(late.model->requests[0]) == Texts{"Go.", "[x] paid 1", "[z] paid 3"});
}

TEST_CASE("a quorum that is not reached is a value for a collect join behind it")
{
    Payments world(
        {.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + "," + joins("vote", R"({"policy":"quorum","k":2})") + "," +
                  pays("other", 4) +
                  R"(,"all":{"type":"agent","agent":"b","join":{"policy":"collect"},"prompt":"{{ errors.vote }}"})",
         .edges = "s>x s>y x>vote y>vote s>other vote>all other>all"},
        {1});
    CHECK(world.play_out() == "b heard 2");
    CHECK(world.model->requests[0].messages[0]->text == "quorum 2 of 2 not reached at 'vote': x: no 1 (node 'x')");
}

TEST_CASE("case 10: a node that loses a first join and feeds another one keeps running")
{
    Payments world({.nodes = kFan + pays("fast", 1) + "," + pays("slow", 2) + "," +
                             joins("f", R"({"policy":"first"})", "a") + "," + joins("both", "null", "b"),
                    .edges = "s>fast s>slow fast>f slow>f slow>both f>both"},
                   {}, {{2, 2000}});
    CHECK(world.play_out() == "b heard 4");
    CHECK(world.heard(world.model->requests[1]) == Texts{"Go.", "[fast] paid 1", "[slow] paid 2", "[f] a heard 2"});
}

TEST_CASE("case 7: both targets of a mapping may set one field; two that both run may not, and are named")
{
    const std::string state = R"({"state":{"v":{"schema":{}}}})";
    const std::string nodes =
        kFan + pays("x", 1, R"(,"output":"v")") + "," + pays("y", 2, R"(,"output":"v")") + "," + joins("j", "null");
    Payments exclusive({.nodes = nodes,
                        .edges = "x>j y>j",
                        .more_edges = R"([{"from":"s","to":{"a":"x","b":"y"},"condition":"'b'"}])",
                        .more = state});
    CHECK(exclusive.play_out() == "c heard 2");
    Payments both({.nodes = nodes, .edges = "s>x s>y x>j y>j", .more = state});
    CHECK(both.play_out() ==
          "failed: field v was set by both x and y; say under join.winner whose value counts (node 'j')");
    Payments won({.nodes = kFan + pays("x", 1, R"(,"output":"v")") + "," + pays("y", 2, R"(,"output":"v")") +
                           R"(,"j":{"type":"agent","agent":"c","join":{"winner":{"v":"x"}},"prompt":"{{ state.v }}"})",
                  .edges = "s>x s>y x>j y>j",
                  .more = state});
    CHECK(won.play_out() == "c heard 3");
    CHECK(won.model->requests[0].messages[0]->text == "paid 1");
}

TEST_CASE("time decides nothing: with 100 random delays an agent hears the same in the same order")
{
    const Sketch sketch{.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + "," + pays("z", 3) +
                                 R"(,"p":{"type":"agent","agent":"a"},)" + pays("w", 4, R"(,"output":"notes")") + "," +
                                 joins("j", "null") + ",\"k\":{\"type\":\"agent\",\"agent\":\"b\"}",
                        .edges = "s>z s>y s>x x>w z>p w>j p>j y>j j>k",
                        .more = R"({"state":{"notes":{"schema":{},"reducer":"append"}}})"};
    SeededRandom random(11);
    Texts first;
    for (int i = 0; i < 100; ++i) {
        std::map<int, int> takes;
        for (int n = 1; n <= 4; ++n) takes[n] = static_cast<int>(random.below(1000));
        Payments world(sketch, {}, takes);
        CHECK(world.play_out() == "b heard 7");
        const Texts heard = world.heard(world.model->requests.back());
        if (i == 0) first = heard;
        CHECK(heard == first);
    }
    CHECK(first ==
          Texts{"Go.", "[z] paid 3", "[y] paid 2", "[x] paid 1", "[w] paid 4", "[p] a heard 2", "[j] c heard 6"});
}

TEST_CASE("an error edge is followed instead of failing; on_error continue carries on as if nothing had been said")
{
    Payments handled({.nodes = pays("x", 1) + R"(,"ok":{"type":"agent","agent":"a"},
                                "mend":{"type":"agent","agent":"b","prompt":"{{ errors.x }}"})",
                      .more_edges = R"([{"from":"x","to":"ok"},{"from":"x","to":"mend","on":"error"}])"},
                     {1});
    CHECK(handled.play_out() == "b heard 1");
    CHECK(handled.model->requests[0].messages[0]->text == "no 1");
    Payments skipped(
        {.nodes = pays("x", 1, R"(,"on_error":"continue")") + R"(,"ok":{"type":"agent","agent":"a"})", .edges = "x>ok"},
        {1});
    CHECK(skipped.play_out() == "a heard 1");
    Payments unhandled({.nodes = pays("x", 1) + R"(,"mend":{"type":"agent","agent":"b"})",
                        .more_edges = R"([{"from":"x","to":"mend","on":"error","condition":"'money' in error"}])"},
                       {1});
    CHECK(unhandled.play_out() == "failed: no 1 (node 'x')");
}

TEST_CASE("several ends: their texts in the order of the graph")
{
    Payments world({.nodes = kFan + pays("x", 1) + "," + pays("y", 2) + "," + pays("z", 3), .edges = "s>z s>x s>y"}, {},
                   {{3, 900}});
    CHECK(world.play_out() == "paid 3\n\npaid 1\n\npaid 2");
}

TEST_CASE("case 4: killed at each record of a graph with all four policies, it ends the same")
{
    const auto pay = [](std::string_view name, int n, std::string_view more = "") {
        return pays(name, n, more, "pay");
    };
    const auto setup = workflow(
        {.nodes = kFan + pay("x", 1) + "," + pay("y", 2) + "," + pay("z", 3, R"(,"on_error":"continue")") + "," +
                  pay("c", 4, R"(,"join":{"policy":"collect"},"output":"notes")") + R"(,"h":{"type":"human"},)" +
                  pay("v", 5, R"(,"join":{"policy":"quorum","k":2})") + "," + pay("d", 6, R"(,"output":"notes")") +
                  "," + joins("f", R"({"policy":"first"})", "a") + "," + pay("e", 7) + "," + joins("end", "null", "b"),
         .edges = "s>x s>y s>z x>c y>c z>c s>h h>v x>v y>v c>d v>f d>e f>end e>end",
         .more = R"({"state":{"notes":{"schema":{},"reducer":"append"}}})"});
    check_cuts(pattern_of(setup), "b heard 9", true, prepare);  // whoever is counted at `v`
}

TEST_CASE("a workflow of twenty steps with three arms, an approval and five payments survives death at every record")
{
    const auto pay = [](std::string_view name, int n) { return pays(name, n, R"(,"output":"notes")", "pay"); };
    const auto say = [](std::string_view name, std::string_view agent) {
        return "\"" + std::string(name) + R"(":{"type":"agent","agent":")" + std::string(agent) + "\"}";
    };
    std::string nodes = say("n1", "a");
    for (const auto& [name, agent] : {std::pair("n2", "b"),
                                      {"n3", "c"},
                                      {"n4", "a"},
                                      {"n5", "b"},
                                      {"n6", "c"},
                                      {"n7", "a"},
                                      {"n8", "b"},
                                      {"n9", "c"},
                                      {"n10", "a"},
                                      {"n11", "b"},
                                      {"n12", "c"},
                                      {"n13", "a"},
                                      {"end", "b"}})
        nodes += "," + say(name, agent);
    for (int i = 1; i <= 5; ++i) nodes += "," + pay("p" + std::to_string(i), i);
    nodes += R"(,"approve":{"type":"human"})";
    const auto setup = workflow({.nodes = nodes,
                                 .edges = "n1>n2 n1>n3 n1>n4 n2>p1 p1>n5 n5>n8 n3>p2 p2>n6 n6>n9 n4>p3 p3>n7 n7>n10 "
                                          "n8>n11 n9>n11 n10>n11 n11>approve approve>p4 p4>n12 n12>p5 p5>n13 n13>end",
                                 .more = R"({"state":{"notes":{"schema":{},"reducer":"append"}}})"});
    check_cuts(pattern_of(setup), "b heard 19", true, prepare);
}
