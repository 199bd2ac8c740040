#include "storage/sqlite/sqlite_store.hpp"

#include "storage/files.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/store_conformance_fixture.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <map>
#include <sys/stat.h>

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

namespace {

namespace fs = std::filesystem;

struct SqliteBackend final : Backend {
    std::unique_ptr<Store> open() override { return SqliteStore::open(folder.path(), options); }
    bool keeps() const override { return true; }

    static std::unique_ptr<Backend> make() { return std::make_unique<SqliteBackend>(); }

    TemporaryFolder folder;
    SqliteOptions options{.checkpoint_pages = 50};
};

const AddBackend sqlite("sqlite", SqliteBackend::make);

struct ReadOnlyBackend final : Backend {
    explicit ReadOnlyBackend(fs::path f) : folder(std::move(f)) {}
    std::unique_ptr<Store> open() override { return SqliteStore::open_read_only(folder); }
    fs::path folder;
};

/// Every file with its bytes and the time of its last change, and every folder with its.
std::map<std::string, std::pair<std::string, std::int64_t>> contents(const fs::path& folder)
{
    std::map<std::string, std::pair<std::string, std::int64_t>> all;
    const auto add = [&](const fs::path& path, std::string text) {
        struct stat facts{};
        ::stat(path.c_str(), &facts);
        all[path.string()] = {std::move(text), facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec};
    };
    add(folder, "");
    for (const auto& item : fs::recursive_directory_iterator(folder))
        add(item.path(), item.is_directory() ? "" : find_file(item.path()).value());
    return all;
}

/// A store with one task, closed again.
std::vector<Record> write_journal(SqliteBackend& backend, int length = 5)
{
    Desk desk(backend);
    Worker worker(desk);
    for (int i = 0; i < length; ++i) worker.append(worker.next());
    worker.wait();
    desk.port.reset();
    return worker.records;
}

}  // namespace

