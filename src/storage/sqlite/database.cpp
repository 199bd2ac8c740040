#include "storage/sqlite/database.hpp"

#include "base/error.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/wal_check.hpp"
#include "storage/sqlite/wal_mark.hpp"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <limits>
#include <string_view>
#include <unistd.h>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

// `record` is appended to at its end, so that a commit of many tasks writes few pages. Its index is ordered by runs of 64
// records before it is ordered by task: else every task that is active would have a page of its own, and every commit would
// write them all (four times the pages, twice the time). Readers go from run to run.
// A task without an entry has no created_at and is in no list. Its `seq` is that of the record which brought the entry: a
// journal that ends before it has lost its end.
constexpr const char* kTables = R"(
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('epoch', 0);
CREATE TABLE task(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL DEFAULT 0, tenant TEXT, status TEXT, open INTEGER, created_at INTEGER,
    updated_at INTEGER, due INTEGER, title TEXT, agent TEXT, session TEXT, parent TEXT, detail TEXT);
CREATE INDEX task_open ON task(created_at, id) WHERE open = 1;
CREATE TABLE record(
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL, seq INTEGER NOT NULL, version INTEGER NOT NULL,
    kind INTEGER NOT NULL, event_seq INTEGER NOT NULL, epoch INTEGER NOT NULL, at INTEGER NOT NULL, tenant TEXT NOT NULL,
    path TEXT NOT NULL, ask BLOB, body TEXT NOT NULL, blob BLOB, size INTEGER, hash BLOB NOT NULL);
CREATE UNIQUE INDEX record_place ON record(seq >> 6, task, seq);
CREATE TABLE document(
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, updated_at INTEGER NOT NULL,
    UNIQUE(kind, key));
)";

// What later releases added, and older ones do well without. A blob is doomed when the record that named it is gone; its file
// goes once nothing else names it. Lists are of one tenant, the newest first.
constexpr const char* kAdditions = R"(
CREATE TABLE IF NOT EXISTS doomed(blob BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS record_blob ON record(blob) WHERE blob IS NOT NULL;
DROP INDEX IF EXISTS task_created;
CREATE INDEX IF NOT EXISTS task_list ON task(tenant, created_at, name) WHERE created_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS task_session ON task(tenant, session, created_at, name, turn) WHERE session <> '';
CREATE INDEX IF NOT EXISTS task_parent ON task(parent, created_at, name) WHERE parent <> '';
)";
// What document 001 keeps in tables beside its service, for who reads the journal with SQL: views, so there is one truth. The first record of a
// task says what was written, the last one what was answered; a text over kBlobThreshold lies in a file and is null here.
constexpr const char* kConversations = R"(
CREATE VIEW IF NOT EXISTS conversation_context AS
SELECT said.*, strftime('%Y-%m-%dT%H:%M:%fZ', said.at / 1000.0, 'unixepoch') AS created_at FROM (
    SELECT coalesce(nullif(task.session, ''), task.name) AS conversation_id, task.name AS request_id, task.tenant AS tenant,
        task.created_by AS user_id, json_extract(asked.body, '$.metadata.channel') AS channel, 'user' AS role,
        json_extract(asked.body, '$.description') AS content, asked.at AS at
    FROM task JOIN record asked ON asked.seq >> 6 = 0 AND asked.task = task.id AND asked.seq = 1
    WHERE CASE WHEN asked.blob IS NULL THEN json_extract(asked.body, '$.pattern') END = 'message@1'
    UNION ALL
    SELECT coalesce(nullif(task.session, ''), task.name), task.name, task.tenant, task.created_by,
        json_extract(asked.body, '$.metadata.channel'), 'assistant',
        CASE WHEN done.blob IS NULL THEN json_extract(done.body, '$.reply.text') END, done.at
    FROM task JOIN record asked ON asked.seq >> 6 = 0 AND asked.task = task.id AND asked.seq = 1
        JOIN record done ON done.seq >> 6 IN (task.seq >> 6, (task.seq >> 6) - 1) AND done.task = task.id AND done.kind = 15
    WHERE CASE WHEN asked.blob IS NULL THEN json_extract(asked.body, '$.pattern') END = 'message@1') AS said;
CREATE VIEW IF NOT EXISTS conversations AS
SELECT conversation_id AS id, tenant, user_id, channel, count(DISTINCT request_id) AS messages, min(created_at) AS created_at,
    max(created_at) AS updated_at
FROM conversation_context GROUP BY conversation_id, tenant;
)";
constexpr const char* kNoConversations = "DROP VIEW IF EXISTS conversations; DROP VIEW IF EXISTS conversation_context;";
constexpr const char* kLaterColumns = R"(
ALTER TABLE task ADD COLUMN turn INTEGER;
ALTER TABLE task ADD COLUMN created_by TEXT;
)";

/// Inside a transaction. An older release that had the database meanwhile has left the new columns empty.
void add_what_is_missing(Connection& connection)
{
    if (!has_later_columns(connection)) {
        connection.execute(kNoConversations);  // ALTER TABLE reads all views, and trusts no function in them
        connection.execute(kLaterColumns);
    }
    connection.execute(kAdditions);
    connection.execute(kConversations);
    connection.execute(fmt::format("UPDATE task SET turn = {} WHERE session <> '' AND turn IS NULL", kTurnInDetail));
}

constexpr std::string_view kFileMagic{"SQLite format 3\0", 16};

/// The first bytes of a database, as SQLite lays them out.
using Header = std::array<std::uint8_t, 100>;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

