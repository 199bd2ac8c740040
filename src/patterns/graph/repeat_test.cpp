// Loops, maps, workflows in workflows, retries, time limits and reflection.
#include "patterns/graph/test_workflow.hpp"
#include "patterns/reflection.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using model::TaskStatus;

namespace {

using Texts = std::vector<std::string>;

bool has_node(World& world, Id id, std::string_view path)
{
    for (const auto& record : world.records(id))
        if (record.kind == storage::RecordKind::node_done && record.path == path) return true;
    return false;
}

/// A workflow that pays `n` and adds it to `sum`.
const std::string kInner =
    R"({"inner":{"name":"inner","patterns":["react"],"entry_point":"p","edges":[{"from":"p","to":"q"}],
    "nodes":{"p":{"type":"tool","tool":"pay","args":{"n":"{{ state.n }}"},"set":{"list":"[answer]"}},
             "q":{"type":"agent","agent":"b"}},
    "state":{"n":{"schema":{}},"list":{"schema":{},"reducer":"append"}}}})";

}  // namespace

TEST_CASE("a loop repeats its body until its condition holds, and the state goes along")
{
    Flowing world({.nodes = R"("x":{"type":"loop","agent":"a","output":"text","set":{"n":"state.n + 1"},
                               "loop":{"max":5,"until":"state.n >= 3"},"prompt":"Turn {{ loop.index }}, {{ state.n }}."},
                               "end":{"type":"agent","agent":"b","prompt":"{{ state.n }} {{ state.text }}"})",
                   .edges = "x>end",
                   .more = R"({"state":{"n":{"schema":{"default":0}},"text":{"schema":{}}}})"});
    const Id id = world.begin_flow();
    CHECK(ending(world.rest(id)) == "b heard 2");
    REQUIRE(world.model->requests.size() == 4);
    CHECK(world.heard(world.model->requests[2]) ==
          Texts{"Turn 3, 2.", "a heard 1", "a heard 3", "Continue with your task."});
    CHECK(world.heard(world.model->requests[3]) == Texts{"3 a heard 4", "[x] a heard 4"});
    CHECK(has_node(world, id, "x/turn"));
    CHECK(has_node(world, id, "x/turn/3"));
}

TEST_CASE("a loop that comes to its limit fails and says where, unless it may carry on")
{
    const auto ends = [](const char* loop) {
        Flowing world({.nodes = R"("x":{"type":"loop","tool":"pay","args":{"n":"{{ loop.index }}"},"loop":)" +
                                std::string(loop) + "}"});
        return world.play_out();
    };
    CHECK(ends(R"({"max":3,"until":"false"})") == "failed: loop limit 3 reached at 'x'");
    CHECK(ends(R"({"max":3,"until":"false","on_limit":"continue"})") == "paid 3");
    CHECK(ends(R"({"max":2})") == "paid 2");
}

TEST_CASE("a map runs its body for each item; its results become a list")
{
    Flowing world({.nodes = R"("m":{"type":"map","tool":"pay","args":{"n":"{{ item.n }}"},
                               "map":{"over":"task.input['items']","key":"item.name","width":2,"into":"paid"}},
                               "end":{"type":"agent","agent":"b","prompt":"{{ state.paid | join('+') }}"})",
                   .edges = "m>end",
                   .more = R"({"state":{"paid":{"schema":{"type":"array"}}}})"});
    const json::array items{{{"name", "x"}, {"n", 1}}, {{"name", "y"}, {"n", 2}}, {{"name", "z"}, {"n", 3}}};
    const Id id = world.begin_flow({{"items", items}});
    CHECK(ending(world.finish(id)) == "b heard 2");
    CHECK(world.heard(world.model->requests[0]) == Texts{"paid 1+paid 2+paid 3", "[m] paid 1\n\npaid 2\n\npaid 3"});
    bool has_key = false;
    for (const auto& record : world.records(id)) has_key |= record.path.starts_with("m/branch:1.y/use:1");
    CHECK(has_key);
}

