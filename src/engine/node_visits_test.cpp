#include "engine/node_visits.hpp"

#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

TEST_CASE("names of nodes that could be other paths are refused with what they may be")
{
    const std::string longest(64, 'z'), too_long(65, 'a');
    for (const std::string& name :
         std::vector<std::string>{"think:1", "2", "a/b", "", ".a", "-a", "a b", "ä", too_long}) {
        CAPTURE(name);
        Stage world([name](Run& run) -> Async<model::Reply> {
            co_return run.reply(co_await run.node(name, [](Run&) -> Async<std::string> { co_return "in"; }));
        });
        CHECK(ending(world.finish(world.play())).find("a node cannot be called") != std::string::npos);
    }
    for (const std::string& name : std::vector<std::string>{"a", "_", "think", "Tool.v2-x_", longest})
        CHECK(is_node_name(name));
}
