// A copy of a home: everything that is in it, as another folder that is a home itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cadre::home {

struct BackedUp {
    std::filesystem::path folder{};
    std::uint64_t tasks = 0;
    std::uint64_t records = 0;
    std::uint64_t files = 0;              // beside the journal
    std::vector<std::string> problems{};  // what could not be copied
};

/// Its owner may be at work. The folder is there when all of it is, and is not there before; it must not lie in the home. Throws
/// Error(conflict) when there is something in it already.
BackedUp back_up(const std::filesystem::path& home, const std::filesystem::path& folder);

struct Saved {
    std::filesystem::path folder{};
    std::uint64_t tasks = 0;
    std::uint64_t records = 0;
    std::vector<std::string> lost{};  // what could not be saved
};

/// What can be read of a damaged home, as a home in that folder; the damaged one stays as it is. A task that has lost its end, or may have,
/// is ended there: what it did since is not known, so it must not be resumed. The same folders are refused as for a backup.
Saved salvage(const std::filesystem::path& home, const std::filesystem::path& folder);

}  // namespace cadre::home
