#include "storage/store_conformance_fixture.hpp"

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
                        .turn = 3,
                        .parent = "p",
                        .created_by = "ann",
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
        entry.title = entry.agent = entry.session = entry.parent = entry.created_by = entry.detail = "";
        entry.turn = 0;
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

TEST_CASE("tasks are listed newest first, up to a limit; those of one time by id")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        std::vector<Id> newest_first;
        for (int i = 0; i < 6; ++i)
            newest_first.push_back(
                add_task(desk, [&](TaskEntry& entry) { entry.created_at = Time(Millis(1000 + i / 2)); }));
        std::ranges::reverse(newest_first);
        for (std::size_t i = 0; i < 6; i += 2)
            if (newest_first[i] < newest_first[i + 1]) std::swap(newest_first[i], newest_first[i + 1]);
        CHECK(ids(desk.ask(desk.store->tasks({}))) == newest_first);
        newest_first.resize(4);
        CHECK(ids(desk.ask(desk.store->tasks({.limit = 4}))) == newest_first);
        CHECK(desk.ask(desk.store->tasks({.limit = 0})).empty());
        CHECK(desk.ask(desk.store->tasks({.limit = SIZE_MAX})).size() == 6);
    });
}

TEST_CASE("tasks are found by tenant, status, session, parent, who created them, and whether they are open")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        int minutes = 0;
        const auto add = [&](const auto& change) {
            return add_task(desk, [&](TaskEntry& entry) {
                entry.created_at += Millis(60'000 * ++minutes);
                change(entry);
            });
        };
        const Id a = add([](TaskEntry& e) { e.tenant = "t1"; });
        const Id b = add([](TaskEntry& e) { e.session = "s1"; });
        const Id c = add([](TaskEntry& e) {
            e.status = "completed";
            e.open = false;
            e.parent = "p1";
        });
        const Id d = add([](TaskEntry& e) {
            e.tenant = "t1";
            e.status = "waiting";
            e.session = "s1";
            e.parent = "p1";
            e.created_by = "ann";
        });
        const auto find = [&](TaskQuery query) { return ids(desk.ask(desk.store->tasks(std::move(query)))); };
        CHECK(find({.tenant = "t1"}) == std::vector{d, a});
        CHECK(find({.open_only = true}) == std::vector{d, b, a});
        CHECK(find({.statuses = {"completed"}}) == std::vector{c});
        CHECK(find({.statuses = {"completed", "waiting"}}) == std::vector{d, c});
        CHECK(find({.session = "s1"}) == std::vector{d, b});
        CHECK(find({.tenant = "t1", .session = "s1"}) == std::vector{d});
        CHECK(find({.parent = "p1"}) == std::vector{d, c});
        CHECK(find({.created_by = "ann"}) == std::vector{d});
        CHECK(find({.tenant = "t1", .open_only = true, .statuses = {"running"}}) == std::vector{a});
        CHECK(find({.tenant = "' OR 1=1 --"}).empty());
        CHECK(find({.created_by = "' OR 1=1 --"}).empty());
        CHECK(find({.statuses = {"') OR 1=1 --"}}).empty());
    });
}

TEST_CASE("pages follow one another without a gap or a repeat, whatever comes and goes between them")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        int time = 0;
        const auto add = [&] {
            return add_task(desk, [&](TaskEntry& entry) { entry.created_at = Time(Millis(1000 + time++ / 3)); });
        };
        for (int i = 0; i < 10; ++i) add();
        const auto all = ids(desk.ask(desk.store->tasks({.tenant = "local"})));

        std::vector<Id> paged;
        TaskQuery query{.tenant = "local", .limit = 3};
        while (true) {
            const auto page = desk.ask(desk.store->tasks(query));
            if (page.empty()) break;
            for (const TaskEntry& entry : page) paged.push_back(entry.task);
            query.before = TaskCursor{page.back().created_at, page.back().task};
            add();  // newer than all of them
        }
        CHECK(paged == all);
        query.before = TaskCursor{Time(Millis(1001)), Id{}};  // of a task that is gone, before all of that time
        CHECK(ids(desk.ask(desk.store->tasks(query))) == std::vector(all.end() - 3, all.end()));
        query.before = TaskCursor{Time{}, Id{}};
        CHECK(desk.ask(desk.store->tasks(query)).empty());
    });
}

TEST_CASE("sessions are those of one tenant, each with its newest turn, the one that changed last first")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const auto add = [&](std::string session, int turn, int created, int updated, std::string by = "ann",
                             std::string tenant = "local") {
            return add_task(desk, [&](TaskEntry& entry) {
                entry.session = session;
                entry.turn = turn;
                entry.created_at = Time(Millis(created));
                entry.updated_at = Time(Millis(updated));
                entry.created_by = by;
                entry.tenant = tenant;
            });
        };
        add("", 0, 1, 1);
        add("abc", 1, 50, 60);
        const Id newest = add("abc", 3, 40, 90, "bob");  // a clock that went back
        add("abc", 2, 60, 70, "bob");
        add("abd", 1, 10, 100);
        add("abc", 9, 70, 80, "eve", "other");

        auto sessions = desk.ask(desk.store->sessions({.tenant = "local"}));
        REQUIRE(sessions.size() == 2);
        CHECK(sessions[0].id == "abd");
        CHECK(sessions[1].id == "abc");
        CHECK(sessions[1].turns == 3);
        CHECK(sessions[1].last.task == newest);
        CHECK(sessions[1].last.turn == 3);
        CHECK(sessions[1].last == desk.ask(desk.store->find_task(newest)));
        CHECK(sessions[1].created_at == Time(Millis(40)));
        CHECK(sessions[1].created_by == "ann");

        CHECK(desk.ask(desk.store->sessions({})).size() == 3);
        sessions = desk.ask(desk.store->sessions({.tenant = "other"}));
        REQUIRE(sessions.size() == 1);
        CHECK(sessions[0].created_by == "eve");
        CHECK(desk.ask(desk.store->sessions({.tenant = "local", .id = "abc"})).size() == 1);
        CHECK(desk.ask(desk.store->sessions({.tenant = "local", .id = "ab"})).empty());
        CHECK(desk.ask(desk.store->sessions({.tenant = "local", .id_prefix = "ab"})).size() == 2);
        CHECK(desk.ask(desk.store->sessions({.tenant = "local", .id_prefix = "x"})).empty());
        CHECK(desk.ask(desk.store->sessions({.tenant = "nobody"})).empty());
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

        const Document c{.kind = "memory", .key = "c", .text = "1"}, d{.kind = "vector", .key = "c", .text = "2"};
        desk.ask(desk.store->put_all({c, d}, {{"session", "b/1"}, {"session", "never there"}}));
        CHECK(desk.ask(desk.store->list("session")) == std::vector{b2});
        CHECK(desk.ask(desk.store->find("memory", "c")) == c);
        desk.ask(desk.store->put_all({c}, {{"memory", "c"}, {"vector", "c"}}));
        CHECK_FALSE(desk.ask(desk.store->find("memory", "c")));
        CHECK_FALSE(desk.ask(desk.store->find("vector", "c")));
    });
}
