#include "storage/sqlite/backup.hpp"

#include "base/error.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/blobs.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/sqlite/wal_check.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

/// A collection may remove what is being copied; then all is copied again.
constexpr int kMostTries = 5;

struct Finish {
    void operator()(sqlite3_backup* copying) const { sqlite3_backup_finish(copying); }
};

/// All pages in one step: they are of one moment, whatever is committed meanwhile.
void copy_pages(Connection& from, const fs::path& to)
{
    make_private_file(to);
    Connection copy(to, Access::read_write, "");
    std::unique_ptr<sqlite3_backup, Finish> copying(sqlite3_backup_init(copy.get(), "main", from.get(), "main"));
    if (!copying) copy.fail(sqlite3_errcode(copy.get()));
    const int code = sqlite3_backup_step(copying.get(), -1);
    if (code != SQLITE_DONE) from.fail(code);
    copy.check(sqlite3_backup_finish(copying.release()));
    copy.execute("PRAGMA journal_mode=DELETE");  // one file, with nothing beside it
}

bool still_names(const fs::path& folder, const Hash& hash)
{
    const auto connection = open_database_read_only(folder, {});
    Statement find(*connection, "SELECT 1 FROM record WHERE blob = ?1 LIMIT 1");
    find.bind(1, hash);
    return find.step();
}

/// Nothing: a task went meanwhile, and its blobs with it.
std::optional<JournalCopy> try_copy(const fs::path& from, const fs::path& to)
{
    const fs::path file = database_file(to);
    copy_pages(*open_database_read_only(from, {}), file);
    JournalCopy done;
    Connection copy(file, Access::read_only, "");
    done.tasks = static_cast<std::uint64_t>(copy.number("SELECT count(*) FROM task WHERE created_at IS NOT NULL"));
    done.records = static_cast<std::uint64_t>(copy.number("SELECT count(*) FROM record"));
    const BlobFolder source(from / "blobs"), target(to / "blobs");
    Statement blobs(copy, "SELECT DISTINCT blob, size FROM record WHERE blob IS NOT NULL");
    while (blobs.step()) {
        Blob blob{.size = static_cast<std::size_t>(blobs.number(1))};
        const auto bytes = blobs.bytes(0);
        if (bytes.size() != blob.hash.size()) continue;  // verify names it
        std::ranges::copy(bytes, blob.hash.begin());
        try {
            target.write(source.read(blob));
        } catch (const Error& error) {
            if (!still_names(from, blob.hash)) return std::nullopt;
            done.problems.emplace_back(error.what());
        }
    }
    return done;
}

}  // namespace

JournalCopy copy_journal(const fs::path& from, const fs::path& to)
{
    check_wal(database_file(from));
    for (int i = 0; i < kMostTries; ++i) {
        if (auto done = try_copy(from, to)) {
            sync_folder(to);
            return *done;
        }
        fs::remove(database_file(to));
    }
    throw Error(Code::unavailable, "tasks are being removed all the time; try again when that is over");
}

}  // namespace cadre::storage
