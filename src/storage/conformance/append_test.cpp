#include "storage/store_conformance_fixture.hpp"
#include "storage/verify.hpp"

using namespace cadre;
using namespace cadre::storage;

TEST_CASE("what was acknowledged is read back as it was appended, in order")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        for (int i = 0; i < 20; ++i) worker.append(R"({"i":)" + std::to_string(i) + "}");
        worker.wait();
        CHECK(worker.refused_with() == "nothing was refused");
        const auto records = desk.ask(desk.store->read(worker.task()));
        CHECK(records == worker.records);
        CHECK(verify(records).empty());
    });
}

TEST_CASE("a journal is read from any record on, and as many as are wanted")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        for (int i = 0; i < 10; ++i) worker.append(worker.next());
        worker.wait();
        const auto read = [&](std::uint32_t from, std::size_t limit) {
            std::vector<std::uint32_t> seqs;
            for (const Record& record : desk.ask(desk.store->read(worker.task(), from, limit)))
                seqs.push_back(record.seq);
            return seqs;
        };
        CHECK(read(8, SIZE_MAX) == std::vector<std::uint32_t>{8, 9, 10});
        CHECK(read(3, 2) == std::vector<std::uint32_t>{3, 4});
        CHECK(read(0, 1) == std::vector<std::uint32_t>{1});
        CHECK(read(11, 5).empty());
        CHECK(read(1, 0).empty());
        CHECK(desk.ask(desk.store->read(new_id())).empty());
    });
}

TEST_CASE("kinds, fields and bytes that nobody knows are kept byte for byte")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        const std::string bodies[] = {R"({"field_of_release_9":[1,2],"b":"\u0000"})", "", std::string("a\0b\0", 4),
                                      "not JSON, \xff\xfe not UTF-8 \xc3", std::string(kBlobThreshold, 'x')};
        for (const std::string& body : bodies) {
            Record record = worker.next(body);
            record.kind = RecordKind{200};
            record.path = "päth/\xff";
            seal(record, worker.records.empty() ? kGenesis : worker.records.back().hash);
            worker.append(record);
        }
        worker.wait();
        CHECK(worker.refused_with() == "nothing was refused");
        CHECK(desk.ask(desk.store->read(worker.task())) == worker.records);
    });
}

TEST_CASE("extreme numbers and times come back")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        Record record = worker.next();
        record.event_seq = UINT32_MAX;
        record.at = Time(Millis(INT64_MIN));
        record.tenant = "";
        record.ask.bytes.fill(0xFF);
        seal(record, kGenesis);
        worker.append(record);
        worker.wait();
        CHECK(desk.ask(desk.store->read(worker.task())) == worker.records);
    });
}

TEST_CASE("large bodies come back, and records of their task behind them stay behind them")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker large(desk), small(desk);
        for (int i = 0; i < 4; ++i) {
            large.append(std::string(kBlobThreshold + 1 + static_cast<std::size_t>(i % 2), 'x'));
            large.append(large.next());
            small.append(small.next());
        }
        large.append(std::string(1 << 20, '\xff'));
        large.wait();
        small.wait();
        CHECK(desk.ask(desk.store->read(large.task())) == large.records);
        CHECK(desk.ask(desk.store->read(small.task())) == small.records);
    });
}

TEST_CASE("a record that does not follow what is stored is refused, with all after it")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker first(desk);
        first.append(first.next());
        first.append(first.next());
        first.wait();

        struct {
            std::string what;
            void (*change)(Record&);
        } const cases[] = {
            {"a sequence that is taken", [](Record& r) { --r.seq; }},
            {"a gap", [](Record& r) { ++r.seq; }},
            {"another predecessor", [](Record& r) { r.body += ' '; }},
        };
        for (const auto& c : cases) {
            CAPTURE(c.what);
            Worker second(desk, first.records.back());
            Record wrong = second.next();
            c.change(wrong);
            second.append(wrong);
            second.append(second.next());
            second.append(second.next());
            second.wait();
            CHECK(second.refused_with().starts_with("conflict: "));
            CHECK(second.refused_seq == wrong.seq);
            desk.loop.settle();
            CHECK(second.durable_seq == 0);
        }
        CHECK(desk.ask(desk.store->read(first.task())) == first.records);
        first.append(first.next());  // whom it does not concern
        first.wait();
        CHECK(first.durable_seq == 3);
    });
}

