#include "testing/final_state.hpp"

#include "base/json.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::testing;
using cadre::test::error_of;

namespace {

/// a, then b and c at the same time, of which d takes whoever comes first.
const std::string kSetup = R"({"graph":{"name":"g","patterns":[],"entry_point":"a","nodes":{
    "a":{"type":"tool","tool":"t"},"b":{"type":"tool","tool":"t"},"c":{"type":"tool","tool":"t"},
    "d":{"type":"tool","tool":"t","join":{"policy":"first"}}},
    "edges":[{"from":"a","to":"b"},{"from":"a","to":"c"},{"from":"b","to":"d"},{"from":"c","to":"d"}],
    "state":{"x":{"schema":{"default":0}},"y":{"schema":{}},"list":{"schema":{"type":"array"},"reducer":"append"}}},"nested":{}})";

storage::Record done(const char* path, const char* body)
{
    storage::Record record;
    record.kind = storage::RecordKind::node_done;
    record.path = path;
    record.body = body;
    return record;
}

std::string state_of(const std::vector<storage::Record>& records, const char* inputs = "{}")
{
    return to_canonical_text(final_state(kSetup, parse_json(inputs).as_object(), records));
}

const storage::Record kA =
    done("a", R"({"work":{"update":{"metadata":{"x":1,"list":["a"]},"routing_key":"k"}},"next":["b","c"]})");
const storage::Record kB = done("b", R"({"work":{"update":{"metadata":{"list":["b"]}}},"after":["a"],"next":["d"]})");
const storage::Record kC =
    done("c", R"({"work":{"update":{"metadata":{"list":["c"],"y":5}}},"after":["a"],"next":["d"]})");
const storage::Record kD = done("d", R"({"work":{"update":{"metadata":{"list":["d"]}}},"after":["c"],"next":[]})");

}  // namespace

TEST_CASE("the state of a task that waits is behind all that was executed, whenever that was")
{
    CHECK(state_of({}) == R"({"x":0})");
    CHECK(state_of({}, R"({"y":7})") == R"({"x":0,"y":7})");
    CHECK(state_of({kA}) == R"({"list":["a"],"routing_key":"k","x":1})");
    const std::string both = R"({"list":["a","b","c"],"routing_key":"k","x":1,"y":5})";
    CHECK(state_of({kA, kB, kC}) == both);
    CHECK(state_of({kA, kC, kB}) == both);
}

TEST_CASE("what lost at a join does not count for the state at the end")
{
    CHECK(state_of({kA, kC, kD}) == R"({"list":["a","c","d"],"routing_key":"k","x":1,"y":5})");
    CHECK(state_of({kA, kB, kC, kD}) == state_of({kA, kC, kD}));
}

TEST_CASE("nodes of workflows in a node, and records of other kinds, are not nodes of the workflow")
{
    storage::Record other = kC;
    other.kind = storage::RecordKind::outcome;
    CHECK(state_of({kA, done("d/b", kB.body.c_str()), other}) == state_of({kA}));
}

TEST_CASE("a field that two ends have set has no one value, and both are named")
{
    const auto sets = [](const char* path) {
        return done(path, R"({"work":{"update":{"metadata":{"y":1}}},"after":["a"],"next":[]})");
    };
    CHECK(error_of([&] { state_of({kA, sets("b"), sets("c")}); }) ==
          doctest::Contains("field y was set by both b and c"));
}

TEST_CASE("what may be expected of a state is what the workflow declares, and the two fields that every state has")
{
    CHECK(state_fields(kSetup) == std::vector<std::string>{"routing_key", "next_action", "x", "y", "list"});
}
