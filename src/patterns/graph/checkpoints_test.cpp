// Checkpoints of workflows: what the journal alone says the state was is what the nodes saw.
#include "engine/projections/chronicle.hpp"
#include "patterns/graph/test_workflow.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

namespace {

using Texts = std::vector<std::string>;

/// `position{metadata}` of each, and `?` where it waits for a person.
Texts checkpoints_of(World& world, Id id)
{
    Chronicle chronicle;
    for (const auto& record : world.records(id)) chronicle.apply(record);
    Texts texts;
    for (const model::Checkpoint& one : chronicle.checkpoints())
        texts.push_back(one.position + (one.awaiting_human ? "?" : "") +
                        to_canonical_text(boost::json::value(one.state.metadata)) + one.state.routing_key.value_or(""));
    return texts;
}

}  // namespace

TEST_CASE("there is a checkpoint behind every node and at every stop, with the state that those behind it see")
{
    Flowing world({.nodes = R"("a":{"type":"agent","agent":"a","output":"text"},
                               "b":{"type":"tool","tool":"pay","args":{"n":1},"output":"list"},
                               "c":{"type":"tool","tool":"pay","args":{"n":2},"set":{"list":"['two']","most":"7"}},
                               "d":{"type":"human"},
                               "e":{"type":"agent","agent":"b","prompt":"{{ state.metadata | tojson }}","retry":{"max":2}})",
                   .edges = "a>b a>c b>d c>d d>e",
                   .more = R"({"state":{"text":{"schema":{}},"list":{"schema":{},"reducer":"append"},
                               "most":{"schema":{"default":3},"reducer":"max"}}})"});
    const Id id = world.begin_flow();
    world.rest(id);
    world.reply_to(id, {.verb = model::HumanVerb::modify, .updates = {{"routing_key", "k"}, {"list", "three"}}});
    CHECK(ending(world.rest(id)) == "b heard 4");
    Texts all = checkpoints_of(world, id);
    REQUIRE(all.size() == 6);
    std::sort(all.begin() + 1, all.begin() + 3);  // b and c end at the same time
    CHECK(all[0] == R"(a{"most":3,"text":"a heard 1"})");
    CHECK(all[1] == R"(b{"list":["paid 1"],"most":3,"text":"a heard 1"})");
    CHECK(all[2] == R"(c{"list":["two"],"most":7,"text":"a heard 1"})");
    CHECK(all[3] == R"(d?{"list":["paid 1","two"],"most":7,"text":"a heard 1"})");
    CHECK(all[4] == R"(d{"list":["paid 1","two","three"],"most":7,"text":"a heard 1"}k)");
    CHECK(all[5] == R"(e{"list":["paid 1","two","three"],"most":7,"text":"a heard 1"}k)");
    // as the agent saw it
    CHECK(to_canonical_text(parse_json(world.model->requests.back().messages[0]->text)) ==
          R"({"list":["paid 1","two","three"],"most":7,"text":"a heard 1"})");
}

TEST_CASE("a workflow in a node has checkpoints of its own, below that node")
{
    Flowing world({.nodes = R"("w":{"type":"loop","loop":{"max":2,"workflow":"inner"}})",
                   .more = R"({"state":{"n":{"schema":{"default":1}}}})",
                   .nested = R"({"inner":{"name":"inner","patterns":[],"entry_point":"p","edges":[],
                       "nodes":{"p":{"type":"condition","set":{"n":"state.n * 10"}}},"state":{"n":{"schema":{}}}}})"});
    const Id id = world.begin_flow();
    world.rest(id);
    CHECK(checkpoints_of(world, id) == Texts{R"(w/turn/p{"n":10})", R"(w/turn/2/p{"n":100})", R"(w{"n":100})"});
}

TEST_CASE("checkpoints of a task that says much do not all hold everything")
{
    Flowing world({.nodes = R"("a":{"type":"agent","agent":"a"},"b":{"type":"agent","agent":"a","context":"none"},
                               "c":{"type":"agent","agent":"a","context":"none"})",
                   .edges = "a>b b>c"});
    world.model->answer = [](const llm::Request&) { return says(std::string(900'000, 'x')); };
    const Id id = world.begin_flow();
    world.rest(id);
    Chronicle chronicle;
    for (const auto& record : world.records(id)) chronicle.apply(record);
    REQUIRE(chronicle.places().size() == 3);
    CHECK(!chronicle.places()[0].base);
    CHECK(chronicle.places()[1].base == 0);  // said twice: in the answer and in the node's end
    CHECK(chronicle.places()[2].base == 1);  // what all files hold together grows with what was said
}
