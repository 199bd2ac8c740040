// A disk that fails or is full: the store stops for good, tells everybody once, and has kept what it had acknowledged.
#include "storage/files.hpp"
#include "storage/sqlite/faulty_vfs_fixture.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/store_conformance_fixture.hpp"
#include "storage/temporary_folder.hpp"
#include "storage/verify.hpp"
#include "support/error_of.hpp"

#include <csignal>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

namespace {

namespace fs = std::filesystem;

struct FaultyBackend final : Backend {
    FaultyBackend() { FaultyVfs::get().heal(); }
    ~FaultyBackend() override { FaultyVfs::get().heal(); }
    std::unique_ptr<Store> open() override { return SqliteStore::open(folder.path(), options); }

    TemporaryFolder folder;
    SqliteOptions options{.checkpoint_pages = 30, .vfs = kFaultyVfs};
};

/// Works until the store has stopped. Returns what it was acknowledged, by task.
std::map<Id, std::uint32_t> work_until_it_stops(Desk& desk, std::string_view says)
{
    std::atomic<int> stopped = 0;
    desk.store->on_stopped([&](const std::exception_ptr&) { ++stopped; });
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < 4; ++i) workers.push_back(std::make_unique<Worker>(desk));
    for (int round = 0; round < 1000 && !workers[0]->refusal; ++round) {
        for (auto& worker : workers) {
            worker->append(worker->next());
            worker->append(std::string(3000, 'x'));
        }
        for (auto& worker : workers) worker->wait();
    }
    std::map<Id, std::uint32_t> acknowledged;
    for (auto& worker : workers) {
        CHECK(worker->refused_with().starts_with("unavailable: the journal has stopped: "));
        CHECK(worker->refused_with().find(says) != std::string::npos);
        CHECK(worker->refused_seq == worker->durable_seq + 1);
        acknowledged[worker->task()] = worker->durable_seq;
    }
    FaultyVfs::get().heal();  // even then it does not begin again
    Worker late(desk);
    late.append(late.next());
    late.wait();
    CHECK(late.refused_with().starts_with("unavailable: the journal has stopped: "));
    CHECK(error_of([&] { desk.ask(desk.store->put({.kind = "k"})); }) == doctest::Contains("the journal has stopped"));
    CHECK(stopped == 1);
    std::atomic<int> told_late = 0;
    desk.store->on_stopped([&](const std::exception_ptr&) { ++told_late; });
    CHECK(told_late == 1);
    return acknowledged;
}

void check_kept(const fs::path& folder, const std::map<Id, std::uint32_t>& acknowledged)
{
    struct Plain final : Backend {
        explicit Plain(fs::path f) : folder(std::move(f)) {}
        std::unique_ptr<Store> open() override { return SqliteStore::open(folder); }
        fs::path folder;
    } backend(folder);
    Desk desk(backend);
    for (const auto& [task, seq] : acknowledged) {
        const auto records = desk.ask(desk.store->read(task));
        CHECK(records.size() >= seq);
        CHECK(verify(records).empty());
    }
}

}  // namespace

TEST_CASE("the first sync that fails stops the store, at a commit or a checkpoint")
{
    for (const int skip : {0, 1, 2, 7, 8, 9, 10, 20}) {
        CAPTURE(skip);
        FaultyBackend backend;
        std::map<Id, std::uint32_t> acknowledged;
        {
            Desk desk(backend);
            FaultyVfs::get().syncs_left = skip;
            acknowledged = work_until_it_stops(desk, "disk I/O error");
            desk.port.reset();
        }
        check_kept(backend.folder.path(), acknowledged);
    }
}

TEST_CASE("the first write that finds the disk full stops the store, and says what to do")
{
    for (const int skip : {0, 5, 50, 300}) {
        CAPTURE(skip);
        FaultyBackend backend;
        std::map<Id, std::uint32_t> acknowledged;
        {
            Desk desk(backend);
            FaultyVfs::get().writes_left = skip;
            acknowledged = work_until_it_stops(desk, "Free some space");
            desk.port.reset();
        }
        check_kept(backend.folder.path(), acknowledged);
    }
}

TEST_CASE("every commit is synced before it is acknowledged")
{
    FaultyBackend backend;
    backend.options.checkpoint_pages = 1'000'000;
    Desk desk(backend);
    Worker worker(desk);
    worker.append(worker.next());
    worker.wait();  // the first one also syncs the header of the log
    FaultyVfs::get().syncs_seen = 0;
    for (int i = 1; i <= 10; ++i) {
        worker.append(worker.next());
        worker.wait();
        CHECK(FaultyVfs::get().syncs_seen == i);
    }
}

TEST_CASE("a store that cannot be opened for want of a disk says so")
{
    for (int skip = 0; skip < 6; ++skip) {
        FaultyBackend backend;
        FaultyVfs::get().syncs_left = skip;
        const auto said = error_of([&] { backend.open(); });
        if (said.size() > 0) CHECK(said == doctest::Contains("unavailable: "));
        FaultyVfs::get().heal();
        CHECK(backend.open() != nullptr);
    }
}

TEST_CASE("a blob that cannot be written stops the store, and its record is not there")
{
    FaultyBackend backend;
    Id task, other;
    {
        Desk desk(backend);
        Worker worker(desk), bystander(desk);
        task = worker.task();
        other = bystander.task();
        worker.append(worker.next());
        bystander.append(bystander.next());
        worker.wait();
        bystander.wait();
        write_private_file(backend.folder.path() / "blobs", "in the way");
        worker.append(std::string(100'000, 'x'));
        worker.append(worker.next());
        worker.wait();
        CHECK(worker.refused_with().starts_with("unavailable: the journal has stopped: cannot make the folder"));
        CHECK(worker.refused_seq == 2);
        bystander.append(bystander.next());
        bystander.wait();
        CHECK(bystander.refused_with().starts_with("unavailable: the journal has stopped: "));
        desk.port.reset();
    }
    fs::remove(backend.folder.path() / "blobs");
    check_kept(backend.folder.path(), {{task, 1}, {other, 1}});
}

TEST_CASE("a real file that may not grow stops the store in the same way")
{
    const TemporaryFolder folder;
    struct Plain final : Backend {
        explicit Plain(fs::path f) : folder(std::move(f)) {}
        std::unique_ptr<Store> open() override { return SqliteStore::open(folder); }
        fs::path folder;
    } backend(folder.path());
    for (const bool large : {false, true}) {
        CAPTURE(large);
        int pipe[2];
        REQUIRE(::pipe(pipe) == 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{.rlim_cur = 400'000, .rlim_max = 400'000};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            Desk desk(backend);
            Worker worker(desk);
            const Id named = worker.task();
            if (::write(pipe[1], &named.bytes, 16) != 16) ::_exit(1);
            while (!worker.refusal) {
                worker.append(std::string(large ? 500'000 : 20'000, 'x'));
                worker.wait();
            }
            const bool right = worker.refused_with().starts_with("unavailable: the journal has stopped: ");
            const std::uint32_t durable = worker.durable_seq;
            ::_exit(right && ::write(pipe[1], &durable, sizeof durable) == sizeof durable ? 0 : 1);
        }
        ::close(pipe[1]);
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        Id task;
        std::uint32_t durable = 0;
        REQUIRE(::read(pipe[0], &task.bytes, 16) == 16);
        REQUIRE(::read(pipe[0], &durable, sizeof durable) == sizeof durable);
        ::close(pipe[0]);
        CHECK((durable > 0) == !large);
        check_kept(folder.path(), {{task, durable}});
    }
}