TEST_CASE("the database is for its user alone, whatever the umask, and closing leaves no log behind")
{
    for (const mode_t mask : {0000, 0777}) {
        CAPTURE(mask);
        SqliteBackend backend;
        const mode_t before = ::umask(mask);
        {
            Desk desk(backend);
            Worker worker(desk);
            worker.append(std::string(100'000, 'x'));
            worker.wait();
            CHECK(fs::exists(backend.folder.path() / "cadre.db-wal"));
            for (const auto& item : fs::recursive_directory_iterator(backend.folder.path())) {
                CAPTURE(item.path().string());
                CHECK(static_cast<unsigned>(item.status().permissions()) == (item.is_directory() ? 0700u : 0600u));
            }
            desk.port.reset();
        }
        ::umask(before);
        CHECK(fs::exists(backend.folder.path() / "cadre.db"));
        CHECK_FALSE(fs::exists(backend.folder.path() / "cadre.db-wal"));
        CHECK_FALSE(fs::exists(backend.folder.path() / "cadre.db-shm"));
    }
}

TEST_CASE("the database is made in the mode that keeps what it has acknowledged")
{
    SqliteBackend backend;
    write_journal(backend);
    Connection connection(database_file(backend.folder.path()), Access::read_only, "");
    CHECK(connection.text("PRAGMA journal_mode") == "wal");
    CHECK(connection.number("PRAGMA application_id") == kApplicationId);
    CHECK(connection.number("PRAGMA user_version") == kStoreFormat);
    const auto owned = open_database(backend.folder.path(), {});
    CHECK(owned->number("PRAGMA synchronous") == 2);  // FULL
    CHECK(owned->text("PRAGMA integrity_check") == "ok");
}

TEST_CASE("a store of a newer format is refused without a changed byte")
{
    for (const bool read_only : {false, true}) {
        SqliteBackend backend;
        write_journal(backend);
        const fs::path file = database_file(backend.folder.path());
        {
            Connection connection(file, Access::read_write, "");
            connection.execute("PRAGMA journal_mode=DELETE; PRAGMA user_version=2");
        }
        const auto before = contents(backend.folder.path());
        CHECK(error_of([&] {
                  read_only ? SqliteStore::open_read_only(backend.folder.path())
                            : SqliteStore::open(backend.folder.path());
              }) == doctest::Contains("unavailable: journal_too_new: "));
        CHECK(contents(backend.folder.path()) == before);
    }
}

TEST_CASE("a file that is not our journal is refused without a changed byte")
{
    SqliteBackend backend;
    const fs::path file = database_file(backend.folder.path());
    SUBCASE("a text")
    {
        write_private_file(file, "hello");
    }
    SUBCASE("an empty file")
    {
        write_private_file(file, "");
    }
    SUBCASE("the database of another program")
    {
        write_private_file(file, "");
        Connection connection(file, Access::read_write, "");
        connection.execute("CREATE TABLE songs(title)");
    }
    SUBCASE("a log without its database")
    {
        write_private_file(file.string() + "-wal", "x");
    }
    const auto before = contents(backend.folder.path());
    CHECK(error_of([&] { backend.open(); }) == doctest::Contains(("unavailable: " + file.string()).c_str()));
    CHECK(error_of([&] { SqliteStore::open_read_only(backend.folder.path()); }) ==
          doctest::Contains(("unavailable: " + file.string()).c_str()));
    CHECK(contents(backend.folder.path()) == before);
}

TEST_CASE("what an interrupted creation left behind is no hindrance")
{
    SqliteBackend backend;
    write_private_file(backend.folder.path() / "cadre.db.new", "half a database");
    write_private_file(backend.folder.path() / "cadre.db.new-journal", "and its journal");
    CHECK(write_journal(backend).size() == 5);
}

TEST_CASE("an onlooker reads while the owner writes, writes nothing, and never takes part in checkpoints")
{
    SqliteBackend backend;
    CHECK(error_of([&] { SqliteStore::open_read_only(backend.folder.path()); }) ==
          doctest::Contains("not_found: there is no journal in"));
    Desk owner(backend);
    Worker worker(owner);
    worker.append(worker.next(), worker.entry());
    worker.wait();

    ReadOnlyBackend onlooker(backend.folder.path());
    Desk desk(onlooker);
    for (int i = 0; i < 200; ++i) {  // past several checkpoints
        worker.append(std::string(2000, 'x'));
        worker.wait();
        if (i % 20 == 0) CHECK(desk.ask(desk.store->read(worker.task())) == worker.records);
    }
    CHECK(desk.ask(desk.store->find_task(worker.task())).has_value());

    const std::string says = "unavailable: this process only reads the journal";
    Worker intruder(desk, worker.records.back());
    intruder.append(intruder.next());
    intruder.wait();
    CHECK(intruder.refused_with().starts_with(says));
    CHECK(error_of([&] { desk.own(new_id()); }) == doctest::Contains(says.c_str()));
    CHECK(error_of([&] { desk.ask(desk.store->put({.kind = "k"})); }) == doctest::Contains(says.c_str()));
    CHECK(error_of([&] { desk.ask(desk.store->remove("k", "")); }) == doctest::Contains(says.c_str()));
}

TEST_CASE("a closed store can be read without an owner")
{
    SqliteBackend backend;
    const auto records = write_journal(backend);
    ReadOnlyBackend onlooker(backend.folder.path());
    Desk desk(onlooker);
    CHECK(desk.ask(desk.store->read(records[0].task)) == records);
}

TEST_CASE("an owner whose home was taken over can write nothing more")
{
    SqliteBackend backend;
    Desk zombie(backend);
    std::atomic<int> stopped = 0;
    zombie.store->on_stopped([&](const std::exception_ptr&) { ++stopped; });
    Worker worker(zombie);
    worker.append(worker.next());
    worker.wait();
    Desk heir(backend);  // as when the lock failed, on a network disk for example
    CHECK(heir.own(worker.task()) > worker.next().epoch);

    worker.append(worker.next());
    worker.wait();
    CHECK(worker.refused_with().starts_with("conflict: the journal has stopped: "));
    CHECK(worker.refused_seq == 2);
    CHECK(error_of([&] { zombie.ask(zombie.store->put({.kind = "k"})); }) == doctest::Contains("conflict: "));
    CHECK(stopped == 1);
    CHECK(heir.ask(heir.store->read(worker.task())).size() == 1);
}

TEST_CASE("more than may wait to be written is refused; the store goes on")
{
    SqliteBackend backend;
    backend.options.queue_bytes = 1 << 20;
    Desk desk(backend);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < 12; ++i) {
        workers.push_back(std::make_unique<Worker>(desk));
        workers.back()->append(std::string(200'000, 'x'));
        desk.port = nullptr;  // each batch by itself
        desk.port = desk.store->open_port(desk.loop);
    }
    Worker worker(desk);
    worker.append(std::string(200'000, 'y'));
    worker.append(worker.next());
    worker.wait();
    if (worker.refusal) CHECK(worker.refused_with().starts_with("rate_limited: the journal's queue is full"));
    for (;;) {  // soon there is room again
        Worker patient(desk);
        patient.append(patient.next());
        patient.wait();
        if (patient.durable_seq == 1) break;
    }
}

TEST_CASE("a commit takes no more than it may, and everything still comes in order")
{
    SqliteBackend backend;
    Desk desk(backend);
    Worker worker(desk);
    for (int i = 0; i < 20'000; ++i) worker.append(worker.next("{}"));
    for (int i = 0; i < 300; ++i) worker.append(std::string(30'000, 'x'));
    worker.wait();
    CHECK(worker.durable_seq == 20'300);
    CHECK(worker.calls >= 4);      // 8,192 records or 4 MiB each
    CHECK(worker.calls <= 2'000);  // not one by one; how many fit depends on how quick the disk is
    CHECK(desk.ask(desk.store->read(worker.task())) == worker.records);
}

TEST_CASE("purge: a blob's file goes with the last task that named it")
{
    const auto blobs = [](const SqliteBackend& backend) {
        std::size_t files = 0;
        for (const auto& item : fs::recursive_directory_iterator(backend.folder.path() / "blobs"))
            files += item.is_regular_file();
        return files;
    };
    SqliteBackend backend;
    Desk desk(backend);
    std::vector<Purge> purges;
    for (const char* body : {"shared", "shared", "own"}) {
        Worker worker(desk);
        worker.append(worker.next(std::string(kBlobThreshold + 1, body[0])));
        TaskEntry entry = worker.entry("completed");
        entry.open = false;
        worker.append(worker.next(), std::move(entry));
        worker.wait();
        purges.push_back({.task = worker.task()});
    }
    REQUIRE(blobs(backend) == 2);
    const auto purge = [&](std::size_t index) {
        desk.ask(desk.store->purge({purges[index]}));
        desk.ask(desk.store->put({.kind = "test", .key = "later"}));  // the sweep comes between two commits
    };
    purge(0);
    CHECK(blobs(backend) == 2);
    purge(2);
    CHECK(blobs(backend) == 1);
    purge(1);
    CHECK(blobs(backend) == 0);
}

TEST_CASE("a database from before tasks had turns and creators is read as it is, and extended by its next owner")
{
    SqliteBackend backend;
    const Id task = new_id();
    {
        Desk desk(backend);
        Worker worker(desk, task);
        TaskEntry entry = worker.entry();
        entry.session = "s1";
        entry.detail = R"({"turn":7})";
        worker.append(worker.next(), entry);
        worker.wait();
    }
    {
        Connection connection(database_file(backend.folder.path()), Access::read_write, "");
        connection.execute("DROP VIEW conversations; DROP VIEW conversation_context;"
                           "DROP INDEX task_list; DROP INDEX task_session; DROP INDEX task_parent;"
                           "ALTER TABLE task DROP COLUMN turn; ALTER TABLE task DROP COLUMN created_by;"
                           "CREATE INDEX task_created ON task(created_at, id) WHERE created_at IS NOT NULL;");
    }
    const auto check = [&](Store& store, InboxLoop& loop) {
        const auto entry = run(loop, store.find_task(task));
        REQUIRE(entry);
        CHECK(entry->turn == 7);
        CHECK(entry->created_by.empty());
        CHECK(run(loop, store.tasks({.tenant = "local", .session = "s1"})) == std::vector{*entry});
        CHECK(run(loop, store.tasks({.created_by = "ann"})).empty());
        const auto sessions = run(loop, store.sessions({.tenant = "local"}));
        REQUIRE(sessions.size() == 1);
        CHECK(sessions[0].last == *entry);
    };
    ReadOnlyBackend onlooker(backend.folder.path());
    {
        InboxLoop loop;
        check(*onlooker.open(), loop);
    }
    Desk desk(backend);
    check(*desk.store, desk.loop);
    Worker worker(desk);
    TaskEntry entry = worker.entry();
    entry.created_by = "ann";
    worker.append(worker.next(), entry);
    worker.wait();
    CHECK(desk.ask(desk.store->tasks({.created_by = "ann"})) == std::vector{entry});
}

TEST_CASE("lists of a tenant, a session and a parent come from indexes, in their order")
{
    SqliteBackend backend;
    write_journal(backend);
    Connection connection(database_file(backend.folder.path()), Access::read_only, "");
    const auto plan = [&](const std::string& where) {
        std::string text;
        Statement steps(connection, "EXPLAIN QUERY PLAN SELECT * FROM task WHERE created_at IS NOT NULL AND " + where +
                                        " ORDER BY created_at DESC, name DESC LIMIT 10");
        while (steps.step()) text += std::string(steps.text(3)) + "; ";
        return text;
    };
    const std::string next = plan("tenant = 'a' AND (created_at, name) < (7, 'x')");
    const std::pair<std::string, const char*> all[] = {
        {plan("tenant = 'a'"), "task_list"},
        {next, "task_list"},
        {plan("session <> '' AND session = 's' AND tenant = 'a'"), "task_session"},
        {plan("parent <> '' AND parent = 'p' AND +tenant = 'a'"), "task_parent"},
    };
    for (const auto& [steps, index] : all) {
        CAPTURE(steps);
        CHECK(steps.find(index) != steps.npos);
        CHECK(steps.find("TEMP B-TREE") == steps.npos);  // nothing is sorted, so only what is shown is read
    }
    CHECK(next.find("(created_at,name)<(?,?)") != next.npos);
    CHECK(plan("+tenant = 'a' AND name >= 'a' AND name < 'b'").find("name>? AND name<?") != std::string::npos);
    CHECK(plan("open = 1 AND +tenant = 'a'").find("task_open") != std::string::npos);
}