TEST_CASE("of two who append the same record, one is refused for good")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker one(desk);
        Worker two(desk, sample_start(one.task(), one.next().epoch));
        const Record same = one.next();
        one.append(same);
        two.append(same);
        two.append(two.next());  // would follow, by its hash
        one.wait();
        two.wait();
        CHECK(one.durable_seq == 1);
        CHECK(two.refused_seq == 1);
        one.append(one.next("{}"));
        one.wait();
        CHECK(desk.ask(desk.store->read(one.task())) == one.records);
    });
}

TEST_CASE("an epoch that is not the task's is refused")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        const Id task = new_id();
        const std::uint32_t epoch = desk.own(task);
        for (const std::uint32_t wrong : {epoch - 1, epoch + 1}) {
            Worker stale(desk, sample_start(task, wrong));
            stale.append(stale.next());
            stale.wait();
            CHECK(stale.refused_with().starts_with("conflict: "));
        }
        Worker right(desk, sample_start(task, epoch));
        right.append(right.next());
        right.wait();
        CHECK(right.durable_seq == 1);
        CHECK(desk.ask(desk.store->read(task)) == right.records);
    });
}

TEST_CASE("many tasks are appended to at once, and each is told of its own")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        std::vector<std::unique_ptr<Worker>> workers;
        for (int i = 0; i < 200; ++i) workers.push_back(std::make_unique<Worker>(desk));
        for (int round = 0; round < 3; ++round) {
            for (auto& worker : workers) {
                worker->append(worker->next());
                worker->append(worker->next());
            }
            for (auto& worker : workers) worker->wait();
        }
        for (auto& worker : workers) {
            CHECK(worker->durable_seq == 6);
            CHECK(desk.ask(desk.store->read(worker->task())) == worker->records);
        }
    });
}

TEST_CASE("a receipt may die at any time; others, and those that come after it, hear only of their own")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        std::vector<std::vector<Record>> dead;
        auto alive = std::make_unique<Worker>(desk);
        for (int i = 0; i < 20; ++i) {
            auto dying = std::make_unique<Worker>(desk);
            dying->append(dying->next());
            if (i % 2 == 0) desk.loop.settle();  // handed over, or not yet
            dead.push_back(dying->records);
            dying.reset();
            alive->append(alive->next());
            if (i % 5 == 0) alive->wait();
            auto heir = std::make_unique<Worker>(desk);  // may get the place of the dead
            heir->append(heir->next());
            heir->wait();
            CHECK(heir->durable_seq == 1);
        }
        alive->wait();
        CHECK(alive->durable_seq == 20);
        for (const auto& records : dead) CHECK(desk.ask(desk.store->read(records.front().task)) == records);
    });
}

TEST_CASE("a port that dies hands over what it has")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        worker.append(worker.next());
        desk.port.reset();
        desk.port = desk.store->open_port(desk.loop);
        Worker next(desk, worker.records.back());  // commits after it
        next.append(next.next());
        next.wait();
        CHECK(next.durable_seq == 2);
        CHECK(desk.ask(desk.store->read(worker.task())).size() == 2);
    });
}

TEST_CASE("a journal is read while others are written")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker settled(desk), busy(desk);
        for (int i = 0; i < 30; ++i) settled.append(settled.next());
        settled.wait();
        for (int i = 0; i < 50; ++i) {
            busy.append(busy.next());
            CHECK(desk.ask(desk.store->read(settled.task())) == settled.records);
            const auto seen = desk.ask(desk.store->read(busy.task()));
            CHECK(std::equal(seen.begin(), seen.end(), busy.records.begin()));
        }
        busy.wait();
    });
}

TEST_CASE("a record of a newer format is kept, and refused by those who would misread it")
{
    on_every_backend([](Backend& backend) {
        Desk desk(backend);
        Worker worker(desk);
        Record record = worker.next();
        record.version = kFormat + 1;
        seal(record, kGenesis);
        worker.append(record);
        worker.wait();
        CHECK(worker.durable_seq == 1);
        CHECK_THROWS_WITH_AS(desk.ask(desk.store->read(worker.task())), doctest::Contains("journal_too_new"), Error);
    });
}
