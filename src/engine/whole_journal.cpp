#include "engine/whole_journal.hpp"

#include "base/async.hpp"
#include "base/crash_point.hpp"
#include "base/error.hpp"
#include "base/signal.hpp"
#include "engine/task_state.hpp"

#include <exception>

namespace cadre::engine {

using storage::Record;

namespace {

/// So much is handed over before it is waited for: a long journal must not fill the store's queue.
constexpr std::size_t kMostRecords = 1024;
constexpr std::size_t kMostBatchBytes = 8 << 20;

class Written final : public storage::Receipt {
public:
    Async<> until(std::uint32_t seq)
    {
        while (durable_ < seq && !refused_) co_await heard_.wait();
        if (refused_) std::rethrow_exception(refused_);
    }

private:
    void durable(std::uint32_t seq) noexcept override
    {
        durable_ = seq;
        heard_.notify();
    }
    void refused(std::uint32_t, const std::exception_ptr& error) noexcept override
    {
        refused_ = error;
        heard_.notify();
    }

    std::uint32_t durable_ = 0;
    std::exception_ptr refused_;
    Signal heard_;
};

bool is_of(const Record& record, const JournalEntry& entry)
{
    return record.kind == entry.kind && record.path == entry.path && record.ask == entry.ask &&
           record.body == entry.body;
}

/// The next record; the state has it then.
Record sealed(const Journal::Owner& owner, TaskState& state, JournalEntry entry)
{
    Record record{.tenant = owner.tenant,
                  .task = owner.task,
                  .seq = state.end.seq + 1,
                  .event_seq = state.end.event_seq + static_cast<std::uint32_t>(entry.events),
                  .epoch = owner.epoch,
                  .at = entry.at,
                  .kind = entry.kind,
                  .path = std::move(entry.path),
                  .ask = entry.ask,
                  .body = std::move(entry.body)};
    storage::seal(record, state.end.hash);
    apply(state, record);
    return record;
}

}  // namespace

Async<> write_whole_journal(storage::Store& store, storage::Port& port, Time now, Journal::Owner owner,
                            std::vector<JournalEntry> entries)
{
    TaskState state;
    std::size_t there = 0;
    for (const Record& record : co_await store.read(owner.task)) {
        if (there >= entries.size() || !is_of(record, entries[there]))
            throw Error(Code::conflict,
                        "the journal of task " + to_string(owner.task) + " is there, and is another one");
        apply(state, record);
        ++there;
    }
    Written written;
    std::size_t records = 0, bytes = 0;
    for (std::size_t i = there; i < entries.size(); ++i) {
        JournalEntry& entry = entries[i];
        if (entry.at == Time{}) entry.at = now;
        Record record = sealed(owner, state, std::move(entry));
        bytes += record.body.size();
        std::optional<storage::TaskEntry> index;
        if (i + 1 == entries.size()) index = index_entry(state);
        port.append(std::move(record), written, std::move(index));
        crash_point("in_whole_journal");
        if (++records % kMostRecords != 0 && bytes < kMostBatchBytes) continue;
        bytes = 0;
        co_await written.until(state.end.seq);
    }
    if (there < entries.size()) co_await written.until(state.end.seq);
}

Async<> write_behind(storage::Port& port, Journal::Owner owner, TaskState& state, JournalEntry entry)
{
    Written written;
    Record record = sealed(owner, state, std::move(entry));
    port.append(std::move(record), written, index_entry(state));
    co_await written.until(state.end.seq);
}

}  // namespace cadre::engine
