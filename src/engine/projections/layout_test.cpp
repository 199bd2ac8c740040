#include "engine/projections/indented.hpp"
#include "engine/projections/layout.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;

TEST_CASE("checkpoints are named with three digits, and with more where that is not enough")
{
    CHECK(layout::checkpoint(0) == "checkpoint_000.json");
    CHECK(layout::checkpoint(999) == "checkpoint_999.json");
    CHECK(layout::checkpoint(1000) == "checkpoint_1000.json");
}

TEST_CASE("a purge leaves the task and what it made")
{
    for (const char* name :
         {"history.jsonl", "trace.json", "checkpoint_000.json", ".agentx", "memory", "sub_agents", "blobs"})
        CHECK(layout::is_history(name));
    CHECK_FALSE(layout::is_projected("blobs"));  // nothing else has what they hold
    for (const char* name : {"task.json", "artifacts", "sandbox", "notes.txt", "checkpoint_list.txt"})
        CHECK_FALSE(layout::is_history(name));
}

TEST_CASE("indented JSON is the same JSON")
{
    for (const char* text : {R"({})", R"([])", R"("a\"b\\")", R"({"a":[1,{"b":"x, [y]: {z}"},[],{}],"c":null})"}) {
        CAPTURE(text);
        CHECK(indented(text) == to_pretty_text(parse_json(text)));
    }
}
