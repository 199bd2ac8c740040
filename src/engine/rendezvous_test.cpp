#include "engine/rendezvous.hpp"

#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

TEST_CASE("rendezvous: a point opens when all who can still come are there, and a replay agrees")
{
    check_cuts(
        [](Run& run) -> Async<model::Reply> {
            Rendezvous<std::string> meeting(run, {"ann", "bob", "eve"});
            const auto body = [&meeting](Run& branch, std::string name) -> Async<std::string> {
                const Leaving leaving(meeting, name);
                std::string heard;
                for (const std::string point : {"noon", "night"}) {
                    if (name == "eve" && point == "night") throw Error(Code::upstream, "eve is ill");
                    const std::string said =
                        co_await pay_for(branch, static_cast<int>(name[0]), name == "bob" ? 50 : 0);
                    co_await meeting.arrive(name, point, name + "@" + point);
                    for (const auto& [who, what] : meeting.others(point, name)) heard += what + " ";
                }
                co_return heard;
            };
            co_return run.reply(words_of(co_await run.collect(std::vector<std::string>{"ann", "bob", "eve"}, body)));
        },
        "bob@noon eve@noon bob@night , ann@noon eve@noon ann@night , !eve is ill, ", true);
}

TEST_CASE("who waits for somebody who waits too is told, and does not wait for ever")
{
    Stage world([](Run& run) -> Async<model::Reply> {
        Meeting meeting(run, {"ann", "bob"});
        co_await meeting.arrive("ann", "noon");
        co_return run.reply("met");
    });
    CHECK(ending(world.finish(world.play())).find("ann waits for ever") != std::string::npos);
}
