#include "engine/numbered_event.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using storage::Record;

namespace {

/// A task with two model calls, from its beginning to its end.
struct Played : World {
    Played()
    {
        team = team_of({});
        patterns.add({"twice@1", [](Run& run) -> Async<model::Reply> {
                          run.tell("Think.");
                          co_await run.think(run.agent());
                          co_return run.reply((co_await run.think(run.agent())).text);
                      }});
        model->answer = [](const llm::Request&) { return says("thought"); };
        task = begin("twice@1", {.agent = "worker"});
        rest(task);
        journal = records(task);
    }
    std::uint32_t events() const { return journal.back().event_seq; }

    Id task;
    std::vector<Record> journal;
};

struct Watcher {
    Watcher(Hub& hub, Loop& loop, const Id& task) : events(hub, task, 0), scope(loop) {}

    void begin() { scope.spawn(watch()); }
    Async<> watch()
    {
        while (const auto seen = co_await events.next())
            if (const auto* event = std::get_if<EventPtr>(&*seen)) last += (*event)->number == last + 1 ? 1 : 1000;
        ended = true;
    }

    Subscription events;
    std::uint32_t last = 0;  // the number of the last event, if they came in order
    bool ended = false;
    AsyncScope scope;
};

}  // namespace

TEST_CASE("watching: who keeps up is told records once they are durable, and none is read from the store for that")
{
    Played played;
    storage::MemoryStore empty;
    Hub hub(empty);
    Watcher watcher(hub, played.loop, played.task);
    watcher.begin();
    for (const Record& record : played.journal) {
        const std::uint32_t before = watcher.last;
        hub.appended(record);
        played.loop.settle();
        CHECK(watcher.last == before);
        hub.durable(record.task, record.seq);
        played.loop.settle();
        CHECK(watcher.last == record.event_seq);
    }
    CHECK(watcher.ended);
}

TEST_CASE("watching: records that are not known to be those in the store are read from there")
{
    Played played;
    Record other = played.journal[0];
    other.kind = storage::RecordKind::cancelled;
    const auto check = [&](const std::function<void(Hub&)>& tell) {
        Hub hub(played.store);
        Watcher watcher(hub, played.loop, played.task);
        tell(hub);
        watcher.begin();
        played.loop.settle();
        CHECK(watcher.last == played.events());
        CHECK(watcher.ended);
    };
    check([&](Hub& hub) {  // refused: another owner has the task
        hub.appended(other);
        hub.forget(played.task);
        hub.durable(played.task, 1);
    });
    check([&](Hub& hub) {  // written by somebody who does not tell us what
        hub.appended(other);
        hub.durable(played.task);
    });
    check([&](Hub& hub) {  // some were missed
        hub.appended(other);
        hub.appended(played.journal[3]);
        hub.durable(played.task, 4);
    });
    check([&](Hub& hub) {  // more than are kept
        for (const Record& record : played.journal) {
            Record large = record;
            large.body.append(200 << 10, ' ');
            hub.appended(large);
        }
        hub.durable(played.task, played.journal.back().seq);
    });
}
