#include "storage/sqlite/faulty_vfs_fixture.hpp"

#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace cadre::storage {

namespace {

/// SQLite allocates it with room for the real file behind it.
struct FaultyFile {
    sqlite3_file base{};
    sqlite3_file* real = nullptr;
};

sqlite3_vfs* system_vfs()
{
    static sqlite3_vfs* const found = sqlite3_vfs_find("unix");
    return found;
}

sqlite3_file* real(sqlite3_file* file)
{
    return reinterpret_cast<FaultyFile*>(file)->real;
}

bool fails(std::atomic<int>& left)
{
    if (left > 0) --left;
    else return left == 0;
    return false;
}

int sync(sqlite3_file* file, int flags)
{
    FaultyVfs& vfs = FaultyVfs::get();
    ++vfs.syncs_seen;
    if (fails(vfs.syncs_left)) return SQLITE_IOERR_FSYNC;
    return real(file)->pMethods->xSync(real(file), flags);
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset)
{
    if (fails(FaultyVfs::get().writes_left)) return SQLITE_FULL;
    return real(file)->pMethods->xWrite(real(file), data, size, offset);
}

const sqlite3_io_methods& methods()
{
    static const sqlite3_io_methods all{
        .iVersion = 2,
        .xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); },
        .xRead = [](sqlite3_file* f, void* data, int size,
                    sqlite3_int64 at) { return real(f)->pMethods->xRead(real(f), data, size, at); },
        .xWrite = write,
        .xTruncate = [](sqlite3_file* f, sqlite3_int64 size) { return real(f)->pMethods->xTruncate(real(f), size); },
        .xSync = sync,
        .xFileSize = [](sqlite3_file* f, sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); },
        .xLock = [](sqlite3_file* f, int lock) { return real(f)->pMethods->xLock(real(f), lock); },
        .xUnlock = [](sqlite3_file* f, int lock) { return real(f)->pMethods->xUnlock(real(f), lock); },
        .xCheckReservedLock = [](sqlite3_file* f,
                                 int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); },
        .xFileControl = [](sqlite3_file* f, int op,
                           void* arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); },
        .xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); },
        .xDeviceCharacteristics = [](sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
        .xShmMap = [](sqlite3_file* f, int page, int size, int extend,
                      volatile void** out) { return real(f)->pMethods->xShmMap(real(f), page, size, extend, out); },
        .xShmLock = [](sqlite3_file* f, int offset, int n,
                       int flags) { return real(f)->pMethods->xShmLock(real(f), offset, n, flags); },
        .xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); },
        .xShmUnmap = [](sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); },
        .xFetch = nullptr,
        .xUnfetch = nullptr,
    };
    return all;
}

int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags)
{
    auto* faulty = new (file) FaultyFile;
    faulty->real = reinterpret_cast<sqlite3_file*>(faulty + 1);
    const int code = system_vfs()->xOpen(system_vfs(), name, faulty->real, flags, out_flags);
    if (faulty->real->pMethods) faulty->base.pMethods = &methods();
    return code;
}

}  // namespace

FaultyVfs::FaultyVfs()
{
    static sqlite3_vfs vfs = *system_vfs();
    vfs.zName = kFaultyVfs;
    vfs.szOsFile = static_cast<int>(sizeof(FaultyFile)) + system_vfs()->szOsFile;
    vfs.pNext = nullptr;
    vfs.xOpen = open;
    sqlite3_vfs_register(&vfs, 0);
}

FaultyVfs& FaultyVfs::get()
{
    static FaultyVfs only;
    return only;
}

TEST_CASE("a faulty disk refuses writes and syncs as it is told, until it is healed")
{
    FaultyVfs& disk = FaultyVfs::get();
    disk.heal();
    const TemporaryFolder folder;
    sqlite3* database = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    REQUIRE(sqlite3_open_v2((folder.path() / "x.db").c_str(), &database, flags, kFaultyVfs) == SQLITE_OK);
    const auto run = [&](const char* sql) { return sqlite3_exec(database, sql, nullptr, nullptr, nullptr); };
    disk.writes_left = 0;
    CHECK(run("create table t(a)") == SQLITE_FULL);
    disk.heal();
    CHECK(run("create table t(a)") == SQLITE_OK);
    disk.syncs_left = 0;
    CHECK(run("insert into t values(1)") == SQLITE_IOERR);
    disk.heal();
    CHECK(run("insert into t values(1)") == SQLITE_OK);
    CHECK(disk.syncs_seen > 0);
    sqlite3_close(database);
}

}  // namespace cadre::storage