TEST_CASE("a map's policies: all, failures as values, the first, a quorum")
{
    const auto ends = [](const char* policy) {
        Flowing world({.nodes = R"("m":{"type":"map","tool":"pay","args":{"n":"{{ item }}"},
                                   "map":{"over":"[1,2,3]","into":"l",)" +
                                std::string(policy) +
                                R"(}},"end":{"type":"agent","agent":"a","prompt":"{{ state.l | tojson }}"})",
                       .edges = "m>end",
                       .more = R"({"state":{"l":{"schema":{}}}})"});
        world.pay->answer = [](const tools::Call& call) {
            const int n = call.arguments.at("n").to_number<int>();
            return tools::Result{.text = std::to_string(n), .is_error = n == 2};
        };
        const Id id = world.begin_flow();
        const TaskState state = world.rest(id);
        return state.reply ? world.model->requests[0].messages[0]->text : state.error;
    };
    CHECK(ends(R"("policy":"fail_fast")") == "2 (node 'm')");
    CHECK(ends(R"("policy":"collect")") == R"(["1", {"error": "2"}, "3"])");
    CHECK(ends(R"("policy":"quorum","k":2)") == R"(["1", "3"])");
    CHECK(ends(R"("policy":"quorum","k":3)").starts_with("quorum 3 of 3 not reached at m/branch:1: 1: 2"));
    CHECK(ends(R"("policy":"first")") == R"(["1"])");
}

TEST_CASE("a map over what is not a list, and keys that are not unique, are refused")
{
    Flowing number({.nodes = R"("m":{"type":"map","agent":"a","map":{"over":"3"}})"});
    CHECK(number.play_out() == R"(failed: map 'm' goes over "3", which is not a list)");
    Flowing twins({.nodes = R"("m":{"type":"map","agent":"a","map":{"over":"[1,1]","key":"item"}})"});
    CHECK(twins.play_out().find("have the key \"1\"") != std::string::npos);
    Flowing none({.nodes = R"("m":{"type":"map","agent":"a","map":{"over":"[]","into":"l"}})",
                  .more = R"({"state":{"l":{"schema":{"type":"array"}}}})"});
    CHECK(none.play_out() == "");
}

TEST_CASE("a map without a prompt tells each agent the task and its item")
{
    Flowing world({.nodes = R"("m":{"type":"map","agent":"a","map":{"over":"['x', {'y': 1}]"}})"});
    CHECK(world.play_out() == "a heard 2\n\na heard 2");
    CHECK(world.heard(world.model->requests[0]) == Texts{"Go.", "x"});
    CHECK(world.heard(world.model->requests[1]) == Texts{"Go.", R"({"y":1})"});
}

TEST_CASE("a workflow in a workflow has the fields that both declare, and its own paths")
{
    Flowing world(
        {.nodes = R"("w":{"type":"workflow","workflow":"inner","prompt":"Inner."},
                               "end":{"type":"agent","agent":"a","prompt":"{{ state.list | join(',') }}"})",
         .edges = "w>end",
         .more = R"({"state":{"n":{"schema":{"default":4}},"list":{"schema":{"default":["z"]},"reducer":"append"}}})",
         .nested = kInner});
    const Id id = world.begin_flow();
    CHECK(ending(world.rest(id)) == "a heard 2");
    CHECK(world.heard(world.model->requests[0]) == Texts{"Inner.", "[p] paid 4"});
    CHECK(world.heard(world.model->requests[1]) == Texts{"z,paid 4", "[w] b heard 2"});
    CHECK(has_node(world, id, "w/p"));
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("a workflow for each item, killed at every record, ends the same")
{
    const auto setup =
        workflow({.nodes = R"("m":{"type":"map","map":{"over":"[1,2,3]","as":"n","width":2,"workflow":"inner"}},
                                             "end":{"type":"tool","tool":"pay","args":{"n":"{{ state.list | length }}"}})",
                  .edges = "m>end",
                  .more = R"({"state":{"list":{"schema":{},"reducer":"append"}}})",
                  .nested = kInner});
    check_cuts(pattern_of(setup), "paid 3", true, prepare);
}

