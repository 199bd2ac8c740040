#include "storage/memory/memory_store.hpp"

#include "base/sim_loop.hpp"
#include "storage/store_conformance_fixture.hpp"
#include "support/error_of.hpp"

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

namespace {

template <bool deferred>
struct MemoryBackend final : Backend {
    std::unique_ptr<Store> open() override
    {
        return std::make_unique<MemoryStore>(MemoryOptions{.deferred = deferred});
    }
    bool leases_tasks() const override { return true; }

    static std::unique_ptr<Backend> make() { return std::make_unique<MemoryBackend>(); }
};

const AddBackend direct("memory", MemoryBackend<false>::make);
const AddBackend deferred("memory, deferred", MemoryBackend<true>::make);

struct Count final : Receipt {
    void durable(std::uint32_t) noexcept override { ++yes; }
    void refused(std::uint32_t, const std::exception_ptr&) noexcept override { ++no; }
    int yes = 0;
    int no = 0;
};

}  // namespace

TEST_CASE("the memory store acknowledges inside append, so that nobody waits")
{
    SimLoop loop;
    MemoryStore store;
    const auto port = store.open_port(loop);
    Count count;
    port->append(Record(sample_journal(1, new_id(), 0)[0]), count);
    CHECK(count.yes == 1);
    CHECK(loop.settle() == 0);
}

TEST_CASE("a lease ends by the store's clock; then another may have the task, with a higher epoch")
{
    SimLoop loop;
    ManualClock clock;
    MemoryStore store({.clock = &clock});
    const Id task = new_id();
    const Lease first = run(loop, store.acquire(task, "a", Millis(100)));
    CHECK(error_of([&] { run(loop, store.acquire(task, "b", Millis(100))); }) ==
          doctest::Contains("conflict: a holds"));
    clock.advance(Millis(99));
    CHECK(run(loop, store.renew(task, "a", first.epoch, Millis(100))).until == clock.now() + Millis(100));
    clock.advance(Millis(99));
    CHECK_THROWS_AS(run(loop, store.acquire(task, "b", Millis(100))), Error);
    clock.advance(Millis(1));

    const auto port = store.open_port(loop);
    Count count;
    auto journal = sample_journal(2, task, first.epoch);
    port->append(Record(journal[0]), count);  // late, but nobody has taken the task over
    CHECK(count.yes == 1);
    const Lease second = run(loop, store.acquire(task, "b", Millis(100)));
    CHECK(second.epoch > first.epoch);
    port->append(Record(journal[1]), count);
    CHECK(count.no == 1);
    CHECK(error_of([&] { run(loop, store.renew(task, "a", first.epoch, Millis(1))); }) ==
          doctest::Contains("conflict"));
    run(loop, store.release(task, "a", first.epoch));  // what it no longer has, it cannot give away
    CHECK(run(loop, store.renew(task, "b", second.epoch, Millis(1))).epoch == second.epoch);
}

TEST_CASE("after release nobody may append until somebody acquires the task")
{
    SimLoop loop;
    MemoryStore store;
    const Id task = new_id();
    const Lease lease = run(loop, store.acquire(task, "a", Millis(100)));
    run(loop, store.release(task, "a", lease.epoch));
    const auto port = store.open_port(loop);
    Count count;
    port->append(Record(sample_journal(1, task, lease.epoch)[0]), count);
    CHECK(count.no == 1);
    const Lease again = run(loop, store.acquire(task, "b", Millis(100)));
    Count heir;
    port->append(Record(sample_journal(1, task, again.epoch)[0]), heir);
    CHECK(heir.yes == 1);
}

TEST_CASE("a store that discards acknowledges everything and keeps nothing")
{
    SimLoop loop;
    MemoryStore store({.discard = true});
    const auto port = store.open_port(loop);
    Count count;
    const Id task = new_id();
    port->append({.task = task, .seq = 7}, count);
    CHECK(count.yes == 1);
    CHECK(run(loop, store.read(task)).empty());
}

TEST_CASE("a memory store that is stopped refuses everything and says so once")
{
    SimLoop loop;
    MemoryStore store;
    int calls = 0;
    store.on_stopped([&](const std::exception_ptr&) { ++calls; });
    const auto error = std::make_exception_ptr(Error(Code::unavailable, "the disk is gone"));
    store.stop(error);
    store.stop(error);
    CHECK(calls == 1);
    store.on_stopped([&](const std::exception_ptr&) { ++calls; });
    CHECK(calls == 2);
    const auto port = store.open_port(loop);
    Count count;
    port->append(Record(sample_journal(1, new_id(), 0)[0]), count);
    CHECK(count.no == 1);
    CHECK(error_of([&] { run(loop, store.put({.kind = "k"})); }) == doctest::Contains("the disk is gone"));
}
