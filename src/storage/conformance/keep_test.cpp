#include "storage/store_conformance_fixture.hpp"
#include "storage/verify.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::storage;

namespace {

Id task_number(std::uint8_t number)
{
    Id id;
    id.bytes.fill(number);
    return id;
}

/// A worker that goes on where the journal ends and tells a pipe what it was told, for ever.
class Herald final : public Receipt {
public:
    Herald(Desk& desk, std::uint8_t number, int pipe) : desk_(desk), number_(number), pipe_(pipe)
    {
        const auto journal = desk.ask(desk.store->read(task_number(number)));
        last_ = journal.empty() ? sample_start(task_number(number)) : journal.back();
        last_.epoch = desk.own(last_.task);
    }
    void go_on()
    {
        const bool large = last_.seq % 16 == 15;
        for (int i = 0; i < 3; ++i) {
            last_ = sample_after(last_, large ? std::string(kBlobThreshold + 1 + last_.seq, 'x') : "{}");
            desk_.port->append(Record(last_), *this);
        }
    }

private:
    void durable(std::uint32_t seq) noexcept override
    {
        const std::uint32_t said[2] = {number_, seq};
        if (::write(pipe_, said, sizeof said) != sizeof said) ::_exit(2);
        if (seq == last_.seq) go_on();
    }
    void refused(std::uint32_t, const std::exception_ptr&) noexcept override { ::_exit(3); }

    Desk& desk_;
    std::uint8_t number_;
    int pipe_;
    Record last_;
};

/// Appends until it is killed.
[[noreturn]] void append_for_ever(Backend& backend, int pipe)
{
    Desk desk(backend);
    std::vector<std::unique_ptr<Herald>> heralds;
    for (std::uint8_t number = 0; number < 8; ++number) heralds.push_back(std::make_unique<Herald>(desk, number, pipe));
    for (auto& herald : heralds) herald->go_on();
    desk.loop.run_until([] { return false; });
    ::_exit(4);
}

}  // namespace

TEST_CASE("a store that keeps has everything when it is opened again, and a higher epoch")
{
    on_every_backend([](Backend& backend) {
        if (!backend.keeps()) return;
        std::vector<Record> records;
        TaskEntry entry;
        Document document{.kind = "k", .key = "x", .text = "y", .updated_at = Time(Millis(1))};
        for (int round = 0; round < 3; ++round) {
            CAPTURE(round);
            Desk desk(backend);
            if (round > 0) {
                CHECK(desk.ask(desk.store->read(records[0].task)) == records);
                CHECK(desk.ask(desk.store->find_task(records[0].task)) == entry);
                CHECK(desk.ask(desk.store->find("k", "x")) == document);
            }
            Record last = records.empty() ? sample_start(new_id()) : records.back();
            const std::uint32_t epoch = desk.own(last.task);
            CHECK(epoch > last.epoch - (round == 0));
            last.epoch = epoch;
            Worker worker(desk, last);
            entry = worker.entry();
            worker.append(worker.next(std::string(kBlobThreshold + 1, 'a')), entry);
            worker.append(worker.next());
            worker.wait();
            records.insert(records.end(), worker.records.begin(), worker.records.end());
            desk.ask(desk.store->put(document));
            desk.port.reset();
        }
        CHECK(verify(records).empty());
    });
}

TEST_CASE("what was appended just before the store was closed is there")
{
    on_every_backend([](Backend& backend) {
        if (!backend.keeps()) return;
        std::vector<Record> records;
        {
            Desk desk(backend);
            Worker worker(desk);
            worker.append(worker.next());
            worker.append(std::string(100'000, 'b'));
            worker.append(worker.next());
            records = worker.records;
            desk.port.reset();
        }
        Desk desk(backend);
        CHECK(desk.ask(desk.store->read(records[0].task)) == records);
    });
}

TEST_CASE("journals of any length go on where they ended")
{
    on_every_backend([](Backend& backend) {
        if (!backend.keeps()) return;
        std::vector<std::vector<Record>> journals;
        {
            Desk desk(backend);
            for (const int length : {1, 2, 62, 63, 64, 65, 127, 128, 129, 191, 192, 193, 500, 1000}) {
                Worker worker(desk);
                for (int i = 0; i < length; ++i) {
                    if (i % 100 == 70) worker.append(worker.next(), worker.entry());
                    else worker.append(worker.next());
                }
                worker.wait();
                journals.push_back(worker.records);
            }
            desk.port.reset();
        }
        Desk desk(backend);
        for (auto& journal : journals) {
            CAPTURE(journal.size());
            Record last = journal.back();
            last.epoch = desk.own(last.task);
            Worker worker(desk, last);
            worker.append(worker.next());
            worker.wait();
            CHECK(worker.durable_seq == journal.size() + 1);
            journal.push_back(worker.records.back());
            CHECK(desk.ask(desk.store->read(last.task)) == journal);
            const std::size_t half = journal.size() / 2;
            CHECK(desk.ask(desk.store->read(last.task, static_cast<std::uint32_t>(half + 1))).size() ==
                  journal.size() - half);
            CHECK(desk.ask(desk.store->read(last.task, 1, half + 1)).size() == std::min(half + 1, journal.size()));
        }
    });
}

TEST_CASE("everything that was acknowledged is there after SIGKILL, in a whole chain")
{
    on_every_backend([](Backend& backend) {
        if (!backend.keeps()) return;
        std::map<std::uint32_t, std::uint32_t> acknowledged;
        for (int round = 0; round < 6; ++round) {
            int pipe[2];
            REQUIRE(::pipe(pipe) == 0);
            const pid_t child = ::fork();
            if (child == 0) {
                ::close(pipe[0]);
                append_for_ever(backend, pipe[1]);
            }
            ::close(pipe[1]);
            std::uint32_t said[2];
            int count = 0;
            while (::read(pipe[0], said, sizeof said) == sizeof said) {
                acknowledged[said[0]] = std::max(acknowledged[said[0]], said[1]);
                if (++count == 40 + 30 * round) ::kill(child, SIGKILL);  // what the pipe still holds is read too
            }
            ::close(pipe[0]);
            int status = 0;
            ::waitpid(child, &status, 0);
            REQUIRE(WIFSIGNALED(status));

            Desk desk(backend);
            for (const auto& [number, seq] : acknowledged) {
                const auto journal = desk.ask(desk.store->read(task_number(static_cast<std::uint8_t>(number))));
                CHECK(journal.size() >= seq);
                CHECK(verify(journal).empty());
            }
        }
        CHECK(acknowledged.size() == 8);
    });
}
