#include "patterns/graph/graph.hpp"

#include "patterns/graph/test_workflow.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using model::TaskStatus;

namespace {

using Texts = std::vector<std::string>;

std::string node_body(World& world, Id id, std::string_view path)
{
    for (const auto& record : world.records(id))
        if (record.kind == storage::RecordKind::node_done && record.path == path) return record.body;
    return "";
}

bool has_records_below(World& world, Id id, std::string_view node)
{
    const std::string inside = std::string(node) + "/";
    for (const auto& record : world.records(id))
        if (record.path == node || record.path.starts_with(inside)) return true;
    return false;
}

}  // namespace

TEST_CASE("a workflow with an agent, a tool, a condition and a person runs")  // FLOW-11 E, FLOW-12 E
{
    Flowing world({.nodes = R"("draft":{"type":"agent","agent":"a","output":"text"},
                               "pay":{"type":"tool","tool":"pay","args":{"n":"{{ state.n + 1 }}"}},
                               "route":{"type":"condition"},
                               "review":{"type":"human","prompt":"Is {{ state.text }} good?"},
                               "bad":{"type":"agent","agent":"c"},
                               "end":{"type":"agent","agent":"b"})",
                   .edges = "draft>pay pay>route review>end",
                   .more_edges = R"([{"from":"route","to":"review","condition":"state.n > 1"},
                                     {"from":"route","to":"bad","condition":"state.n <= 1"}])",
                   .more = R"({"state":{"n":{"schema":{"type":"integer"}},"text":{"schema":{"type":"string"}}}})"});
    const Id id = world.begin_flow({{"n", 2}});
    const TaskState waiting = world.rest(id);
    REQUIRE(waiting.questions.size() == 1);
    CHECK(waiting.questions[0].request.context.at("question") == "Is a heard 1 good?");
    CHECK(waiting.questions[0].request.context.at("text") == "paid 3");
    world.reply_to(id, {.message = "Fine by me."});
    CHECK(world.rest(id).reply->text == "b heard 4");
    CHECK(world.heard(world.model->requests.back()) ==
          Texts{"Go.", "[draft] a heard 1", "[pay] paid 3", "Fine by me."});
    CHECK(!has_records_below(world, id, "bad"));
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE(
    "an edge with a mapping follows its key: the state's, or what its condition gives; * is the rest")  // FLOW-16 E
{
    struct Case {
        const char* condition;
        const char* input;
        const char* says;
    } const cases[] = {
        {"null", R"({})", "rest"},
        {R"("state.n")", R"({"n":1})", "one"},
        {R"("state.n > 1")", R"({"n":2})", "yes"},
        {R"("state.name")", R"({"name":"two"})", "two"},
        {R"("state.name")", R"({"name":"?"})", "rest"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.input);
        Flowing world(
            {.nodes = R"("r":{"type":"condition"},"one":{"type":"agent","agent":"a"},
                                   "two":{"type":"agent","agent":"a"},"yes":{"type":"agent","agent":"a"},
                                   "rest":{"type":"agent","agent":"a"})",
             .more_edges = R"([{"from":"r","to":{"1":"one","two":"two","true":"yes","*":"rest"},"condition":)" +
                           std::string(c.condition) + "}]",
             .more = R"({"state":{"n":{"schema":{}},"name":{"schema":{}}}})"});
        const Id id = world.begin_flow(parse_json(c.input).as_object());
        CHECK(world.rest(id).status == TaskStatus::completed);
        CHECK(has_records_below(world, id, c.says));
        CHECK(world.model->requests.size() == 1);
    }
}

