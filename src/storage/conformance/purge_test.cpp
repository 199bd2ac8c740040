#include "storage/store_conformance_fixture.hpp"

using namespace cadre;
using namespace cadre::storage;

namespace {

/// A task with three records that has ended, or has not.
Id make_task(Desk& desk, bool open = false, std::string body = R"({"text":"ö"})")
{
    Worker worker(desk);
    worker.append(std::move(body));
    worker.append("{}");
    TaskEntry entry = worker.entry(open ? "waiting" : "completed");
    entry.open = open;
    worker.append(worker.next("{}"), std::move(entry));
    worker.wait();
    return worker.task();
}

std::string refusal_of(Desk& desk, std::vector<Purge> tasks)
{
    try {
        desk.ask(desk.store->purge(std::move(tasks)));
    } catch (const Error& error) {
        return std::string(name_of(error.code())) + ": " + error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("purge: a journal goes and its index entry stays as it is given")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const Id gone = make_task(desk);
        const Id kept = make_task(desk);
        TaskEntry rest = *desk.ask(desk.store->find_task(gone));
        rest.detail = R"({"purged":true})";
        const auto sizes = desk.ask(desk.store->sizes({gone, kept, new_id()}));
        REQUIRE(sizes.size() == 3);
        CHECK(sizes[0].records == 3);
        CHECK(sizes[0].bytes >= std::string_view(R"({"text":"ö"}{}{})").size());  // bytes, not characters
        CHECK(sizes[1] == sizes[0]);
        CHECK(sizes[2] == JournalSize{});

        CHECK(desk.ask(desk.store->purge({{gone, rest}})) == sizes[0]);
        CHECK(desk.ask(desk.store->read(gone)).empty());
        CHECK(desk.ask(desk.store->find_task(gone)) == rest);
        CHECK(desk.ask(desk.store->tasks({})).size() == 2);
        CHECK(desk.ask(desk.store->read(kept)).size() == 3);
        CHECK(desk.ask(desk.store->purge({{gone, rest}})) == JournalSize{});  // again: nothing to do
    });
}

TEST_CASE("purge: without a rest nothing is left of the task")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const Id gone = make_task(desk);
        const Id kept = make_task(desk);
        desk.ask(desk.store->purge({{gone, {}}, {new_id(), {}}}));
        CHECK(desk.ask(desk.store->read(gone)).empty());
        CHECK_FALSE(desk.ask(desk.store->find_task(gone)));
        const auto left = desk.ask(desk.store->tasks({}));
        REQUIRE(left.size() == 1);
        CHECK(left[0].task == kept);
    });
}

TEST_CASE("purge: one open task among them, and nothing is removed")  // TRACE-22 U
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const Id ended = make_task(desk);
        const Id waiting = make_task(desk, true);
        CHECK(refusal_of(desk, {{ended, {}}, {waiting, {}}}).starts_with("conflict: task " + to_string(waiting)));
        CHECK(desk.ask(desk.store->read(ended)).size() == 3);
        CHECK(desk.ask(desk.store->read(waiting)).size() == 3);

        Worker unlisted(desk);  // no index entry: nobody has said that it ended
        unlisted.append("{}");
        unlisted.wait();
        CHECK(refusal_of(desk, {{unlisted.task(), {}}}).starts_with("conflict"));
        const Id again = make_task(desk);  // the store has not stopped
        CHECK(desk.ask(desk.store->read(again)).size() == 3);
    });
}

TEST_CASE("purge: stays done when the store is opened again, also for long journals")
{
    on_every_backend([](Backend& backend) {
        if (!backend.keeps()) return;
        Id gone, kept;
        {
            Desk desk(backend);
            Worker worker(desk);
            for (int i = 0; i < 300; ++i) worker.append("{}");
            TaskEntry entry = worker.entry("failed");
            entry.open = false;
            worker.append(worker.next("{}"), entry);
            worker.wait();
            gone = worker.task();
            kept = make_task(desk);
            CHECK(desk.ask(desk.store->purge({{gone, entry}})).records == 301);
        }
        Desk desk(backend);
        CHECK(desk.ask(desk.store->read(gone)).empty());
        CHECK(desk.ask(desk.store->find_task(gone)));
        CHECK(desk.ask(desk.store->read(kept)).size() == 3);
    });
}

TEST_CASE("purge: a large body that two tasks share goes with the second")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const std::string large(kBlobThreshold + 1, 'x');
        const Id first = make_task(desk, false, large);
        const Id second = make_task(desk, false, large);
        CHECK(desk.ask(desk.store->purge({{first, {}}})).bytes > kBlobThreshold);
        const Id third = make_task(desk);  // a commit of its own after it
        CHECK(desk.ask(desk.store->read(second)).at(0).body == large);
        desk.ask(desk.store->purge({{second, {}}}));
        const Id again = make_task(desk, false, large);  // written anew
        CHECK(desk.ask(desk.store->read(again)).at(0).body == large);
        CHECK(desk.ask(desk.store->read(third)).size() == 3);
    });
}
