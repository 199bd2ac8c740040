#include "storage/follow.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

namespace cadre::storage {

namespace {

std::exception_ptr conflict(const Record& record, const std::string& why)
{
    return std::make_exception_ptr(
        Error(Code::conflict, fmt::format("task {}, record {}: {}", to_string(record.task), record.seq, why)));
}

}  // namespace

std::exception_ptr why_not(const Record& record, const Tail& tail, std::uint32_t epoch, const Blob* blob)
{
    if (record.epoch != epoch)
        return conflict(record, fmt::format("another owner has the task: epoch {}, not {}", epoch, record.epoch));
    if (record.seq != tail.seq + 1)
        return conflict(record, fmt::format("the journal continues with record {}", tail.seq + 1));
    const Hash expected = blob ? chain_hash(record, tail.hash, blob->size, blob->hash) : chain_hash(record, tail.hash);
    if (record.hash != expected) return conflict(record, "its hash does not follow from the record before it");
    return nullptr;
}

void refuse_newer(const Record& record)
{
    if (record.version <= kFormat) return;
    throw Error(
        Code::unavailable,
        fmt::format("journal_too_new: task {}, record {} has format {}, and this release reads up to {}. Use the "
                    "release that wrote it, or a later one",
                    to_string(record.task), record.seq, record.version, kFormat));
}

void refuse_open(const Id& task, const std::optional<TaskEntry>& entry)
{
    if (entry && !entry->open) return;
    throw Error(Code::conflict, fmt::format("task {} has not ended: its journal stays", to_string(task)));
}

}  // namespace cadre::storage
