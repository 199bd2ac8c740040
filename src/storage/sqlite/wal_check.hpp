// SQLite recovers a WAL up to its first damaged frame and silently drops what lies behind. After a power cut that is right:
// the last commit was never acknowledged. In the middle it would be a loss that nobody sees.
#pragma once

#include <filesystem>

namespace cadre::storage {

/// Throws Error(unavailable) if the WAL of this database has a damaged frame with whole commits behind it: those were
/// acknowledged, because each is synced before the next is written. So it does if less of the WAL is whole, or there, than its mark says was
/// acknowledged (wal_mark.hpp). Changes nothing; the owner may be writing.
void check_wal(const std::filesystem::path& database);

}  // namespace cadre::storage
