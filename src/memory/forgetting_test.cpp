// What becomes of items over time: summed up, forgotten, erased.
#include "base/async_scope.hpp"
#include "memory/memory_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace cadre;
using namespace cadre::memory;
using namespace cadre::memory::testing;
using model::MemoryType;

namespace {

const Scope kTeam{.tenant = "local", .kind = ScopeKind::team, .project = "/p", .name = "press"};

void tell_team(Bench& bench, std::string text, std::string by, std::string task)
{
    const Source source{.task = std::move(task), .step = "use:1.0", .by = std::move(by)};
    bench.wait(bench.memory->remember(kTeam, {.type = MemoryType::episodic, .text = std::move(text)}, source));
}

Async<> sum_up(Memory& memory, bool& has_ended)
{
    std::vector<Scope> scopes{Bench::ann(), kTeam};
    co_await memory.consolidate(std::move(scopes), "", {});
    has_ended = true;
}

Async<> erase_ann(Memory& memory)
{
    co_await memory.erase("local", "ann");
}

}  // namespace

TEST_CASE(
    "memory, case 8: erased, nothing is found by the old words, nothing is left in the store, and the tasks are named")
{
    Bench bench;
    bench.keep("ann is allergic to nuts");
    bench.keep("ann lives in Leeds");
    bench.keep("bob likes tea", Bench::of("bob"));
    const auto tell = [&](const char* by, const char* task) {
        bench.wait(
            bench.memory->remember(kTeam, {.text = "deadline is Friday"}, {.task = task, .step = "use:1.0", .by = by}));
    };
    tell("ann", "t1");
    tell("bob", "t2");
    bench.wait(
        bench.memory->remember(kTeam, {.text = "ann is the editor"}, {.task = "t3", .step = "use:1.0", .by = "ann"}));

    const Erasure erasure = bench.wait(bench.memory->erase("local", "ann"));
    CHECK(erasure.items.size() == 3);
    CHECK(erasure.tasks == std::set<std::string>{"t1", "t3", "task"});
    for (int i = 0; i < 2; ++i) {
        CHECK(bench.find("allergic to nuts").empty());
        CHECK(bench.find("ann lives in Leeds").empty());
        CHECK(bench.find("editor", kTeam).empty());
        CHECK(bench.find("tea", Bench::of("bob")).size() == 1);
        REQUIRE(bench.find("deadline Friday", kTeam).size() == 1);
        CHECK(bench.find("deadline Friday", kTeam)[0].item.sources.size() == 1);
        CHECK(bench.find("deadline Friday", kTeam)[0].item.sources[0].by == "bob");
        bench.restart();
    }
    CHECK(bench.documents("memory") == 2);
    CHECK(bench.documents("vector") == 2);
    for (const char* kind : {"memory", "vector"})
        for (const auto& document : bench.wait(bench.store.list(kind, "", SIZE_MAX)))
            CHECK(document.text.find("nuts") == std::string::npos);
}

TEST_CASE("memory: at whatever point of a consolidation a user is erased, no summary keeps their words")
{
    int steps = 0;
    for (bool had_ended = false; !had_ended; ++steps) {
        CAPTURE(steps);
        Bench bench;
        bench.keep("The nightly deployment of Leeds failed because the disk was full.", Bench::ann(),
                   MemoryType::episodic);
        bench.keep("The deployment of Leeds failed again, the disk was full.", Bench::ann(), MemoryType::episodic);
        tell_team(bench, "The printer of the press room jammed on Monday, Leeds called.", "ann", "t1");
        tell_team(bench, "The printer of the press room jammed again, Bob mended it.", "bob", "t2");
        AsyncScope scope(bench.loop);
        bool has_ended = false;
        scope.spawn(sum_up(*bench.memory, has_ended));
        for (int i = 0; i < steps; ++i) bench.loop.step();
        had_ended = has_ended;
        scope.spawn(erase_ann(*bench.memory));
        bench.wait(scope.join());
        CHECK(has_ended);
        CHECK(bench.find("deployment disk full").empty());
        bench.restart();
        const auto left = bench.items(kTeam);
        REQUIRE(left.size() == 1);
        CHECK(left[0].text == "The printer of the press room jammed again, Bob mended it.");
        CHECK(left[0].consolidated_into.empty());
        CHECK(bench.documents("memory") == 1);
        CHECK(bench.documents("vector") == 1);
        for (const auto& document : bench.wait(bench.store.list("memory", "", SIZE_MAX)))
            CHECK(document.text.find("Leeds") == std::string::npos);
    }
    CHECK(steps > 5);  // it has come in between, too
}