TEST_CASE("case 8: a map of 1,000, eight at a time, of which one fails, killed in the middle")
{
    const auto setup = workflow({.nodes = R"("m":{"type":"map","tool":"pay","args":{"n":"{{ item }}"},
                                             "map":{"over":"range(1000) | list","policy":"collect","into":"l"}},
                                             "end":{"type":"tool","tool":"pay","args":{"n":"{{ state.l | length }}"}})",
                                 .edges = "m>end",
                                 .more = R"({"state":{"l":{"schema":{"type":"array"}}}})"});
    const auto failing = [](Stage& stage) {
        prepare(stage);
        stage.pay->answer = [](const tools::Call& call) {
            const int n = call.arguments.at("n").to_number<int>();
            return tools::Result{.text = "paid " + std::to_string(n), .is_error = n == 500};
        };
    };
    Stage world(pattern_of(setup));
    failing(world);
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "paid 1000");
    const auto journal = world.records(id);
    CHECK(problem_after(pattern_of(setup), journal, journal.size() / 2, true, failing) == "");
}

TEST_CASE("a node that fails is tried again, after a while; what ran into a limit is not")
{
    Flowing world({.nodes = R"("x":{"type":"tool","tool":"pay","args":{"n":1},"retry":{"max":3,"delay":5}})"});
    int calls = 0;
    world.pay->answer = [&](const tools::Call&) {
        return tools::Result{.text = "try " + std::to_string(++calls), .is_error = calls < 3};
    };
    const Id id = world.begin_flow();
    const Time before = world.loop.clock().now();
    CHECK(ending(world.rest(id)) == "try 3");
    CHECK(world.loop.clock().now() - before >= Millis(10'000));
    CHECK(has_node(world, id, "x/try/3"));

    Flowing limit({.nodes = R"("x":{"type":"agent","agent":"a","retry":{"max":3,"delay":1}})"});
    limit.team->agents[1].max_iterations = 1;
    limit.model->answer = [](const llm::Request&) { return testing::calls("pay", {{"n", 1}}); };
    const std::string end = limit.play_out();
    CHECK(end.starts_with("failed: max_iterations (1) reached: a may call its model 1 times in a turn"));
    CHECK(limit.model->requests.size() == 1);
}

TEST_CASE("a node that takes too long fails with its limit, and its call is cancelled")
{
    Flowing world({.nodes = R"("x":{"type":"tool","tool":"pay","args":{"n":1},"timeout":0.5})"});
    world.pay->takes = Millis(5000);
    CHECK(world.play_out() == "failed: node 'x' took longer than 0.5 s");
}

TEST_CASE("reflection: drafts until the critic approves, so many at most")  // FLOW-03 E, FLOW-05 E
{
    const auto ends = [](const Texts& verdicts, const char* more) {
        Flowing world({.nodes = R"("w":{"type":"agent","agent":"a"})",
                       .more = R"({"patterns":["react","reflection"],"reflection":{"agent":"c","loop":{"max":3)" +
                               std::string(more) + "}}}"});
        std::size_t drafts = 0, critiques = 0;
        world.model->answer = [&](const llm::Request& request) {
            if (request.agent == "a") return says("draft " + std::to_string(++drafts));
            CHECK(request.messages[0]->text.find("draft " + std::to_string(drafts)) != std::string::npos);
            return says(verdicts[std::min(critiques++, verdicts.size() - 1)]);
        };
        return world.play_out() + ", " + std::to_string(drafts);
    };
    CHECK(ends({"revise", "revise: shorter", "approve"}, "") == "draft 3, 3");
    CHECK(ends({"**Approved.**"}, "") == "draft 1, 1");
    CHECK(ends({"revise"}, "") == "failed: loop limit 3 reached at 'c', 3");
    CHECK(ends({"revise"}, R"(,"on_limit":"continue")") == "draft 3, 3");
}

TEST_CASE("a critique approves in its first or last line")
{
    CHECK(patterns::approves("approve"));
    CHECK(patterns::approves(" Approved: good.\nThanks."));
    CHECK(patterns::approves("It is short and clear.\n\n**approve**"));
    CHECK(!patterns::approves("revise\nI cannot approve"));
    CHECK(!patterns::approves("revise\napprove"));
    CHECK(!patterns::approves("I do not approve of this."));
    CHECK(!patterns::approves(""));
    CHECK(patterns::approves("```json\n{\"verdict\": \"approve\", \"reason\": \"good\"}\n```"));
    CHECK(!patterns::approves(R"({"verdict":"revise","reason":"I approve of the style only"})"));
    CHECK(!patterns::approves(R"({"verdict":false})"));
}
