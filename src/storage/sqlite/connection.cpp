#include "storage/sqlite/connection.hpp"

#include "base/error.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <mutex>
#include <utility>

namespace cadre::storage {

namespace {

constexpr int kBusyMilliseconds = 5000;  // only while another process recovers or closes the database
constexpr int kBusyAtCheckpoint = 100;   // for readers who need the WAL: it may as well stay

/// SQLite's statistics take a lock at every allocation.
void configure_once()
{
    static std::once_flag done;
    std::call_once(done, [] { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); });
}

std::string advice(int code)
{
    switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ". The file is damaged and was left as it is: keep a copy of the folder, and restore it from a backup";
    case SQLITE_FULL: return ". Free some space, then start again";
    case SQLITE_IOERR: return ". Look at the disk and the system's log, then start again";
    case SQLITE_READONLY:
        return ". Who reads the journal must be able to write in its folder: check its owner and mode";
    case SQLITE_BUSY: return ". Another process holds it";
    default: return "";
    }
}

int note_wal_pages(void* pages, sqlite3*, const char*, int count)
{
    *static_cast<int*>(pages) = count;
    return SQLITE_OK;
}

}  // namespace

Connection::Connection(const std::filesystem::path& file, Access access, const std::string& vfs) : file_(file)
{
    configure_once();
    const int flags = (access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &opened, flags, vfs.empty() ? nullptr : vfs.c_str());
    handle_.reset(opened);
    check(code);
    check(sqlite3_busy_timeout(get(), kBusyMilliseconds));
    // whoever closes last would checkpoint; that is for the writer alone to do, and to report
    check(sqlite3_db_config(get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr));
    sqlite3_wal_hook(get(), note_wal_pages, &wal_pages_);  // in place of automatic checkpoints
    execute("PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY");
}

void Connection::Close::operator()(sqlite3* handle) const
{
    sqlite3_close_v2(handle);
}

void Connection::execute(const std::string& sql)
{
    check(sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Connection::number(const std::string& sql)
{
    Statement statement(*this, sql);
    return statement.step() ? statement.number(0) : 0;
}

std::string Connection::text(const std::string& sql)
{
    Statement statement(*this, sql);
    return statement.step() ? std::string(statement.text(0)) : std::string();
}

std::int64_t Connection::last_row() const
{
    return sqlite3_last_insert_rowid(get());
}

std::int64_t Connection::changed_rows() const
{
    return sqlite3_changes64(get());
}

bool Connection::checkpoint()
{
    int pages = 0, copied = 0;
    const int code = sqlite3_wal_checkpoint_v2(get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied);
    if ((code & 0xFF) == SQLITE_BUSY) return false;
    check(code);
    return copied == pages;
}

void Connection::checkpoint_and_truncate()
{
    check(sqlite3_busy_timeout(get(), kBusyAtCheckpoint));
    const int code = sqlite3_wal_checkpoint_v2(get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    check(sqlite3_busy_timeout(get(), kBusyMilliseconds));
    if ((code & 0xFF) == SQLITE_BUSY) return;  // a reader needs the WAL; it stays, and is as good
    check(code);
    wal_pages_ = 0;
}

void Connection::remove_log_on_close()
{
    check(sqlite3_db_config(get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr));
}

void Connection::fail(int code) const
{
    throw Error(Code::unavailable,
                fmt::format("{}: {} ({}){}", file_.string(), handle_ ? sqlite3_errmsg(get()) : sqlite3_errstr(code),
                            code, advice(code)));
}

void Connection::check(int code) const
{
    if (code != SQLITE_OK) fail(code);
}

Statement::Statement(Connection& connection, std::string_view sql) : connection_(connection)
{
    sqlite3_stmt* prepared = nullptr;
    connection.check(sqlite3_prepare_v3(connection.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &prepared, nullptr));
    handle_.reset(prepared);
}

void Statement::Finalize::operator()(sqlite3_stmt* handle) const
{
    sqlite3_finalize(handle);
}

Statement& Statement::bind(int index, std::int64_t number)
{
    connection_.check(sqlite3_bind_int64(handle_.get(), index, number));
    return *this;
}

Statement& Statement::bind(int index, std::string_view text)
{
    const char* data = text.data() ? text.data() : "";  // null would mean NULL
    connection_.check(sqlite3_bind_text64(handle_.get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind(int index, std::span<const std::uint8_t> bytes)
{
    connection_.check(sqlite3_bind_blob64(handle_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC));
    return *this;
}

Statement& Statement::bind_null(int index)
{
    connection_.check(sqlite3_bind_null(handle_.get(), index));
    return *this;
}

bool Statement::step()
{
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) connection_.fail(code);
    sqlite3_reset(handle_.get());
    return false;
}

void Statement::run()
{
    while (step()) {}
}

void Statement::reset() noexcept
{
    sqlite3_reset(handle_.get());
}

bool Statement::is_null(int column) const
{
    return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::number(int column) const
{
    return sqlite3_column_int64(handle_.get(), column);
}

std::string_view Statement::text(int column) const
{
    const auto all = bytes(column);
    return {reinterpret_cast<const char*>(all.data()), all.size()};
}

std::span<const std::uint8_t> Statement::bytes(int column) const
{
    const void* data = sqlite3_column_blob(handle_.get(), column);
    return {static_cast<const std::uint8_t*>(data),
            static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

}  // namespace cadre::storage