TEST_CASE("memory: what expires is forgotten at its time, and gone from the store when its scope is next read")
{
    Bench bench;
    const Time soon = bench.loop.clock().now() + Millis(1000);
    bench.wait(bench.memory->remember(Bench::ann(), {.text = "the demo code is 99", .expires_at = soon}, {}));
    CHECK(bench.find("demo code").size() == 1);
    bench.wait(sleep_for(Millis(1001)));
    CHECK(bench.find("demo code").empty());
    CHECK(bench.items().empty());
    CHECK(bench.keep("the demo code is 99").change == Change::created);  // anew, for good
    CHECK(bench.items().size() == 1);
    bench.wait(bench.memory->remember(
        Bench::ann(), {.text = "lunch is at noon", .expires_at = bench.loop.clock().now() + Millis(1)}, {}));
    bench.wait(sleep_for(Millis(5)));
    bench.restart();
    CHECK(bench.items().size() == 1);
    CHECK(bench.documents("memory") == 1);
}

TEST_CASE("memory: where there are too many in a scope the least important and oldest goes")
{
    Bench bench;
    Writing writing;
    for (std::size_t i = 0; i < kMostInScope; ++i) {
        Item item{
            .scope = Bench::ann(), .text = "note number " + std::to_string(i), .importance = i == 4321 ? 0.1 : 0.5};
        item.id = id_of(item.scope, item.type, item.text);
        item.updated_at = bench.loop.clock().now();
        writing.put(item, Time());
    }
    bench.wait(bench.store.put_all(std::move(writing.documents)));
    CHECK(bench.keep("the one that is new").change == Change::created);
    CHECK(bench.items().size() == kMostInScope);
    const auto items = bench.items();
    CHECK(std::ranges::none_of(items, [](const Item& item) { return item.text == "note number 4321"; }));
    CHECK(std::ranges::any_of(items, [](const Item& item) { return item.text == "the one that is new"; }));
}

TEST_CASE(
    "memory: what happened is summed up once, the sources stay and are marked, and forgetting one takes the summary")
{
    Bench bench;
    const char* const happened[] = {"The nightly deployment of the shop failed because the disk was full.",
                                    "The deployment of the shop failed again, the disk was full.",
                                    "Ann has booked the meeting room for the workshop."};
    for (const char* text : happened) {
        bench.keep(text, Bench::ann(), MemoryType::episodic);
        bench.wait(sleep_for(Millis(10)));
    }
    const Consolidation done = bench.wait(bench.memory->consolidate({Bench::ann()}, "", {.by = "ann"}));
    CHECK(done.items == 2);
    REQUIRE(done.summaries.size() == 1);
    CHECK(done.topic.find("shop") != std::string::npos);
    CHECK(done.summaries[0].type == MemoryType::long_term);
    CHECK(done.summaries[0].text.find("disk was full") != std::string::npos);
    CHECK(done.length == static_cast<std::int64_t>(done.summaries[0].text.size()));
    CHECK(bench.wait(bench.memory->consolidate({Bench::ann()}, "", {})).items == 0);  // twice: nothing more
    bench.restart();
    CHECK(bench.wait(bench.memory->consolidate({Bench::ann()}, "", {})).items == 0);
    std::size_t marked = 0;
    std::vector<Item> sources;
    for (const Item& item : bench.items()) {
        marked += item.consolidated_into == done.summaries[0].id;
        if (item.text == happened[0]) sources.push_back(item);
    }
    CHECK(marked == 2);
    const auto gone = bench.wait(bench.memory->forget(sources));
    CHECK(gone.size() == 2);
    CHECK(bench.items().size() == 2);
    CHECK(bench.find("nightly").empty());
    for (const Item& item : bench.items()) CHECK(item.consolidated_into.empty());
}

TEST_CASE("memory: summed up on a topic, other things stay as they are")
{
    Bench bench;
    for (const char* text : {"The client asked about invoices in March.", "We sent the invoices to the client by mail.",
                             "The heating in the office broke down."})
        bench.keep(text, Bench::ann(), MemoryType::episodic);
    const Consolidation done = bench.wait(bench.memory->consolidate({Bench::ann()}, "invoices of the client", {}));
    CHECK(done.items == 2);
    CHECK(done.topic == "invoices of the client");
    CHECK(done.summaries.at(0).text.find("heating") == std::string::npos);
    CHECK(bench.wait(bench.memory->consolidate({Bench::ann()}, "giraffes", {})).items == 0);
}
