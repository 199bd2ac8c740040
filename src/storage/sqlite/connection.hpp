// SQLite, thinly: a connection and its prepared statements. Every failure is an Error that names the file and says what to
// do; one of the disk or the file itself is never tried again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace cadre::storage {

enum class Access { read_only, read_write };

/// Used by one thread at a time.
class Connection {
public:
    /// The file exists already. `vfs` names one that tests have registered; empty: the system's.
    Connection(const std::filesystem::path& file, Access access, const std::string& vfs);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void execute(const std::string& sql);
    /// The first column of the first row, as a number or as text.
    std::int64_t number(const std::string& sql);
    std::string text(const std::string& sql);

    std::int64_t last_row() const;
    std::int64_t changed_rows() const;

    /// How many pages the WAL holds since its start, as of the last commit.
    int wal_pages() const { return wal_pages_; }
    /// Copies the WAL into the database. False: readers kept it from coming to the end.
    bool checkpoint();
    /// The same, and leaves an empty WAL behind if no reader is in the way.
    void checkpoint_and_truncate();
    /// Whoever closes last then removes the WAL, and SQLite checkpoints it before.
    void remove_log_on_close();

    sqlite3* get() const { return handle_.get(); }
    const std::filesystem::path& file() const { return file_; }
    /// Throws what SQLite's result code means for this file.
    [[noreturn]] void fail(int code) const;
    void check(int code) const;

private:
    struct Close {
        void operator()(sqlite3* handle) const;
    };

    std::filesystem::path file_;
    std::unique_ptr<sqlite3, Close> handle_;
    int wal_pages_ = 0;
};

/// A prepared statement. Bound texts are not copied: they live until it has been stepped and reset.
class Statement {
public:
    Statement(Connection& connection, std::string_view sql);

    Statement& bind(int index, std::int64_t number);
    Statement& bind(int index, std::string_view text);
    Statement& bind(int index, std::span<const std::uint8_t> bytes);
    Statement& bind_null(int index);

    /// False when there is no further row; then the statement is ready to be used again.
    bool step();
    /// For statements without rows.
    void run();
    void reset() noexcept;

    bool is_null(int column) const;
    std::int64_t number(int column) const;
    std::string_view text(int column) const;  // until the next step
    std::span<const std::uint8_t> bytes(int column) const;

private:
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const;
    };

    Connection& connection_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// Resets a statement that may be left before its last row.
class Rows {
public:
    explicit Rows(Statement& statement) : statement_(statement) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() { statement_.reset(); }

private:
    Statement& statement_;
};

}  // namespace cadre::storage
