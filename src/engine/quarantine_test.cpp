// A task whose journal is intact and cannot be understood all the same: by a newer release, or by a fault of an older one.
#include "engine/test_world.hpp"
#include "engine/transfer.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;
using storage::Record;
using storage::RecordKind;

namespace {

struct Deaf final : storage::Receipt {
    void durable(std::uint32_t) noexcept override {}
    void refused(std::uint32_t, const std::exception_ptr&) noexcept override { is_refused = true; }
    bool is_refused = false;
};

/// Writes a record that nobody can read behind the others.
void write_nonsense(World& world, const Id& task)
{
    const auto lease = world.wait(world.store.acquire(task, "local", Millis(10'000)));
    const auto records = world.records(task);
    Record record = records.back();
    record.kind = RecordKind::answer;
    ++record.seq;
    record.epoch = lease.epoch;
    record.body = R"({"request":"r","type":"approval","answer":{"verb":"perhaps"}})";
    record.event_seq += 2;
    storage::seal(record, records.back().hash);
    Deaf receipt;
    world.store.open_port(world.loop)->append(std::move(record), receipt);
    world.loop.settle();
    REQUIRE_FALSE(receipt.is_refused);
}

}  // namespace

TEST_CASE(
    "a task whose journal cannot be understood is quarantined: it is shown, exported and cancelled, and never runs")
{
    World world;
    int ran = 0;
    world.team = team_of({});
    world.patterns.add({"ask@1", [&ran](Run& run) -> Async<model::Reply> {
                            ++ran;
                            co_await run.ask({.agent = "worker", .context = {{"question", "Go?"}}});
                            co_return run.reply("went");
                        }});
    const Id id = world.begin("ask@1", {.description = "Go!", .agent = "worker"});
    const Id other = world.begin("ask@1", {.description = "Go!", .agent = "worker"});
    world.rest(id);
    world.rest(other);
    world.crash();
    write_nonsense(world, id);
    world.start();
    ran = 0;

    const TaskState state = world.state(id);
    CHECK(state.unreadable.find("record 4 of task " + to_string(id) + " cannot be read") == 0);
    CHECK(state.spec.description == "Go!");
    CHECK(state.questions.size() == 1);
    CHECK(to_task(state).status_text->starts_with("quarantined: "));
    CHECK(world.wait(world.queries->verify(kAnn, id)).problems.size() == 1);
    CHECK(world.wait(world.queries->verify(kAnn, other)).problems.empty());
    CHECK(world.wait(world.queries->export_run(kAnn, id, true)).journals.front().size() == 4);

    CHECK_THROWS_WITH_AS(world.wait(world.host->wake(id)), doctest::Contains("is quarantined"), Error);
    CHECK(world.wait(world.host->wake_all()) == 2);  // which does not stop at it
    world.wait(world.commands->answer(kAnn, other, "", {.verb = model::HumanVerb::approve}));
    CHECK(world.rest(other).status == TaskStatus::completed);

    ran = 0;
    CHECK(world.wait(world.commands->cancel(kAnn, id, "enough")));
    world.wait(world.host->until_resting(id));
    CHECK(world.state(id).status == TaskStatus::cancelled);
    CHECK(world.wait(world.store.find_task(id))->open == false);
    CHECK(ran == 0);
    world.restart();
    CHECK_FALSE(world.wait(world.commands->cancel(kAnn, id, "again")));
}
