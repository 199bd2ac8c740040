// Journals for tests.
#pragma once

#include "base/id.hpp"
#include "storage/record.hpp"

#include <string>
#include <vector>

namespace cadre::storage {

/// The record that follows `previous` in the journal of its task.
inline Record sample_after(const Record& previous, std::string body = R"({"text":"ö"})")
{
    Record next{.tenant = previous.tenant, .task = previous.task, .seq = previous.seq + 1, .body = std::move(body)};
    next.event_seq = previous.event_seq + 1;
    next.epoch = previous.epoch;
    next.at = previous.at + Millis(1);
    next.kind = next.seq == 1 ? RecordKind::created : next.seq % 2 == 0 ? RecordKind::intent : RecordKind::outcome;
    next.path = next.seq == 1 ? "" : "main/think:" + std::to_string(next.seq / 2);
    if (next.kind == RecordKind::intent) next.ask = digest_of(next.path);
    seal(next, previous.hash);
    return next;
}

/// What the first record of a journal follows.
inline Record sample_start(Id task, std::uint32_t epoch = 1)
{
    return {.tenant = "local", .task = task, .epoch = epoch, .at = Time(Millis(1767225600000))};
}

inline std::vector<Record> sample_journal(std::size_t length, Id task = new_id(), std::uint32_t epoch = 1)
{
    std::vector<Record> journal;
    Record last = sample_start(task, epoch);
    while (journal.size() < length) journal.push_back(last = sample_after(last));
    return journal;
}

}  // namespace cadre::storage