TEST_CASE("a condition that leads nowhere fails and lists its keys; another node then is the end of its arm")
{
    Flowing nowhere({.nodes = R"("r":{"type":"condition","set":{"routing_key":"'z'"}},"x":{"type":"condition"})",
                     .more_edges = R"([{"from":"r","to":{"a":"x","b":"x"}}])"});
    CHECK(nowhere.play_out() == "failed: condition 'r' leads nowhere with the routing key \"z\"; it has a, b");
    Flowing untrue({.nodes = R"("r":{"type":"condition"},"x":{"type":"condition"})",
                    .more_edges = R"([{"from":"r","to":"x","condition":"1 > 2"}])"});
    CHECK(untrue.play_out() == "failed: no condition of 'r' is true");
    Flowing end({.nodes = R"("r":{"type":"agent","agent":"a"},"x":{"type":"condition"})",
                 .more_edges = R"([{"from":"r","to":"x","condition":"1 > 2"}])"});
    CHECK(end.play_out() == "a heard 1");
}

TEST_CASE("an agent whose only way on is a mapping is told the keys, and the one in its last line is followed")
{
    struct Case {
        const char* answer;
        const char* to;
        const char* key;
    } const cases[] = {
        {"It is about money.\nlegal", "legal", "legal"},
        {"So: **tax**.\n", "tax", "tax"},
        {"legal or tax?", "rest", "legal or tax?"},
        {"none", "rest", "none"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.answer);
        Flowing world({.nodes = R"("sort":{"type":"agent","agent":"a"},"legal":{"type":"agent","agent":"b"},
                                   "tax":{"type":"agent","agent":"b"},"rest":{"type":"agent","agent":"b"})",
                       .more_edges = R"([{"from":"sort","to":{"legal":"legal","tax":"tax","*":"rest"}}])"});
        world.model->answer = [&](const llm::Request& request) {
            if (request.agent == "b") return says("done");
            CHECK(request.messages[0]->text.find("legal, tax.") != std::string::npos);
            return says(c.answer);
        };
        const Id id = world.begin_flow();
        CHECK(world.rest(id).reply->text == "done");
        CHECK(has_records_below(world, id, c.to));
        CHECK(parse_json(node_body(world, id, "sort")).at("work").at("update").at("routing_key") == c.key);
    }
}

TEST_CASE("arguments of a tool are templates; one expression keeps its type, and without any they are found by name")
{
    const auto called = [](const std::string& node, const char* schema) {
        Flowing world({.nodes = R"("first":{"type":"agent","agent":"a"},"t":)" + node,
                       .edges = "first>t",
                       .more = R"({"state":{"n":{"schema":{}},"list":{"schema":{}}}})"});
        json::object args;
        world.pay->mutable_definition().input_schema = parse_json(schema).as_object();
        world.pay->answer = [&](const tools::Call& call) {
            args = call.arguments;
            return tools::Result{.text = "ok"};
        };
        CHECK(world.play_out({{"n", 4}, {"list", {1, "x"}}, {"city", "Rome"}}) == "ok");
        return to_text(args);
    };
    CHECK(called(R"({"type":"tool","tool":"pay","args":{"n":"{{ state.n * 2 }}","l":"{{ state.list }}",
                     "t":"{{ state.n }} of {{ task.input.city }}","deep":{"x":["{{- last -}}",true,null]}}})",
                 "{}") == R"({"n":8,"l":[1,"x"],"t":"4 of Rome","deep":{"x":["a heard 1",true,null]}})");
    CHECK(called(R"({"type":"tool","tool":"pay"})",
                 R"({"properties":{"text":{},"city":{},"n":{"type":"integer"},"other":{}}})") ==
          R"({"text":"a heard 1","city":"Rome","n":4})");
}

TEST_CASE("a tool node may call only what the team has, and a tool that fails fails its node")
{
    Flowing unknown({.nodes = R"("t":{"type":"tool","tool":"other"})"});
    CHECK(unknown.play_out() == R"(failed: node 't' calls "other", which is not a tool of the task's team)");
    Flowing failing({.nodes = R"("t":{"type":"tool","tool":"pay","args":{"n":1}})"});
    failing.pay->answer = [](const tools::Call&) { return tools::Result{.text = "no money", .is_error = true}; };
    CHECK(failing.play_out() == "failed: no money (node 't')");
}

