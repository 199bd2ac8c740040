#include "storage/store_conformance.hpp"

#include <algorithm>

using namespace cadre;
using namespace cadre::storage;

namespace {

std::vector<Id> ids(const std::vector<TaskEntry>& entries)
{
    std::vector<Id> found;
    for (const TaskEntry& entry : entries) found.push_back(entry.task);
    return found;
}

/// Appends the first record of a new task, with an entry that `change` has been at.
template <class Change>
Id add_task(Desk& desk, const Change& change, Id task = new_id())
{
    Worker worker(desk, task);
    TaskEntry entry = worker.entry();
    change(entry);
    worker.append(worker.next(), entry);
    worker.wait();
    return task;
}

}  // namespace

TEST_CASE("the entry of a task comes with its record and follows the last change")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        TaskEntry entry{.task = worker.task(),
                        .tenant = "ten",
                        .status = "waiting",
                        .open = true,
                        .created_at = Time(Millis(1)),
                        .updated_at = Time(Millis(2)),
                        .due = Time(Millis(3)),
                        .title = "wörds",
                        .agent = "ann",
                        .session = "s",
                        .parent = "p",
                        .detail = R"({"question":"?"})"};
        worker.append(worker.next(), entry);
        worker.wait();
        CHECK(desk.ask(desk.store->find_task(worker.task())) == entry);
        worker.append(worker.next());
        worker.wait();
        CHECK(desk.ask(desk.store->find_task(worker.task())) == entry);

        entry.status = "completed";
        entry.open = false;
        entry.due.reset();
        entry.title = entry.agent = entry.session = entry.parent = entry.detail = "";
        entry.updated_at += Millis(5);
        worker.append(worker.next(), entry);
        worker.wait();
        CHECK(desk.ask(desk.store->find_task(worker.task())) == entry);
        CHECK(desk.ask(desk.store->tasks({})) == std::vector{entry});
        entry.created_at += Millis(1);
        worker.append(worker.next(), entry);
        worker.wait();
        CHECK(desk.ask(desk.store->tasks({})) == std::vector{entry});
    });
}

TEST_CASE("an entry is not written when its record is refused")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        Record wrong = worker.next();
        wrong.seq = 2;
        worker.append(wrong, worker.entry());
        worker.wait();
        CHECK(worker.refusal);
        CHECK_FALSE(desk.ask(desk.store->find_task(worker.task())));
        CHECK(desk.ask(desk.store->tasks({})).empty());
    });
}

TEST_CASE("a task that never had an entry is in no list")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        worker.append(worker.next());
        worker.wait();
        CHECK_FALSE(desk.ask(desk.store->find_task(worker.task())));
        CHECK_FALSE(desk.ask(desk.store->find_task(new_id())));
        CHECK(desk.ask(desk.store->tasks({})).empty());
    });
}

TEST_CASE("tasks are listed newest first, up to a limit; those of one time by when they came")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        std::vector<Id> newest_first;
        for (int i = 0; i < 6; ++i)
            newest_first.push_back(
                add_task(desk, [&](TaskEntry& entry) { entry.created_at = Time(Millis(1000 + i / 2)); }));
        std::ranges::reverse(newest_first);
        CHECK(ids(desk.ask(desk.store->tasks({}))) == newest_first);
        newest_first.resize(4);
        CHECK(ids(desk.ask(desk.store->tasks({.limit = 4}))) == newest_first);
        CHECK(desk.ask(desk.store->tasks({.limit = 0})).empty());
        CHECK(desk.ask(desk.store->tasks({.limit = SIZE_MAX})).size() == 6);
    });
}

TEST_CASE("tasks are found by tenant, status, session, and whether they are open")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const Id a = add_task(desk, [](TaskEntry& e) { e.tenant = "t1"; });
        const Id b = add_task(desk, [](TaskEntry& e) { e.session = "s1"; });
        const Id c = add_task(desk, [](TaskEntry& e) {
            e.status = "completed";
            e.open = false;
        });
        const Id d = add_task(desk, [](TaskEntry& e) {
            e.tenant = "t1";
            e.status = "waiting";
            e.session = "s1";
        });
        const auto find = [&](TaskQuery query) { return ids(desk.ask(desk.store->tasks(std::move(query)))); };
        CHECK(find({.tenant = "t1"}) == std::vector{d, a});
        CHECK(find({.open_only = true}) == std::vector{d, b, a});
        CHECK(find({.status = "completed"}) == std::vector{c});
        CHECK(find({.session = "s1"}) == std::vector{d, b});
        CHECK(find({.tenant = "t1", .open_only = true, .status = "running"}) == std::vector{a});
        CHECK(find({.tenant = "' OR 1=1 --"}).empty());
    });
}

TEST_CASE("tasks are found by the first letters of their id")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Id low = new_id(), middle = low, high = low;
        low.bytes[3] = 0x0f;
        middle.bytes[3] = 0x10;
        high.bytes[3] = 0x1f;
        for (const Id& id : {low, middle, high}) add_task(desk, [](TaskEntry&) {}, id);
        const auto find = [&](std::string prefix) {
            return ids(desk.ask(desk.store->tasks({.id_prefix = std::move(prefix)})));
        };
        const std::string text = to_string(middle);
        CHECK(find(text) == std::vector{middle});
        CHECK(find(text.substr(0, 8)) == std::vector{middle});
        CHECK(find(text.substr(0, 7)) == std::vector{high, middle});
        CHECK(find(text.substr(0, 6)) == std::vector{high, middle, low});
        CHECK(find(text + "0").empty());
        CHECK(find("x%_").empty());
        CHECK(find("\xff\xff").empty());
    });
}

TEST_CASE("documents are put, replaced, found, listed by prefix in order, and removed")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const auto put = [&](std::string kind, std::string key, std::string text) {
            Document document{
                .kind = std::move(kind), .key = std::move(key), .text = std::move(text), .updated_at = Time(Millis(7))};
            desk.ask(desk.store->put(document));
            return document;
        };
        const Document b = put("session", "b/1", "{}");
        put("session", "a", "old");
        const Document a = put("session", "a", std::string("new\0\xff", 5));
        const Document b2 = put("session", "b/2", std::string(100'000, 'x'));
        const Document other = put("config", "a", "1");

        CHECK(desk.ask(desk.store->find("session", "a")) == a);
        CHECK(desk.ask(desk.store->find("config", "a")) == other);
        CHECK_FALSE(desk.ask(desk.store->find("config", "b")));
        CHECK(desk.ask(desk.store->list("session")) == std::vector{a, b, b2});
        CHECK(desk.ask(desk.store->list("session", "b/")) == std::vector{b, b2});
        CHECK(desk.ask(desk.store->list("session", "", 1)) == std::vector{a});
        CHECK(desk.ask(desk.store->list("session", "\xff")).empty());
        CHECK(desk.ask(desk.store->list("nothing")).empty());

        CHECK(desk.ask(desk.store->remove("session", "a")));
        CHECK_FALSE(desk.ask(desk.store->remove("session", "a")));
        CHECK(desk.ask(desk.store->list("session")) == std::vector{b, b2});
    });
}