std::int64_t big_endian(const Header& header, std::size_t at)
{
    return static_cast<std::int32_t>(std::uint32_t{header[at]} << 24 | std::uint32_t{header[at + 1]} << 16 |
                                     std::uint32_t{header[at + 2]} << 8 | std::uint32_t{header[at + 3]});
}

void check_format(const fs::path& file, std::int64_t application, std::int64_t format)
{
    if (application != kApplicationId)
        throw Error(Code::unavailable,
                    fmt::format("{} is not a journal of Cadre; nothing was changed. Move it away, or "
                                "set CADRE_HOME to another folder",
                                file.string()));
    if (format > kStoreFormat)
        throw Error(
            Code::unavailable,
            fmt::format("journal_too_new: {} has format {}, and this release reads up to {}; nothing was changed. "
                        "Use the release that wrote it, or a later one",
                        file.string(), format, kStoreFormat));
}

[[noreturn]] void throw_damaged(const fs::path& file, std::string_view how)
{
    throw Error(Code::unavailable,
                fmt::format("{} is damaged: {}. The folder was left as it is: keep a copy of it, and "
                            "restore it from a backup",
                            file.string(), how));
}

/// False when there is none. Looks at it with a plain read, because SQLite changes files by opening them.
bool look_at(const fs::path& file)
{
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened && errno == ENOENT) {
        if (fs::exists(file.string() + "-wal")) throw_damaged(file, "its log is there, but the file itself is missing");
        return false;
    }
    Header header{};
    const ssize_t got = opened ? ::pread(opened.get(), header.data(), header.size(), 0) : -1;
    if (got < 0) throw_errno("read", file);
    const bool is_sqlite =
        got == static_cast<ssize_t>(header.size()) &&
        kFileMagic == std::string_view(reinterpret_cast<const char*>(header.data()), kFileMagic.size());
    if (!is_sqlite) throw_damaged(file, "it does not begin like a database");
    check_format(file, big_endian(header, kApplicationIdAt), big_endian(header, kUserVersionAt));
    return true;
}

void check_open(Connection& connection)
{
    check_format(connection.file(), connection.number("PRAGMA application_id"),
                 connection.number("PRAGMA user_version"));
}

/// Under another name first: so there is never a database without tables, and an empty file is known to be a damaged one.
/// Not yet with a WAL, so that the header is in the file.
void make_database(const fs::path& file, const std::string& vfs)
{
    const fs::path draft = file.string() + ".new";
    fs::remove(draft);
    fs::remove(draft.string() + "-journal");
    make_private_file(draft);
    {
        Connection connection(draft, Access::read_write, vfs);
        connection.execute("PRAGMA synchronous=FULL");
        connection.execute(fmt::format("BEGIN EXCLUSIVE; PRAGMA application_id={}; PRAGMA user_version={}; {}",
                                       kApplicationId, kStoreFormat, kTables));
        add_what_is_missing(connection);
        connection.execute("COMMIT");
    }
    if (::rename(draft.c_str(), file.c_str()) != 0) throw_errno("rename to", file);
    sync_folder(file.parent_path());
}

}  // namespace

bool has_later_columns(Connection& connection)
{
    return connection.number("SELECT count(*) FROM pragma_table_info('task') WHERE name = 'created_by'") > 0;
}

fs::path database_file(const fs::path& folder)
{
    return folder / "cadre.db";
}

std::unique_ptr<Connection> open_database(const fs::path& folder, const SqliteOptions& options)
{
    const fs::path file = database_file(folder);
    if (look_at(file)) {
        check_wal(file);
    } else {
        make_private_folder(folder);
        make_database(file, options.vfs);
    }
    auto connection = std::make_unique<Connection>(file, Access::read_write, options.vfs);
    check_open(*connection);
    if (const auto mode = connection->text("PRAGMA journal_mode=WAL"); mode != "wal")
        throw Error(
            Code::unavailable,
            fmt::format("{} cannot have a write-ahead log here (its mode is {}). Set CADRE_HOME to a local disk",
                        file.string(), mode));
    // 32 MiB of pages, so that a commit need not read what the one before has written
    connection->execute("PRAGMA synchronous=FULL; PRAGMA cache_size=-32768; PRAGMA journal_size_limit=67108864");
    connection->execute("BEGIN IMMEDIATE");
    add_what_is_missing(*connection);
    connection->execute("COMMIT");
    WalMarker(file).clear();                // it was checked
    connection->checkpoint_and_truncate();  // what a crash left behind; the next WAL begins with salts of its own
    return connection;
}

std::unique_ptr<Connection> open_database_read_only(const fs::path& folder, const SqliteOptions& options)
{
    const fs::path file = database_file(folder);
    if (!look_at(file)) throw Error(Code::not_found, fmt::format("there is no journal in {} yet", folder.string()));
    auto connection = std::make_unique<Connection>(file, Access::read_only, options.vfs);
    check_open(*connection);
    return connection;
}

std::uint32_t raise_epoch(Connection& connection)
{
    connection.execute("BEGIN IMMEDIATE");
    const std::int64_t epoch = connection.number("SELECT value FROM meta WHERE name = 'epoch'") + 1;
    if (epoch <= 0 || epoch > std::numeric_limits<std::uint32_t>::max())
        throw Error(Code::unavailable,
                    fmt::format("{} has used up its epochs, or is damaged", connection.file().string()));
    connection.execute(fmt::format("UPDATE meta SET value = {} WHERE name = 'epoch'; COMMIT", epoch));
    return static_cast<std::uint32_t>(epoch);
}

}  // namespace cadre::storage
