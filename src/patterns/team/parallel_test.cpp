#include "patterns/team/collab_fixture.hpp"
#include "patterns/team/speak.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns;
using namespace cadre::patterns::testing;

namespace {

const std::vector<std::string> kThree{"a", "b", "c", "chief"};

Async<model::Reply> play_parallel(Run& run, model::CollaborationPattern pattern)
{
    const auto turns = co_await parallel(run, pattern, Floor(run));
    std::string all;
    for (const auto& turn : turns) all += turn.agent + ": " + turn.text + "; ";
    co_return run.reply(all);
}

std::function<Async<model::Reply>(Run&)> at_once(std::string_view text)
{
    return [pattern = pattern_from(text)](Run& run) { return play_parallel(run, pattern); };
}

constexpr std::string_view kOnePoint = R"({"name":"p","type":"parallel","agents":["a","b","c"]})";
constexpr std::string_view kTwoPoints =
    R"({"name":"p","type":"parallel","agents":["a","b","c"],"config":{"sync_points":["draft","end"]}})";

/// `name#how many others it heard`
std::string count_others(const llm::Request& request)
{
    std::size_t others = 0;
    for (const auto& one : request.messages) others += one->text.starts_with("[");
    return request.agent + "#" + std::to_string(others);
}

/// `draft: a b | c` of each event.
std::vector<std::string> syncs(const std::vector<storage::Record>& journal)
{
    std::vector<std::string> lines;
    for (const json::object& event : pattern_events(journal))
        if (event.at("type") == "event_parallel_sync")
            lines.push_back(std::string(event.at("sync_point").as_string()) + ": " +
                            words_in(event.at("completed_agents")) + " | " + words_in(event.at("waiting_agents")));
    return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("parallel: three agents of a second each take less than two")  // TEAM-22 E, EVT-14 W
{
    Stage world(at_once(kTwoPoints));
    people(world, kThree, count_others, [](const llm::Request&) { return Millis(500); });
    const Time begin = world.loop.clock().now();
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "a: a#2; b: b#2; c: c#2; ");
    CHECK(world.loop.clock().now() - begin < Millis(2000));
    const auto events = pattern_events(world.records(id));
    REQUIRE(events.size() == 7);
    CHECK(words_in(events[0].at("agents")) == "a b c");
    CHECK(words_in(events[0].at("sync_points")) == "draft end");
    CHECK(events[0].at("coordination_agent").is_null());
}

TEST_CASE("parallel: each arrival tells who is there and who is not, and the last that all are")  // EVT-15 W
{
    Stage world(at_once(kTwoPoints));
    people(world, kThree, count_others, [](const llm::Request& request) {
        return Millis(request.agent == "a" ? 300 : request.agent == "b" ? 100 : 200);
    });
    const Id id = world.play();
    world.finish(id);
    CHECK(syncs(world.records(id)) == Lines{"draft: b | a c", "draft: b c | a", "draft: a b c | ", "end: b | a c",
                                            "end: b c | a", "end: a b c | "});
}

TEST_CASE("team case 4: an agent that fails before the first sync point keeps no other waiting")
{
    const auto fails = [](const llm::Request& request) {
        return request.agent == "b" ? std::string("!b is ill") : count_others(request);
    };
    const auto slowly = [](const llm::Request& request) { return Millis(request.agent == "b" ? 900 : 100); };
    Stage world(at_once(kTwoPoints));
    people(world, kThree, fails, slowly);
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "a: a#1; c: c#1; ");
    CHECK(syncs(world.records(id)) ==
          Lines{"draft: a | b c", "draft: a c | b", "draft: a b c | ", "end: a b | c", "end: a b c | "});
    int told = 0;  // who failed, and why, as it happens
    for (const storage::Record& record : world.records(id))
        for (const std::string& event : engine::events_of(record))
            if (event.find(R"("context":{"agent":"b"})") != event.npos && event.find("b is ill") != event.npos) ++told;
    CHECK(told == 1);
    check_cuts(at_once(kTwoPoints), "a: a#1; c: c#1; ", true,
               [&](Stage& stage) { people(stage, kThree, fails, slowly); });
}

TEST_CASE("parallel: when all fail, the first in the list is to blame")
{
    Stage world(at_once(kOnePoint));
    people(
        world, kThree, [](const llm::Request& request) { return "!" + request.agent + " is ill"; },
        [](const llm::Request& request) { return Millis(request.agent == "a" ? 900 : 100); });
    CHECK(ending(world.finish(world.play())).find("a is ill") != std::string::npos);
}

TEST_CASE("parallel: the coordinator hears every result, failures too, and answers alone")  // TEAM-20 E
{
    std::string heard;
    Stage world(at_once(R"({"name":"p","type":"parallel","agents":["a","b","c"],"coordination_agent":"chief"})"));
    people(world, kThree, [&heard](const llm::Request& request) {
        if (request.agent == "chief") heard = heard_in(request);
        return request.agent == "b" ? std::string("!b is ill") : request.agent + " says";
    });
    CHECK(ending(world.finish(world.play())) == "chief: chief says; ");
    const std::size_t a = heard.find("[a] a says"), b = heard.find("[b] failed: "), c = heard.find("[c] c says");
    CHECK(a < b);
    CHECK(b < c);
    CHECK(c != heard.npos);
    CHECK(heard.find("b is ill") != heard.npos);
}

TEST_CASE("parallel: a kill after any record ends as if there had been none, and its events agree")
{
    const auto paced = [](const llm::Request& request) {
        return Millis(request.agent == "a" ? 300 : request.agent == "b" ? 100 : 200);
    };
    const Prepare prepare = [&](Stage& stage) { people(stage, kThree, count_others, paced); };
    check_cuts(at_once(kTwoPoints), "a: a#2; b: b#2; c: c#2; ", true, prepare);

    Stage first(at_once(kTwoPoints));
    prepare(first);
    const Id id = first.play();
    first.finish(id);
    const auto journal = first.records(id);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Stage world(at_once(kTwoPoints));
        prepare(world);
        world.adopt(journal, length);
        world.finish(id);
        const Lines lines = syncs(world.records(id));
        REQUIRE(lines.size() == 6);  // one per arrival, however often the process died
        CHECK(lines[2] == "draft: a b c | ");
        CHECK(lines[5] == "end: a b c | ");
    }
}

TEST_CASE("parallel: who waits at a point keeps no seat from others of its task")
{
    Stage world([](Run& run) -> Async<model::Reply> {
        const auto both = [](Run& branch, std::string what) -> Async<std::string> {
            if (what == "pattern")
                co_return (co_await play_parallel(branch,
                                                  pattern_from(R"({"name":"p","type":"parallel","agents":["a","b"]})")))
                    .text;
            co_await branch.sleep(Millis(200));  // now a waits for b
            const Time begin = co_await branch.now();
            co_await speak(branch, branch.agent("a"), Floor("Say something."));
            co_return "took " + std::to_string((co_await branch.now() - begin).count()) + " ms";
        };
        std::string all;
        for (const std::string& one : co_await run.map(std::vector<std::string>{"pattern", "turn"}, both)) all += one;
        co_return run.reply(all);
    });
    people(world, kThree, count_others,
           [](const llm::Request& request) { return Millis(request.agent == "b" ? 900 : 100); });
    CHECK(ending(world.finish(world.play())) == "a: a#0; b: b#0; took 100 ms");
}
