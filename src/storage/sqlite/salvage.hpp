// What can still be read of a damaged journal, written into a new one. Pages that are damaged cost the tasks that lie on them.
#pragma once

#include "storage/store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace cadre::storage {

/// One task as far as it can be read: its first records, without a gap, and their chain is whole.
struct Salvaged {
    std::vector<Record> records{};
    TaskEntry entry{};
    bool is_cut = false;  // its end is missing, or perhaps: then whoever writes it down ends it
};

struct SalvageReport {
    std::uint64_t tasks = 0;
    std::uint64_t records = 0;
    std::vector<std::string> lost{};  // what could not be saved, in words
};

/// Completes a task that has lost its end: adds the records that end it, and makes its entry. False: nothing can be made of it.
using Complete = std::function<bool(Salvaged& task)>;

/// Reads the journal in `from`, changing nothing there, and writes what is left of it into `to`, a folder without one. Throws Error(not_found)
/// when there is no journal, Error(unavailable) when nothing of it can be read.
SalvageReport salvage_journal(const std::filesystem::path& from, const std::filesystem::path& to,
                              const Complete& complete);

}  // namespace cadre::storage
