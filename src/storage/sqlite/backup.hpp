// A copy of a journal as it was at one moment, made while its owner goes on writing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cadre::storage {

struct JournalCopy {
    std::uint64_t tasks = 0;
    std::uint64_t records = 0;
    std::vector<std::string> problems{};  // what could not be copied, because it is damaged
};

/// Copies `cadre.db` and the blobs that it names from the folder into another, which is there and has neither. Durable when it returns. Throws
/// Error(not_found) when there is no journal, Error(unavailable) when it cannot be read or written.
JournalCopy copy_journal(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace cadre::storage