TEST_CASE("what an agent hears: answers, the last one, tool calls too, or nothing; its own words as its own")
{
    const auto heard = [](const char* context) {
        Flowing world({.nodes = R"("one":{"type":"agent","agent":"a"},"two":{"type":"agent","agent":"b"},
                                   "three":{"type":"agent","agent":"a","context":")" +
                                std::string(context) + "\"}",
                       .edges = "one>two two>three"});
        world.model->answer = [](const llm::Request& request) {
            const bool has_paid = request.messages.back()->role == model::Role::tool;
            if (request.agent == "b" && !has_paid) return calls("pay", {{"n", 1}});
            return says("from " + request.agent);
        };
        CHECK(world.play_out() == "from a");
        Texts texts;
        for (const auto& one : world.model->requests.back().messages)
            texts.push_back((one->role == model::Role::assistant ? "a: " : "u: ") + one->text);
        return texts;
    };
    CHECK(heard("answers") == Texts{"u: Go.", "a: from a", "u: [two] from b"});
    CHECK(heard("last") == Texts{"u: Go.", "u: [two] from b"});
    CHECK(heard("full") == Texts{"u: Go.", "a: from a", R"(u: [two] pay({"n":1}) gave: paid 1)", "u: [two] from b"});
    CHECK(heard("none") == Texts{"u: Go."});
}

TEST_CASE("an agent that comes after itself is asked to continue, not to complete its own words")
{
    Flowing world(
        {.nodes = R"("one":{"type":"agent","agent":"a"},"two":{"type":"agent","agent":"a","prompt":"Polish."})",
         .edges = "one>two"});
    CHECK(world.play_out() == "a heard 3");
    CHECK(world.heard(world.model->requests.back()) == Texts{"Polish.", "a heard 1", "Continue with your task."});
}

TEST_CASE("output and set name declared fields, and hold to what is declared")
{
    const auto end = [](const char* node, const char* answer) {
        Flowing world({.nodes = R"("one":)" + std::string(node) + R"(,"two":{"type":"condition"})",
                       .edges = "one>two",
                       .more = R"({"state":{"n":{"schema":{"type":"integer"}},"l":{"schema":{"type":"array",
                                   "items":{"type":"string"}},"reducer":"append"}}})"});
        world.model->answer = [&](const llm::Request&) { return says(answer); };
        const Id id = world.begin_flow();
        const TaskState state = world.rest(id);
        if (!state.reply) return state.error;
        return to_text(parse_json(node_body(world, id, "one")).at("work").at("update").at("metadata"));
    };
    CHECK(end(R"({"type":"agent","agent":"a","output":"n"})", "```json\n7\n```") == R"({"n":7})");
    CHECK(end(R"({"type":"agent","agent":"a","output":"l"})", "seven") == R"({"l":["seven"]})");
    CHECK(end(R"({"type":"agent","agent":"a","set":{"n":"result.x + 1","l":"[answer]"}})", R"({"x":1})") ==
          R"({"n":2,"l":["{\"x\":1}"]})");
    CHECK(end(R"({"type":"agent","agent":"a","output":"n"})", "seven").find("is not JSON") != std::string::npos);
    CHECK(end(R"({"type":"agent","agent":"a","set":{"n":"'x'"}})", "x").find("not as it is declared") !=
          std::string::npos);
    CHECK(end(R"({"type":"agent","agent":"a","set":{"z":"1"}})", "x") ==
          R"(node 'one' sets "z", which the workflow does not declare under state)");
}

TEST_CASE("the prompts of agents see the state that their node sees")
{
    Flowing world({.nodes = R"("s":{"type":"condition","set":{"n":"state.n + 1"}},"x":{"type":"agent","agent":"a"})",
                   .edges = "s>x",
                   .more = R"({"state":{"n":{"schema":{"default":1}}}})"});
    model::Agent& agent = world.team->agents[1];
    agent.prompt.reset();
    agent.prompt_template = "prompts/a.j2";
    world.team->templates["prompts/a.j2"] = "n is {{ state.n }}";
    CHECK(world.play_out() == "a heard 1");
    CHECK(world.model->requests.at(0).instructions == "n is 2");
}
