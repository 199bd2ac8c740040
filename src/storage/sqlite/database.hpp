// The database file: its format, how it is made, and who may open it.
#pragma once

#include "storage/sqlite/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cadre::storage {

struct SqliteOptions {
    std::size_t readers = 2;      // threads that read, each with its own connection; 0: the caller's own does
    int checkpoint_pages = 1000;  // of the WAL, before it is copied into the database: more make commits wait longer
    std::size_t queue_bytes = 256 << 20;  // what may wait to be written before more is refused with Code::rate_limited
    std::string vfs{};                    // tests only: SQLite's way to the disk
};

/// "Cadr": tells our files from other programs'.
inline constexpr std::int32_t kApplicationId = 0x43616472;
/// Of tables and files; a release opens its own and older ones. It is changed outside the WAL, so that the first page of
/// the file tells it to releases that must not touch the rest.
inline constexpr std::int32_t kStoreFormat = 1;

/// The run of records that a record stands in: how the index of records is ordered, see kTables.
inline std::int64_t run_of(std::int64_t seq)
{
    return seq >> 6;
}

/// Number and bytes of the records of task ?2 in run ?1. length() of a text counts characters.
inline constexpr std::string_view kMeasure =
    "SELECT count(*), sum(length(CAST(path AS BLOB)) + coalesce(size, length(CAST(body AS BLOB)))) FROM record WHERE "
    "seq >> 6 = ?1 AND task = ?2";

/// Whether `task` has the columns that it did not have from the beginning: `turn` and `created_by`.
bool has_later_columns(Connection& connection);
/// Where releases without the column kept the number of a task's turn: SQL.
inline constexpr std::string_view kTurnInDetail =
    "CASE WHEN json_valid(detail) THEN coalesce(json_extract(detail, '$.turn'), 0) ELSE 0 END";

std::filesystem::path database_file(const std::filesystem::path& folder);

/// Opens the database for its one writer, and makes it if it is missing. Throws Error(unavailable) without having changed a
/// byte when it is of a newer format (`journal_too_new`), another program's, or damaged where that can be seen.
std::unique_ptr<Connection> open_database(const std::filesystem::path& folder, const SqliteOptions& options);

/// Opens it for reading. Throws Error(not_found) when there is none, Error(unavailable) as above.
std::unique_ptr<Connection> open_database_read_only(const std::filesystem::path& folder, const SqliteOptions& options);

/// Makes this opener the owner: a higher epoch than all before, durable when it returns.
std::uint32_t raise_epoch(Connection& connection);

}  // namespace cadre::storage
