// People in workflows: human nodes, and consent before other nodes.
#include "patterns/graph/test_workflow.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using model::HumanVerb;
using model::TaskStatus;

namespace {

using Texts = std::vector<std::string>;

const Sketch kReview{
    .nodes = R"("draft":{"type":"agent","agent":"a","output":"text"},"review":{"type":"human"},
                                 "publish":{"type":"tool","tool":"pay","args":{"n":"{{ state.n }}"}},
                                 "legal":{"type":"agent","agent":"b"})",
    .edges = "draft>review",
    .more_edges = R"([{"from":"review","to":{"approve":"publish","modify":"publish","legal":"legal"}}])",
    .more = R"({"state":{"n":{"schema":{"type":"integer","default":1}},"text":{"schema":{"type":"string"}},
                                 "notes":{"schema":{"type":"array","items":{"type":"string"}},"reducer":"append"}}})"};

struct Reviewed : Flowing {
    explicit Reviewed(const Sketch& sketch = kReview) : Flowing(sketch), id(begin_flow()) { rest(id); }

    std::string answer(model::HumanAnswer given)
    {
        reply_to(id, std::move(given));
        return ending(rest(id));
    }

    Id id;
};

}  // namespace

TEST_CASE("a person approves, rejects with words, or changes the state and with it the way on")
{
    Reviewed approved;
    CHECK(approved.answer({.verb = HumanVerb::approve}) == "paid 1");

    Reviewed rejected;
    CHECK(rejected.answer({.verb = HumanVerb::reject, .message = "too long"}) ==
          "failed: rejected by human: too long (node 'review')");
    CHECK(rejected.pay->dispatched.empty());

    Reviewed other;
    CHECK(
        other.answer({.verb = HumanVerb::modify, .message = "send to legal", .updates = {{"routing_key", "legal"}}}) ==
        "b heard 3");
    CHECK(other.heard(other.model->requests.back()) == Texts{"Go.", "[draft] a heard 1", "send to legal"});

    Reviewed changed;
    CHECK(changed.answer({.verb = HumanVerb::modify, .updates = {{"n", 5}}}) == "paid 5");
}

TEST_CASE("who changes the state has approved, where no edge is for changes")
{
    Reviewed world(
        {.nodes = R"("review":{"type":"human"},"publish":{"type":"tool","tool":"pay","args":{"n":"{{ state.n }}"}},
                                "again":{"type":"agent","agent":"b"})",
         .more_edges = R"([{"from":"review","to":{"approve":"publish","reject":"again"}}])",
         .more = R"({"state":{"n":{"schema":{"type":"integer","default":1}}}})"});
    CHECK(world.answer({.verb = HumanVerb::modify, .updates = {{"n", 5}}}) == "paid 5");
}

TEST_CASE("an answer that leads nowhere is refused, and the question stays open")
{
    Reviewed world({.nodes = R"("review":{"type":"human"},"ship":{"type":"agent","agent":"a"},
                                "back":{"type":"agent","agent":"b"})",
                    .more_edges = R"([{"from":"review","to":{"approved":"ship","rejected":"back"}}])"});
    const auto refused = [&](model::HumanAnswer answer) {
        return std::string(test::error_of([&] { world.reply_to(world.id, answer); }).c_str());
    };
    CHECK(refused({.verb = HumanVerb::approve}) ==
          R"(invalid: say which way it goes: routing_key is one of ["approved","rejected"])");
    CHECK(refused({.verb = HumanVerb::modify, .updates = {{"routing_key", "nowhere"}}})
              .starts_with("invalid: the state cannot be changed so: "));
    CHECK(refused({.verb = HumanVerb::modify, .updates = {{"arguments", json::object()}}}) ==
          "invalid: the question is about the state of a workflow, not about a call: change its fields");
    CHECK(world.state(world.id).questions.size() == 1);
    CHECK(world.answer({.verb = HumanVerb::modify, .updates = {{"routing_key", "rejected"}}}) == "b heard 1");
}

TEST_CASE("a rejection follows its own edge, and what was said reaches who comes then")
{
    Reviewed world({.nodes = R"("draft":{"type":"agent","agent":"a"},"review":{"type":"human"},
                                "publish":{"type":"agent","agent":"c"},"again":{"type":"agent","agent":"b"})",
                    .edges = "draft>review",
                    .more_edges = R"([{"from":"review","to":{"reject":"again","*":"publish"}}])"});
    CHECK(world.answer({.verb = HumanVerb::reject, .message = "shorter"}) == "b heard 3");
    CHECK(world.model->requests.back().messages.back()->text == "shorter");
    // the rest is not meant for a no
    Reviewed rest({.nodes = R"("review":{"type":"human"},"publish":{"type":"agent","agent":"c"})",
                   .more_edges = R"([{"from":"review","to":{"*":"publish"}}])"});
    CHECK(rest.answer({.verb = HumanVerb::reject}) == "failed: rejected by human (node 'review')");
}

