// Damaged files: found, named, and left as they are; what is not damaged can be read.
#include "base/random.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/store_conformance_fixture.hpp"
#include "storage/temporary_folder.hpp"
#include "storage/verify.hpp"
#include "support/error_of.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

namespace {

namespace fs = std::filesystem;

struct Plain final : Backend {
    std::unique_ptr<Store> open() override { return SqliteStore::open(folder.path(), {.checkpoint_pages = 1'000'000}); }
    fs::path database() const { return database_file(folder.path()); }
    fs::path log() const { return database().string() + "-wal"; }

    TemporaryFolder folder;
};

struct ReadOnly final : Backend {
    explicit ReadOnly(fs::path f) : folder(std::move(f)) {}
    std::unique_ptr<Store> open() override { return SqliteStore::open_read_only(folder); }
    fs::path folder;
};

/// A store with three tasks, each with its number in its bodies, closed again. The second has a blob.
std::vector<std::vector<Record>> write_three(Plain& backend)
{
    std::vector<std::vector<Record>> journals;
    Desk desk(backend);
    for (const char number : {'1', '2', '3'}) {
        Id task;
        task.bytes.fill(
            static_cast<std::uint8_t>(number));  // not random, so that the same bits are flipped in every run
        Worker worker(desk, task);
        for (int i = 0; i < 20; ++i) worker.append("{\"text\":\"" + std::string(300, number) + "\"}");
        if (number == '2') worker.append(std::string(50'000, 'B'));
        worker.append(worker.next(), worker.entry("completed"));
        worker.wait();
        journals.push_back(worker.records);
    }
    desk.port.reset();
    return journals;
}

/// A store whose owner was killed: the log holds one commit for each of these records.
std::vector<Record> write_and_die(Plain& backend, int commits)
{
    const Id task = new_id();
    const pid_t child = ::fork();
    if (child == 0) {
        Desk desk(backend);
        Worker worker(desk, task);
        for (int i = 0; i < commits; ++i) {
            worker.append(worker.next());
            worker.wait();
        }
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    Record last = sample_start(task, 1);
    std::vector<Record> records;
    for (int i = 0; i < commits; ++i) records.push_back(last = sample_after(last));
    return records;
}

/// Not synced: these files need not outlive the machine.
void put_file(const fs::path& file, std::string_view bytes)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::size_t> places_of(const std::string& bytes, const std::string& text)
{
    std::vector<std::size_t> places;
    for (std::size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1))
        places.push_back(at);
    return places;
}

void flip_bit(const fs::path& file, std::size_t offset, int bit = 0)
{
    std::string bytes = find_file(file).value();
    REQUIRE(offset < bytes.size());
    bytes[offset] ^= static_cast<char>(1 << bit);
    put_file(file, bytes);
}

}  // namespace

TEST_CASE("a flipped bit in a body is found by verify, at its record; other tasks are whole")
{
    Plain backend;
    const auto journals = write_three(backend);
    flip_bit(backend.database(), places_of(find_file(backend.database()).value(), "111111").back() + 2, 3);
    Desk desk(backend);
    CHECK(verify(desk.ask(desk.store->read(journals[0][0].task))).size() == 1);
    CHECK(desk.ask(desk.store->read(journals[1][0].task)) == journals[1]);
    CHECK(desk.ask(desk.store->read(journals[2][0].task)) == journals[2]);
}

TEST_CASE("a damaged, cut or missing blob is named when its task is read; other tasks are whole")
{
    Plain backend;
    const auto journals = write_three(backend);
    const std::string name = to_hex(sha256(std::string(50'000, 'B')));
    const fs::path blob = backend.folder.path() / "blobs" / name.substr(0, 2) / name;
    REQUIRE(fs::exists(blob));
    SUBCASE("a flipped bit")
    {
        flip_bit(blob, 33'333);
    }
    SUBCASE("cut short")
    {
        fs::resize_file(blob, 49'999);
    }
    SUBCASE("grown")
    {
        fs::resize_file(blob, 50'001);
    }
    SUBCASE("gone")
    {
        fs::remove(blob);
    }
    Desk desk(backend);
    CHECK(error_of([&] { desk.ask(desk.store->read(journals[1][0].task)); }) ==
          doctest::Contains(("unavailable: task " + to_string(journals[1][0].task) + ": " + blob.string()).c_str()));
    CHECK(desk.ask(desk.store->read(journals[1][0].task, 1, 20)).size() == 20);
    CHECK(desk.ask(desk.store->read(journals[0][0].task)) == journals[0]);
    CHECK(desk.ask(desk.store->read(journals[2][0].task)) == journals[2]);
}

TEST_CASE("a column that cannot be is named with its record")
{
    struct {
        std::string change;
        std::string says;
    } const cases[] = {
        {"hash = x'00'", "record 5 in"},
        {"seq = -1", "its number cannot be -1"},
        {"kind = 256", "its kind cannot be 256"},
        {"epoch = 4294967296", "its epoch cannot be 4294967296"},
        {"ask = x'0102'", "its digest cannot have 2 bytes"},
        {"blob = x''", "the name of its blob cannot have 0 bytes"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.change);
        Plain backend;
        const auto journals = write_three(backend);
        {
            Connection connection(backend.database(), Access::read_write, "");
            connection.execute(fmt::format("UPDATE record SET {} WHERE seq = 5 AND task = (SELECT id FROM task WHERE "
                                           "name = '{}')",
                                           c.change, to_string(journals[0][0].task)));
        }
        Desk desk(backend);
        CHECK(error_of([&] { desk.ask(desk.store->read(journals[0][0].task, 0)); }) ==
              (c.change == "seq = -1" ? doctest::Contains("") : doctest::Contains(c.says.c_str())));
        CHECK(desk.ask(desk.store->read(journals[2][0].task)) == journals[2]);
    }
}

TEST_CASE("whatever bit of the database is flipped, nothing wrong is taken for right, and nothing is lost unseen")
{
    Plain backend;
    const auto journals = write_three(backend);
    const std::string intact = find_file(backend.database()).value();
    std::vector<std::size_t> places;
    for (const std::size_t name : places_of(intact, to_string(journals[0][0].task)))  // in a table and in its index
        places.insert(places.end(), {name, name + 35});
    SeededRandom random(4);
    while (places.size() < 150) places.push_back(random.below(intact.size()));
    int refused = 0, quarantined = 0, found_by_check = 0, harmless = 0;
    for (const std::size_t place : places) {
        CAPTURE(place);
        for (const char* side : {"-wal", "-shm"}) fs::remove(backend.database().string() + side);
        put_file(backend.database(), intact);
        flip_bit(backend.database(), place, static_cast<int>(random.below(8)));
        try {
            ReadOnly onlooker(backend.folder.path());
            Desk desk(onlooker);
            bool shown = false, same = true;
            for (const auto& journal : journals) {
                try {
                    const auto records = desk.ask(desk.store->read(journal[0].task));
                    shown = shown || !verify(records).empty();
                    same = same && records == journal;
                } catch (const Error& error) {
                    CHECK(error.code() == Code::unavailable);
                    shown = true;
                }
            }
            if (shown) {
                ++quarantined;
            } else if (same) {
                ++harmless;
            } else {
                ++found_by_check;
                CHECK(!SqliteStore::check(backend.folder.path()).empty());
            }
        } catch (const Error& error) {
            CHECK(error.code() == Code::unavailable);
            ++refused;
        }
    }
    CHECK(quarantined > 20);
    CHECK(found_by_check > 0);
    CHECK(refused + harmless < 120);
}

TEST_CASE("a journal that has lost its end is not read as if it were whole, nor written on")
{
    Plain backend;
    const auto journals = write_three(backend);
    {
        Connection connection(backend.database(), Access::read_write, "");
        connection.execute(
            fmt::format("DELETE FROM record WHERE seq > 15 AND task = (SELECT id FROM task WHERE name = '{}')",
                        to_string(journals[0][0].task)));
    }
    CHECK(SqliteStore::check(backend.folder.path()).empty());
    Desk desk(backend);
    CHECK(error_of([&] { desk.ask(desk.store->read(journals[0][0].task)); }) ==
          doctest::Contains("ends with record 15, but had a record 21"));
    CHECK(desk.ask(desk.store->read(journals[0][0].task, 1, 15)).size() == 15);
    CHECK(error_of([&] { desk.ask(desk.store->read(journals[0][0].task, 18)); }) ==
          doctest::Contains("record 17, but"));
    Record last = journals[0][14];
    last.epoch = desk.own(last.task);
    Worker worker(desk, last);
    worker.append(worker.next());
    worker.wait();
    CHECK(worker.refused_with().find("the end of its journal") != std::string::npos);
    Worker other(desk);
    other.append(other.next());
    other.wait();
    CHECK(other.durable_seq == 1);
}

TEST_CASE("a record that stands where none should be stops its task alone")
{
    Plain backend;
    const auto journals = write_three(backend);
    {
        Connection connection(backend.database(), Access::read_write, "");
        connection.execute(
            "INSERT INTO record SELECT NULL, task, 200, version, kind, event_seq, epoch, at, tenant, path, ask, "
            "body, blob, size, hash FROM record WHERE task = 1 AND seq = 1");
    }
    Desk desk(backend);
    Record last = journals[0].back();
    last.epoch = desk.own(last.task);
    Worker worker(desk, last);
    for (int i = 0; i < 300; ++i) worker.append(worker.next());
    worker.wait();
    desk.loop.run_until([&] { return worker.refusal != nullptr; });
    CHECK(worker.refused_seq == 200);
    CHECK(worker.refused_with().find("the end of its journal") != std::string::npos);
    Worker other(desk);
    other.append(other.next());
    other.wait();
    CHECK(other.durable_seq == 1);
}

TEST_CASE("a database that was cut short is refused, and left as it is")
{
    for (const double part : {0.0, 0.001, 0.3, 0.9}) {
        CAPTURE(part);
        Plain backend;
        write_three(backend);
        const auto size = static_cast<std::size_t>(part * static_cast<double>(fs::file_size(backend.database())));
        fs::resize_file(backend.database(), size);
        const auto before = find_file(backend.database());
        CHECK(error_of([&] { backend.open(); }) == doctest::Contains(backend.database().c_str()));
        CHECK(error_of([&] { backend.open(); }) == doctest::Contains("restore it from a backup"));
        CHECK(find_file(backend.database()) == before);
    }
}

TEST_CASE("a log that was cut short gives back whole commits from its beginning, as after a power cut")
{
    Plain backend;
    const auto records = write_and_die(backend, 12);
    const std::string database = find_file(backend.database()).value();
    const std::string log = find_file(backend.log()).value();
    std::size_t previous = 0;
    for (std::size_t part = 0; part <= 40; ++part) {
        CAPTURE(part);
        for (const auto& item : fs::directory_iterator(backend.folder.path())) fs::remove_all(item);
        put_file(backend.database(), database);
        put_file(backend.log(), log.substr(0, log.size() * part / 40));
        Desk desk(backend);
        const auto found = desk.ask(desk.store->read(records[0].task));
        CHECK(found.size() >= previous);
        CHECK(std::equal(found.begin(), found.end(), records.begin(), records.begin() + static_cast<long>(found.size()),
                         [](const Record& a, const Record& b) { return a.seq == b.seq && a.body == b.body; }));
        CHECK(verify(found).empty());
        previous = found.size();
    }
    CHECK(previous == 12);
}

TEST_CASE("a log that is damaged in its middle is refused and left as it is; at its end it is a torn commit")
{
    Plain backend;
    write_and_die(backend, 12);
    const std::string database = find_file(backend.database()).value();
    const std::string log = find_file(backend.log()).value();
    SeededRandom random(7);
    for (int round = 0; round < 60; ++round) {
        for (const auto& item : fs::directory_iterator(backend.folder.path())) fs::remove_all(item);
        const std::size_t at = round < 32 ? static_cast<std::size_t>(round) : random.below(log.size() * 3 / 4);
        CAPTURE(at);
        put_file(backend.database(), database);
        put_file(backend.log(), log);
        flip_bit(backend.log(), at, static_cast<int>(random.below(8)));
        const auto before = find_file(backend.log());
        CHECK(error_of([&] { backend.open(); }) == doctest::Contains("and commits lie behind that"));
        CHECK(find_file(backend.log()) == before);
        CHECK(find_file(backend.database()) == database);
    }
    for (const auto& item : fs::directory_iterator(backend.folder.path())) fs::remove_all(item);
    put_file(backend.database(), database);
    put_file(backend.log(), log);
    flip_bit(backend.log(), log.size() - 100);
    Desk desk(backend);
    CHECK(desk.ask(desk.store->tasks({})).empty());
}

TEST_CASE("attack 09: damage in the log is found by whoever reads, wherever it is, and so is a log that is gone")
{
    // as a killed owner leaves it: everything that was acknowledged is in the log
    Plain backend;
    const TemporaryFolder killed;
    std::vector<std::vector<Record>> journals;
    {
        Desk desk(backend);
        Worker worker(desk);
        for (int i = 0; i < 8; ++i) {
            worker.append("{\"n\":" + std::to_string(i) + "}");
            worker.wait();
        }
        journals.push_back(worker.records);
        for (const char* name : {"cadre.db", "cadre.db-wal", "cadre.db-mark"})
            fs::copy_file(backend.folder.path() / name, killed.path() / name);
        desk.port.reset();
    }
    const auto put_back = [&](const fs::path& folder) {
        for (const char* name : {"cadre.db", "cadre.db-wal", "cadre.db-mark"})
            fs::copy_file(killed.path() / name, folder / name, fs::copy_options::overwrite_existing);
    };
    const auto read_all = [&](const fs::path& folder) {
        ReadOnly onlooker(folder);
        Desk desk(onlooker);
        return desk.ask(desk.store->read(journals[0][0].task));
    };
    {
        const TemporaryFolder whole;
        put_back(whole.path());
        CHECK(read_all(whole.path()) == journals[0]);
        CHECK(SqliteStore::check(whole.path()).empty());
    }
    const std::size_t size = fs::file_size(killed.path() / "cadre.db-wal");
    SeededRandom random(9);
    for (int i = 0; i < 60; ++i) {
        const std::size_t place = i == 0 ? size - 1 : i == 1 ? 0 : random.below(size);
        CAPTURE(place);
        const TemporaryFolder damaged;
        put_back(damaged.path());
        flip_bit(damaged.path() / "cadre.db-wal", place, static_cast<int>(random.below(8)));
        CHECK(error_of([&] { read_all(damaged.path()); }) == doctest::Contains("is damaged at byte"));
        CHECK(error_of([&] { SqliteStore::check(damaged.path()); }) == doctest::Contains("is damaged at byte"));
        CHECK(error_of([&] { SqliteStore::open(damaged.path()); }) == doctest::Contains("is damaged at byte"));
    }
    const TemporaryFolder gone, cut;
    put_back(gone.path());
    fs::remove(gone.path() / "cadre.db-wal");
    CHECK(error_of([&] { read_all(gone.path()); }) == doctest::Contains("is gone, and commits were in it"));
    CHECK(error_of([&] { SqliteStore::open(gone.path()); }) == doctest::Contains("is gone, and commits were in it"));
    put_back(cut.path());
    fs::resize_file(cut.path() / "cadre.db-wal", size - 4096);
    CHECK(error_of([&] { read_all(cut.path()); }) == doctest::Contains("its end was acknowledged"));
}

TEST_CASE("a mark that is behind its log, damaged or missing keeps nobody from reading")
{
    Plain backend;
    Desk desk(backend);
    Worker worker(desk);
    worker.append("{}");
    worker.wait();
    const fs::path mark = backend.folder.path() / "cadre.db-mark";
    const std::string older = find_file(mark).value();
    for (int i = 0; i < 4; ++i) worker.append("{}");
    worker.wait();
    const auto can_read = [&] {
        ReadOnly onlooker(backend.folder.path());
        Desk other(onlooker);
        return other.ask(other.store->read(worker.records[0].task)) == worker.records;
    };
    CHECK(can_read());
    put_file(mark, older);
    CHECK(can_read());
    flip_bit(mark, 13);
    CHECK(can_read());
    fs::remove(mark);
    CHECK(can_read());
}

TEST_CASE("a log that begins again, an owner that leaves and the next one are no damage")
{
    const TemporaryFolder folder;
    struct Small final : Backend {
        explicit Small(fs::path f) : path(std::move(f)) {}
        std::unique_ptr<Store> open() override { return SqliteStore::open(path, {.checkpoint_pages = 8}); }
        fs::path path;
    } backend(folder.path());
    for (int round = 0; round < 3; ++round) {
        Desk desk(backend);
        Worker worker(desk);
        for (int i = 0; i < 40; ++i) {
            worker.append("{\"text\":\"" + std::string(500, 'x') + "\"}");
            worker.wait();
            ReadOnly onlooker(folder.path());
            Desk other(onlooker);
            CHECK(other.ask(other.store->read(worker.records[0].task)) == worker.records);
        }
        desk.port.reset();
    }
    CHECK(SqliteStore::check(folder.path()).empty());
}
