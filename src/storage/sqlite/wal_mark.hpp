// How much of the write-ahead log was acknowledged, beside it: SQLite believes a log up to its first damaged frame, and that its last
// commit was damaged, or all of it is gone, cannot be told from the log itself.
//
// The mark is written after each commit, when that is on the disk, and is not synced: a killed process leaves it exact, a power cut leaves
// it behind the log. It never runs ahead, so what it says was there, was.
#pragma once

#include "storage/files.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cadre::storage {

struct WalMark {
    std::uint32_t salts[2] = {};  // of the log: SQLite counts the first one up whenever it begins the log again
    std::uint32_t frames = 0;     // 0: the log need not be there

    bool operator==(const WalMark&) const = default;
};

/// Nothing when there is none, or it is damaged itself.
std::optional<WalMark> find_mark(const std::filesystem::path& database);

/// The owner's end. Used by one thread.
class WalMarker {
public:
    explicit WalMarker(const std::filesystem::path& database);

    /// So many frames of the log are on the disk. Where that cannot be noted, an older mark is as true.
    void set(int frames) noexcept;
    /// All that the log holds was checked, or is in the database: it may go. Durable.
    void clear();

private:
    bool write(const WalMark& mark) noexcept;

    std::filesystem::path database_;
    std::filesystem::path log_;
    std::filesystem::path path_;
    Descriptor file_;
    WalMark mark_;
};

}  // namespace cadre::storage
