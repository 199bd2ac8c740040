#include "engine/queries.hpp"

#include "engine/index_detail.hpp"
#include "engine/numbered_event.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;

namespace {

Async<model::Reply> question(Run& run)
{
    const auto answer = co_await run.ask({.type = model::HumanRequestType::feedback, .agent = "worker"});
    co_return run.reply(answer.message);
}

struct Library : World {
    Library()
    {
        patterns.add({"question@1", question});
        patterns.add({"nap@1", [](Run& run) -> Async<model::Reply> {
                          co_await run.sleep(Millis(2000));
                          co_return run.reply("rested");
                      }});
        reader = std::make_unique<Queries>(store);
    }
    std::unique_ptr<Queries> reader;  // has a store, and nobody to ask
};

}  // namespace

TEST_CASE("queries need a store and no host")
{
    Library library;
    library.team = team_of({});
    const Id id = library.begin("question@1", {.description = "which?", .agent = "worker"});
    library.rest(id);
    library.crash();
    Queries& reader = *library.reader;
    CHECK(library.wait(reader.resolve(kAnn, short_id(id))) == id);
    CHECK(library.wait(reader.task(kAnn, id))->status == TaskStatus::waiting);
    CHECK(library.wait(reader.entry(kAnn, id)).title == "which?");
    CHECK(library.wait(reader.tasks(kAnn, {})).size() == 1);
    CHECK(library.wait(reader.records(kAnn, id)).size() == 3);
    const auto events = library.wait(reader.events(kAnn, id));
    REQUIRE(events.size() > 1);
    const auto later = library.wait(reader.events(kAnn, id, events[0]->number)).front();
    CHECK(later->number == events[1]->number);
    CHECK(later->event == events[1]->event);
    CHECK(library.wait(reader.verify(kAnn, id)).problems.empty());
    CHECK(library.wait(reader.export_run(kAnn, id, false)).journals.size() == 1);
    CHECK(library.wait(reader.sessions(kAnn)).empty());
}

TEST_CASE("a state is folded once, and again only by what came since")
{
    Library library;
    const Id id = library.begin("question@1");
    library.rest(id);
    const auto first = library.wait(library.reader->task(kAnn, id));
    CHECK(library.wait(library.reader->task(kAnn, id)) == first);  // the same object
    library.wait(library.commands->answer(kAnn, id, "", {.message = "that"}));
    library.rest(id);
    const auto second = library.wait(library.reader->task(kAnn, id));
    CHECK(first->status == TaskStatus::waiting);  // whoever has it keeps it
    CHECK(second->status == TaskStatus::completed);
    CHECK(second->end.hash == library.records(id).back().hash);
    CHECK(second->reply->text == "that");
    CHECK(second->created_at == first->created_at);
    CHECK(library.wait(library.reader->task(kAnn, id)) == second);
}

TEST_CASE("a state that was folded is not shown when its journal is gone, or another one")
{
    Library library;
    const Id id = library.begin("question@1");
    library.rest(id);
    library.wait(library.commands->cancel(kAnn, id, ""));
    library.rest(id);
    library.wait(library.reader->task(kAnn, id));
    const Transfer other = [&] {
        Library elsewhere;
        const Id same = new_id(elsewhere.random);
        CHECK(same == id);  // the same seed
        elsewhere.wait(elsewhere.host->create("local", same, {.description = "another", .pattern = "question@1"}, {}));
        elsewhere.rest(same);
        elsewhere.wait(elsewhere.commands->cancel(kAnn, same, ""));
        elsewhere.rest(same);
        return elsewhere.wait(elsewhere.queries->export_run(kAnn, same, true));
    }();

    auto entry = library.wait(library.queries->entry(kAnn, id));
    entry.detail = detail_text({.purged_at = Time(Millis(1))});
    library.wait(library.store.purge({{.task = id, .rest = entry}}));
    CHECK_THROWS_WITH_AS(library.wait(library.reader->task(kAnn, id)), doctest::Contains("was removed on"), Error);
    library.wait(library.commands->import_run(kAnn, other));
    CHECK(library.wait(library.reader->task(kAnn, id))->spec.description == "another");
}

TEST_CASE("what runs is shown as it is in memory, to its last record")
{
    Library library;
    const Id id = library.begin("nap@1");
    REQUIRE(library.host->active_state(id));
    const auto state = library.wait(library.queries->task(kAnn, id));
    CHECK(state->status == TaskStatus::running);
    CHECK(state->end.seq == library.records(id).back().seq);
    CHECK(state->end.hash == library.records(id).back().hash);
    CHECK(state->updated_at == library.records(id).back().at);
    library.rest(id);
    CHECK_FALSE(library.host->active_state(id));
    CHECK(library.wait(library.queries->task(kAnn, id))->reply->text == "rested");
}
