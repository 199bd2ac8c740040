#include "storage/store_conformance_fixture.hpp"
#include "support/error_of.hpp"

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

TEST_CASE("whoever acquires a task may append to it, renew and release it")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const Id task = new_id();
        const Lease lease = desk.ask(desk.store->acquire(task, "a", Millis(1000)));
        CHECK(lease.epoch > 0);
        const Lease renewed = desk.ask(desk.store->renew(task, "a", lease.epoch, Millis(2000)));
        CHECK(renewed.epoch == lease.epoch);
        CHECK(renewed.until >= lease.until);
        CHECK(error_of([&] { desk.ask(desk.store->renew(task, "a", lease.epoch + 1, Millis(1))); }) ==
              doctest::Contains("conflict: a no longer holds the task"));
        desk.ask(desk.store->release(task, "a", lease.epoch));
        CHECK(desk.ask(desk.store->acquire(task, "a", Millis::max())).epoch >= lease.epoch);
    });
}

TEST_CASE("a worker that lost its task cannot append to it, whatever it believes")
{
    on_every_backend([](Backend& backend) {
        if (!backend.leases_tasks()) return;
        Desk desk(backend);
        const Id task = new_id();
        Worker zombie(desk, task);
        zombie.append(zombie.next());
        zombie.wait();
        // the zombie sleeps; its lease is given up by somebody who knows that it is dead
        desk.ask(desk.store->release(task, "worker", zombie.next().epoch));
        CHECK(error_of([&] { desk.ask(desk.store->renew(task, "worker", zombie.next().epoch, Millis(1))); }) ==
              doctest::Contains("conflict: "));
        Record last = zombie.records.back();
        last.epoch = desk.own(task, "heir");
        CHECK(last.epoch > zombie.next().epoch);
        Worker heir(desk, last);
        CHECK(error_of([&] { desk.own(task, "third"); }) == doctest::Contains("conflict: heir holds the task"));

        zombie.append(zombie.next());
        zombie.append(zombie.next());
        zombie.wait();
        CHECK(zombie.refused_with().starts_with("conflict: "));
        CHECK(zombie.refused_seq == 2);
        heir.append(heir.next());
        heir.wait();
        CHECK(heir.durable_seq == 2);
        CHECK(desk.ask(desk.store->read(task)).size() == 2);
    });
}
