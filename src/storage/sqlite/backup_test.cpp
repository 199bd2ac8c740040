#include "storage/sqlite/backup.hpp"

#include "storage/files.hpp"
#include "storage/inbox_loop_fixture.hpp"
#include "storage/sqlite/salvage.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/store_conformance_fixture.hpp"
#include "storage/temporary_folder.hpp"
#include "storage/verify.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <map>

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

namespace {

namespace fs = std::filesystem;

struct Folder final : Backend {
    explicit Folder(fs::path p) : path(std::move(p)) {}
    std::unique_ptr<Store> open() override { return SqliteStore::open(path, {.checkpoint_pages = 1'000'000}); }
    fs::path path;
};

using Journals = std::map<Id, std::vector<Record>>;

/// Tasks with so many records each, one of them large.
Journals write_tasks(Backend& backend, int tasks, int records)
{
    Journals journals;
    Desk desk(backend);
    for (int i = 0; i < tasks; ++i) {
        Worker worker(desk);
        for (int n = 0; n < records; ++n)
            worker.append("{\"text\":\"" + std::string(n == 3 ? 60'000 : 400, static_cast<char>('a' + i % 26)) + "\"}");
        worker.append(worker.next(), worker.entry("completed"));
        worker.wait();
        journals[worker.records[0].task] = worker.records;
    }
    desk.port.reset();
    return journals;
}

Journals read_tasks(const fs::path& folder, const Journals& known)
{
    Folder backend(folder);
    Desk desk(backend);
    Journals found;
    for (const auto& [task, records] : known)
        if (auto read = desk.ask(desk.store->read(task)); !read.empty()) found[task] = std::move(read);
    return found;
}

/// Keeps what there is, and says how much of it was cut.
Complete kept(int& cut)
{
    return [&cut](Salvaged& task) {
        cut += task.is_cut;
        return true;
    };
}

}  // namespace

TEST_CASE("a copy of a journal has everything that was durable, large bodies too, while its owner goes on")
{
    const TemporaryFolder home, copy;
    Folder backend(home.path());
    Desk desk(backend);
    Worker worker(desk);
    for (int i = 0; i < 50; ++i) worker.append("{\"text\":\"" + std::string(i == 7 ? 50'000 : 100, 'x') + "\"}");
    worker.wait();
    const JournalCopy done = copy_journal(home.path(), copy.path());
    const auto durable = worker.records;
    worker.append("{}");
    worker.wait();
    CHECK(done.problems.empty());
    CHECK(done.records == durable.size());
    const Journals known{{durable[0].task, durable}};
    CHECK(read_tasks(copy.path(), known) == known);
    CHECK(SqliteStore::check(copy.path()).empty());
    desk.port.reset();
}

TEST_CASE("a blob that is damaged is named, and the rest is copied")
{
    const TemporaryFolder home, copy;
    Folder backend(home.path());
    const Journals journals = write_tasks(backend, 2, 8);
    for (const auto& entry : fs::recursive_directory_iterator(home.path() / "blobs"))
        if (entry.is_regular_file()) {
            fs::resize_file(entry.path(), 10);
            break;
        }
    const JournalCopy done = copy_journal(home.path(), copy.path());
    CHECK(done.problems.size() == 1);
    CHECK(done.tasks == 2);
}

TEST_CASE("there is nothing to copy where there is no journal")
{
    const TemporaryFolder home, copy;
    CHECK(error_of([&] { copy_journal(home.path(), copy.path()); }) == doctest::Contains("there is no journal"));
    int cut = 0;
    CHECK(error_of([&] { salvage_journal(home.path(), copy.path(), kept(cut)); }) ==
          doctest::Contains("there is no journal"));
}

TEST_CASE("of a journal that is whole, salvage saves everything")
{
    const TemporaryFolder home, saved;
    Folder backend(home.path());
    const Journals journals = write_tasks(backend, 5, 30);
    int cut = 0;
    const SalvageReport report = salvage_journal(home.path(), saved.path(), kept(cut));
    CHECK(report.lost.empty());
    CHECK(report.tasks == 5);
    CHECK(cut == 0);
    CHECK(read_tasks(saved.path(), journals) == journals);
    CHECK(SqliteStore::check(saved.path()).empty());
    CHECK_FALSE(fs::exists(saved.path() / ".salvage"));
}

TEST_CASE("attack 32: a damaged page costs the tasks on it, wherever it is, and never the home")
{
    const TemporaryFolder home;
    Folder backend(home.path());
    const Journals journals = write_tasks(backend, 30, 20);
    const fs::path file = home.path() / "cadre.db";
    const std::string intact = find_file(file).value();
    constexpr std::size_t kPageSize = 4096;
    int with_losses = 0;
    std::size_t fewest = journals.size();
    for (std::size_t page = 0; page < intact.size() / kPageSize; page += page < 12 ? 1 : 17) {
        CAPTURE(page);
        std::string damaged = intact;
        for (std::size_t i = 0; i < kPageSize; ++i) damaged[page * kPageSize + i] = static_cast<char>(i * 7 + 3);
        std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
        const TemporaryFolder saved;
        int cut = 0;
        SalvageReport report;
        REQUIRE_NOTHROW(report = salvage_journal(home.path(), saved.path(), kept(cut)));
        const Journals found = read_tasks(saved.path(), journals);
        std::size_t whole = 0;
        for (const auto& [task, records] : found) {
            CHECK(verify(records).empty());  // what is there is right
            whole += records == journals.at(task);
        }
        if (whole < journals.size()) {
            ++with_losses;
            CHECK_FALSE(report.lost.empty());  // and what is not is named
        }
        fewest = std::min(fewest, whole);
    }
    CHECK(with_losses > 0);
    MESSAGE("at worst " << fewest << " of " << journals.size() << " tasks are whole");
    std::ofstream(file, std::ios::binary | std::ios::trunc) << intact;
}

TEST_CASE("a log that is damaged is salvaged up to the damage, and every task may have lost its end")
{
    const TemporaryFolder home, killed, saved;
    Folder backend(home.path());
    Desk desk(backend);
    Worker worker(desk);
    for (int i = 0; i < 10; ++i) {
        worker.append("{}");
        worker.wait();
    }
    for (const char* name : {"cadre.db", "cadre.db-wal", "cadre.db-mark"})
        fs::copy_file(home.path() / name, killed.path() / name);
    desk.port.reset();
    const fs::path log = killed.path() / "cadre.db-wal";
    fs::resize_file(log, fs::file_size(log) - 10'000);
    int cut = 0;
    const SalvageReport report = salvage_journal(killed.path(), saved.path(), kept(cut));
    CHECK(report.tasks == 1);
    CHECK(cut == 1);
    CHECK(report.records < 10);
    CHECK(report.lost.size() == 1);
    CHECK(fs::file_size(log) > 0);  // nothing was changed
}
