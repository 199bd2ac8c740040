// What every backend asks of an append.
#pragma once

#include "storage/record.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

namespace cadre::storage {

/// Where the journal of a task ends.
struct Tail {
    std::uint32_t seq = 0;
    Hash hash = kGenesis;
};

/// A body that is kept elsewhere.
struct Blob {
    Hash hash{};
    std::size_t size = 0;
};

/// Nothing if `record` may stand behind `tail` and was written under the task's epoch; else the Error(conflict) for its
/// receipt. The chain is checked too: it costs little, and a broken one in the journal could never be repaired. `blob`
/// stands in for the body, where that is not at hand.
std::exception_ptr why_not(const Record& record, const Tail& tail, std::uint32_t epoch, const Blob* blob = nullptr);

/// Throws Error(unavailable), `journal_too_new`, for a record that a newer release has written.
void refuse_newer(const Record& record);

/// Throws Error(conflict) unless the task has ended: what goes on keeps its journal.
void refuse_open(const Id& task, const std::optional<TaskEntry>& entry);

}  // namespace cadre::storage
