// HomeLock: one process owns the home folder at a time.
#pragma once

#include "storage/files.hpp"

#include <filesystem>
#include <optional>

namespace cadre::storage {

/// Held until it dies, or the process does, however it ends: the kernel keeps it (flock on `lock` in the folder).
class HomeLock {
public:
    /// Nothing when somebody has it already, this process included. Makes the folder (0700) if it is missing.
    static std::optional<HomeLock> try_acquire(const std::filesystem::path& folder);

    HomeLock(HomeLock&&) = default;
    HomeLock& operator=(HomeLock&&) = default;
    ~HomeLock();

private:
    explicit HomeLock(Descriptor file) : file_(std::move(file)) {}

    Descriptor file_;
};

/// Who has the home, for the message to those who cannot have it. Asked after try_acquire was refused; nothing when the
/// owner has just gone.
std::optional<int> owner_pid(const std::filesystem::path& folder);

}  // namespace cadre::storage
