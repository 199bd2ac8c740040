#include "home/local_router.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::home;

namespace {

engine::RouteQuery asked(std::string text)
{
    return {
        .text = std::move(text),
        .catalogue = {{"billing", "Invoices and refunds", {"where is my invoice", "I want a refund", "wrong amount"}},
                      {"delivery", "Parcels", {"where is my parcel", "track my order", "the courier is late"}}}};
}

struct CountingPool final : Pool {
    explicit CountingPool(Loop& loop) : pool(loop) {}
    void submit(std::function<void()> work) override
    {
        ++count;
        pool.submit(std::move(work));
    }
    LoopPool pool;
    int count = 0;
};

struct Desk {
    SimLoop loop;
    CountingPool pool{loop};
    LocalRouter router{pool};

    engine::Routed ask(engine::RouteQuery query) { return run(loop, router.route(std::move(query))); }
};

}  // namespace

TEST_CASE("local router: decides by the catalogue's examples and says why")
{
    Desk desk;
    const engine::Routed routed = desk.ask(asked("where is my parcel today"));
    CHECK(!desk.router.is_remote());
    CHECK(routed.encoder == "words");
    CHECK(routed.decision.query == "where is my parcel today");
    CHECK(routed.decision.targets == std::vector<std::string>{"delivery"});
    CHECK(routed.decision.confidence > 0.5);
    CHECK(routed.decision.reasoning.find("where is my parcel") != std::string::npos);
}

TEST_CASE("local router: every decision keeps the rules of its entity")
{
    Desk desk;
    for (const char* text : {"where is my parcel", "I want a refund and track my order", "сколько времени", "", "my"}) {
        CAPTURE(text);
        const model::Decision decision = desk.ask(asked(text)).decision;
        CHECK(model::from_json<model::Decision>(parse_json(model::to_json_text(decision))) == decision);
    }
    engine::RouteQuery nobody = asked("hello");
    nobody.catalogue.clear();
    const model::Decision decision = desk.ask(nobody).decision;
    CHECK(decision.clarify);
    CHECK(decision.targets.empty());
}

TEST_CASE("local router: a request in another alphabet is asked back")
{
    Desk desk;
    const model::Decision decision = desk.ask(asked("今日の天気はどうですか")).decision;
    CHECK(decision.clarify);
    CHECK(model::needs_clarification(decision));
    CHECK(decision.reasoning.find("closest is") != std::string::npos);
}

TEST_CASE("local router: a request for two things names both, one within a limit of one")
{
    Desk desk;
    engine::RouteQuery query = asked("where is my invoice and where is my parcel");
    CHECK(desk.ask(query).decision.targets == std::vector<std::string>{"billing", "delivery"});
    query.limit = 1;
    CHECK(desk.ask(query).decision.targets.size() == 1);
}

TEST_CASE("local router: asked for a ranking, it gives as many as are wanted, those that compare best first")
{
    Desk desk;
    engine::RouteQuery query = asked("where is my parcel");
    for (int i = 0; i < 300; ++i) query.catalogue.push_back({"other_" + std::to_string(i), "Music and songs", {}});
    query.ranks = true;
    query.limit = 20;
    const auto targets = desk.ask(query).decision.targets;
    CHECK(targets.size() == 20);
    CHECK(targets.front() == "delivery");
    CHECK(targets[1] == "billing");
    query.catalogue.clear();
    CHECK(desk.ask(query).decision.targets.empty());
}

TEST_CASE("local router: learns a catalogue once, and another one when it changes")
{
    Desk desk;
    desk.ask(asked("where is my parcel"));
    desk.ask(asked("I want a refund"));
    CHECK(desk.pool.count == 1);
    engine::RouteQuery query = asked("play jazz");
    query.catalogue.push_back({"music", "", {"play jazz", "next song"}});
    CHECK(desk.ask(query).decision.targets == std::vector<std::string>{"music"});
    CHECK(desk.pool.count == 2);
}
