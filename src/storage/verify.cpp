#include "storage/verify.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <span>

namespace cadre::storage {

namespace {

std::vector<JournalProblem> problems_in(const Record* previous, std::span<const Record> records)
{
    std::vector<JournalProblem> problems;
    const Record& first = previous->seq > 0 || records.empty() ? *previous : records.front();
    for (const Record& record : records) {
        const auto wrong = [&](std::string text) { problems.push_back({record.seq, std::move(text)}); };

        if (record.version > kFormat)
            wrong(fmt::format("its format {} is newer than {}, the newest that this release reads", record.version,
                              kFormat));
        if (record.seq != previous->seq + 1)
            wrong(fmt::format("expected record {}, found record {}", previous->seq + 1, record.seq));
        if (record.epoch < previous->epoch)
            wrong(fmt::format("its epoch {} is lower than {}, that of the record before it", record.epoch,
                              previous->epoch));
        if (record.event_seq < previous->event_seq)
            wrong(fmt::format("its event number {} is lower than {}, that of the record before it", record.event_seq,
                              previous->event_seq));
        if (record.task != first.task) wrong("belongs to another task: " + to_string(record.task));
        if (record.tenant != first.tenant) wrong("belongs to another tenant: " + record.tenant);
        // the stored hash is what the next one is held against, so that one damaged record is one problem
        if (record.hash != chain_hash(record, previous->hash))
            wrong("its content and the record before it do not give its hash: one of them was changed");
        previous = &record;
    }
    return problems;
}

void expect_none(const std::vector<JournalProblem>& problems, const std::vector<Record>& records)
{
    if (problems.empty()) return;
    throw Error(Code::unavailable, "task " + to_string(records.front().task) +
                                       " is quarantined, its journal is damaged: " + problems.front().text);
}

}  // namespace

std::vector<JournalProblem> verify(const std::vector<Record>& records)
{
    const Record before{};  // what the first record follows
    return problems_in(&before, records);
}

std::vector<JournalProblem> verify_after(const std::vector<Record>& records)
{
    if (records.empty()) return {};
    return problems_in(&records.front(), std::span(records).subspan(1));
}

void expect_intact(const std::vector<Record>& records)
{
    expect_none(verify(records), records);
}

void expect_intact_after(const std::vector<Record>& records)
{
    expect_none(verify_after(records), records);
}

}  // namespace cadre::storage
