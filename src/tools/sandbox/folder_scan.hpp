// What is in a folder that a program writes to: how much, and what of it is new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cadre::tools {

struct FolderScan {
    /// Of a file: enough to see that it is another one, or holds something else.
    struct Mark {
        std::uint64_t inode = 0;
        std::uint64_t size = 0;
        std::int64_t changed = 0;  // nanoseconds

        bool operator==(const Mark&) const = default;
    };
    std::map<std::string, Mark> files{};  // regular ones, by their path in the folder
    std::set<std::string> folders{};      // the same way
    std::uint64_t bytes = 0;              // that all of it takes on the disk
    std::size_t entries = 0;              // of any kind
    std::uint64_t our_bytes = 0;          // of these, in places where we show the versions of files
    std::size_t our_entries = 0;
    bool is_too_deep = false;  // kMostFolderDepth was not enough: there may be more
};

/// Folders in folders; at each level one is open while we look, and we have other uses for descriptors.
inline constexpr int kMostFolderDepth = 100;

/// Follows no links. Stops after `most` entries; a folder that does not exist is empty. Blocks.
FolderScan scan_folder(const std::filesystem::path& folder, std::size_t most);

/// Paths of files that are new or differ, sorted.
std::vector<std::string> changed_files(const FolderScan& before, const FolderScan& after);

/// Removes from the folder all that was not there before. Follows no links. Blocks.
void remove_new(const std::filesystem::path& folder, const FolderScan& before) noexcept;

}  // namespace cadre::tools
