// A disk that fails on command: a VFS over the system's, for tests.
#pragma once

#include <atomic>

namespace cadre::storage {

/// Registered with SQLite under `kFaultyVfs` by the first use.
class FaultyVfs {
public:
    static FaultyVfs& get();

    /// The next `skip` syncs, or writes, succeed, and all after them fail; -1: none fail.
    std::atomic<int> syncs_left{-1};
    std::atomic<int> writes_left{-1};
    std::atomic<int> syncs_seen{0};

    void heal()
    {
        syncs_left = writes_left = -1;
        syncs_seen = 0;
    }

private:
    FaultyVfs();
};

inline constexpr const char* kFaultyVfs = "faulty";

}  // namespace cadre::storage
