// The reader of the crash harness shares no code with us. Here it reads what we wrote, and both find the same damage.
#include "storage/files.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/store_conformance_fixture.hpp"
#include "storage/temporary_folder.hpp"
#include "storage/verify.hpp"
#include "support/source.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <span>

using namespace cadre;
using namespace cadre::storage;

namespace {

namespace fs = std::filesystem;

struct Plain final : Backend {
    std::unique_ptr<Store> open() override { return SqliteStore::open(folder.path()); }
    TemporaryFolder folder;
};

std::string reader_says(const fs::path& folder, const std::string& flags = "")
{
    const std::string reader = (test::source_folder() / "tests/crash/journal_reader.py").string();
    const std::string command = fmt::format("python3 {} {} {} 2>&1", reader, folder.string(), flags);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    REQUIRE(pipe);
    std::string said;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe.get())) said.append(buffer, got);
    return said;
}

std::string hex(std::span<const std::uint8_t> bytes)
{
    std::string text;
    for (const unsigned byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}
std::string hex(std::string_view text)
{
    return hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string line_of(const Record& r)
{
    return fmt::format(R"({{"task":"{}","seq":{},"version":{},"kind":{},"event_seq":{},"epoch":{},"at":{},)"
                       R"("tenant":"{}","path":"{}","ask":"{}","body":"{}","hash":"{}"}})",
                       to_string(r.task), r.seq, r.version, static_cast<int>(r.kind), r.event_seq, r.epoch,
                       r.at.time_since_epoch().count(), hex(r.tenant), hex(r.path), hex(r.ask.bytes),
                       to_hex(sha256(r.body)), to_hex(r.hash)) +
           "\n";
}

/// Two tasks: plain records, odd bytes, a body at the threshold, a blob.
std::vector<std::vector<Record>> write_two(Desk& desk)
{
    std::vector<std::vector<Record>> journals;
    for (const std::string& body : {std::string("{\"a\":\"ö\"}"), std::string("\0\xff", 2)}) {
        Worker worker(desk);
        worker.append(worker.next(body), worker.entry());
        worker.append(worker.next(""));
        worker.append(worker.next(std::string(kBlobThreshold, 'x')));
        worker.append(worker.next(std::string(kBlobThreshold + 1, 'y')));
        worker.append(worker.next(body));
        worker.wait();
        journals.push_back(worker.records);
    }
    return journals;
}

}  // namespace

TEST_CASE("an independent reader sees the records that were written, while the owner works and after it")
{
    Plain backend;
    std::string expected;
    {
        Desk desk(backend);
        for (const auto& journal : write_two(desk))
            for (const Record& record : journal) expected += line_of(record);
        CHECK(reader_says(backend.folder.path(), "--live --dump") == expected);
        CHECK(reader_says(backend.folder.path(), "--dump") == expected);
        CHECK(reader_says(backend.folder.path()) == "");
        desk.port.reset();
    }
    CHECK(reader_says(backend.folder.path(), "--dump") == expected);
    CHECK(reader_says(backend.folder.path()) == "");
}

TEST_CASE("an independent reader and verify find the same damage")
{
    struct {
        std::string sql;
        std::string says;
    } const cases[] = {
        {"UPDATE record SET body = body || ' ' WHERE seq = 2", "I2: record 2 does not have its hash"},
        {"UPDATE record SET path = 'x' WHERE seq = 4", "I2: record 4 does not have its hash"},
        {"DELETE FROM record WHERE seq = 3", "I1: expected record 3, found record 4"},
        {"UPDATE record SET epoch = 0 WHERE seq = 5", "I3: record 5 has epoch 0 after 1"},
        {"UPDATE record SET tenant = 'other' WHERE seq = 2", "I2: record 2 belongs to another tenant"},
        {"UPDATE record SET size = size + 1 WHERE seq = 4", "record 4: its blob is damaged"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.sql);
        Plain backend;
        std::vector<std::vector<Record>> journals;
        {
            Desk desk(backend);
            journals = write_two(desk);
            desk.port.reset();
        }
        {
            Connection connection(database_file(backend.folder.path()), Access::read_write, "");
            connection.execute(c.sql + " AND task = 2");
        }
        const std::string said = reader_says(backend.folder.path());
        CHECK(said.find(to_string(journals[1][0].task) + ": " + c.says) != std::string::npos);
        CHECK(said.find(to_string(journals[0][0].task)) == std::string::npos);
        Desk desk(backend);
        CHECK(verify(desk.ask(desk.store->read(journals[0][0].task))).empty());
        bool found = false;
        try {
            found = !verify(desk.ask(desk.store->read(journals[1][0].task))).empty();
        } catch (const Error& error) {
            found = error.code() == Code::unavailable;
        }
        CHECK(found);
    }
}
