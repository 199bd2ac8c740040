// SqliteStore: the journal in a folder, for one owner at a time. `cadre.db` (WAL, synchronous=FULL) and `blobs/`.
#pragma once

#include "storage/sqlite/database.hpp"
#include "storage/store.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cadre::storage {

/// Its stores die after the coroutines that use them and before the loops those ran on. Dying, one commits what is queued and
/// leaves the database without a log.
class SqliteStore {
public:
    /// The caller holds the folder's HomeLock, or is alone with it. Makes what is missing; raises the epoch, so that whoever
    /// had it before can write no more. Throws Error(unavailable): see open_database().
    static std::unique_ptr<Store> open(const std::filesystem::path& folder, const SqliteOptions& options = {});

    /// For other processes, while the owner lives or not: reads only, and refuses the rest with Error(unavailable). Throws
    /// Error(not_found) when there is no journal yet.
    static std::unique_ptr<Store> open_read_only(const std::filesystem::path& folder,
                                                 const SqliteOptions& options = {});

    /// What is wrong with the file itself, in SQLite's words; empty when it is whole. Reads all of it, on the calling thread.
    /// It finds what a journal cannot show: an index in which a whole task is missing. Throws like open_read_only().
    static std::vector<std::string> check(const std::filesystem::path& folder);
};

}  // namespace cadre::storage