TEST_CASE(
    "case 5: a change that breaks the declared schema is refused and the question stays open; then it is approved")
{
    Reviewed world;
    for (const json::object& wrong : {json::object{{"n", "x"}}, json::object{{"metadata", {{"n", "x"}}}},
                                      json::object{{"nonsense", 1}}, json::object{{"notes", {1}}}}) {
        CAPTURE(to_text(wrong));
        const auto modify = [&] { world.reply_to(world.id, {.verb = HumanVerb::modify, .updates = wrong}); };
        CHECK(std::string(test::error_of(modify).c_str()).starts_with("invalid: the state cannot be changed so"));
        CHECK(world.state(world.id).questions.size() == 1);
    }
    CHECK(world.answer({.verb = HumanVerb::approve}) == "paid 1");
}

TEST_CASE("what a person appends to the messages is heard, and other updates go through their reducers")  // CKPT-11 E
{
    Reviewed world({.nodes = R"("review":{"type":"human","set":{"notes":"['asked']"}},
                                "end":{"type":"agent","agent":"a","prompt":"{{ state.notes | join(' ') }}"})",
                    .edges = "review>end",
                    .more = R"({"state":{"notes":{"schema":{"type":"array"},"reducer":"append"}}})"});
    CHECK(world.answer({.verb = HumanVerb::modify,
                        .updates = {{"messages", {{{"role", "user"}, {"content", "One more thing."}}}},
                                    {"metadata", {{"notes", {"changed"}}}}}}) == "a heard 2");
    CHECK(world.heard(world.model->requests.back()) == Texts{"changed asked", "One more thing."});
}

TEST_CASE("who is not answered in time goes its timeout's way, else the reject's, else fails")
{
    const auto ends = [](const char* keys) {
        Flowing world({.nodes = R"("review":{"type":"human","timeout":60},"x":{"type":"agent","agent":"a"},
                                   "y":{"type":"agent","agent":"b"})",
                       .more_edges = R"([{"from":"review","to":)" + std::string(keys) + "}]"});
        const Id id = world.begin_flow();
        world.rest(id);
        world.wait(sleep_for(Millis(61'000)));
        return ending(world.rest(id));
    };
    CHECK(ends(R"({"timeout":"x","reject":"y"})") == "a heard 1");
    CHECK(ends(R"({"approve":"x","reject":"y"})") == "b heard 1");
    CHECK(ends(R"({"approve":"x"})") == "failed: no answer came in time at 'review'");
}

TEST_CASE(
    "checkpoints: a person is asked before those nodes and nowhere else; a human node asks by itself, once")  // FLOW-09 E
{
    const Sketch sketch{.nodes = R"("draft":{"type":"agent","agent":"a"},
                                    "pay":{"type":"tool","tool":"pay","args":{"n":"{{ state.n }}"}},
                                    "review":{"type":"human"},"end":{"type":"agent","agent":"b"})",
                        .edges = "draft>pay pay>review review>end",
                        .more = R"({"checkpoints":["pay","review"],"state":{"n":{"schema":{"default":1}}}})"};
    Reviewed world(sketch);
    CHECK(world.pay->dispatched.empty());
    CHECK(world.state(world.id).questions.at(0).request.context.at("question") == "May 'pay' begin?");
    world.reply_to(world.id, {.verb = HumanVerb::modify, .message = "Pay more.", .updates = {{"n", 9}}});
    world.rest(world.id);
    CHECK(world.pay->dispatched.size() == 1);
    CHECK(world.answer({}) == "b heard 4");
    CHECK(world.heard(world.model->requests.back()) == Texts{"Go.", "[draft] a heard 1", "Pay more.", "[pay] paid 9"});
    CHECK(world.wait(world.commands->replay(kAnn, world.id)).diverged == "");

    Reviewed refused(sketch);
    CHECK(refused.answer({.verb = HumanVerb::reject, .message = "no"}) == "failed: rejected by human: no (node 'pay')");
    CHECK(refused.pay->dispatched.empty());
}

TEST_CASE("a run that waits for a person survives the death of its process at every record")
{
    check_cuts(pattern_of(workflow(kReview)), "paid 1", true, prepare);
}

TEST_CASE("what is changed behind a node counts there and for all that follows")
{
    Flowing world({.nodes = R"("sort":{"type":"condition","set":{"routing_key":"'a'"}},"a":{"type":"agent","agent":"a"},
                               "b":{"type":"agent","agent":"b","prompt":"{{ state.n }}"})",
                   .more_edges = R"([{"from":"sort","to":{"a":"a","b":"b"}}])",
                   .more = R"({"state":{"n":{"schema":{"default":1}}}})"});
    const json::object update{{"routing_key", "b"}, {"n", 7}};
    const Id id = world.begin_flow({}, {{"after", "sort"}, {"update", update}});
    CHECK(ending(world.rest(id)) == "b heard 1");
    CHECK(world.model->requests[0].messages[0]->text == "7");
}
