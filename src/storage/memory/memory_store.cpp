#include "storage/memory/memory_store.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "storage/follow.hpp"
#include "storage/id_hash.hpp"
#include "storage/listing.hpp"
#include "storage/port.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace cadre::storage {

namespace {

struct Journal {
    std::vector<Record> records{};
    std::optional<TaskEntry> entry{};
    std::uint32_t epoch = 0;  // the highest ever given
    bool leased = false;      // false after release: then nobody may append
    std::string owner{};
    Time until{};
};

JournalSize size_of(const Journal& journal)
{
    JournalSize size{.records = journal.records.size()};
    for (const Record& record : journal.records) size.bytes += record.path.size() + record.body.size();
    return size;
}

}  // namespace

struct MemoryStore::Impl final : DirectIntake {
    explicit Impl(MemoryOptions o) : options(o) {}

    std::exception_ptr take(const std::shared_ptr<Backchannel>& channel, std::vector<Append>& appends) override;
    std::exception_ptr write(Record&& record, std::optional<TaskEntry>&& entry) override;

    Time now() const { return (options.clock ? *options.clock : system_clock()).now(); }
    Time after(Millis duration) const;
    std::vector<TaskEntry> entries();
    void check_running() const
    {
        if (stopped) std::rethrow_exception(stopped);
    }

    MemoryOptions options;
    std::mutex mutex;  // of everything below
    std::unordered_map<Id, Journal, IdHash> journals;
    std::map<std::pair<std::string, std::string>, Document> documents;
    std::exception_ptr stopped;
    std::vector<std::function<void(const std::exception_ptr&)>> callbacks;
};

std::exception_ptr MemoryStore::Impl::write(Record&& record, std::optional<TaskEntry>&& entry)
{
    const std::lock_guard lock(mutex);
    if (stopped) return stopped;
    if (options.discard) return nullptr;
    Journal& journal = journals[record.task];
    if (journal.epoch > 0 && !journal.leased)
        return std::make_exception_ptr(Error(Code::conflict, "no process holds the task " + to_string(record.task)));
    Tail tail;
    if (!journal.records.empty()) tail = {journal.records.back().seq, journal.records.back().hash};
    if (auto error = why_not(record, tail, journal.epoch)) return error;
    journal.records.push_back(std::move(record));
    if (entry) journal.entry = std::move(entry);
    return nullptr;
}

std::exception_ptr MemoryStore::Impl::take(const std::shared_ptr<Backchannel>& channel, std::vector<Append>& appends)
{
    std::vector<AppendResult> results;
    for (Append& append : appends) {
        if (channel->refuses(append)) continue;
        std::optional<TaskEntry> entry;
        if (append.entry) entry = std::move(*append.entry);
        AppendResult item{append.slot, append.generation, append.record.seq};
        item.error = write(std::move(append.record), std::move(entry));
        if (item.error) channel->refuse(append);
        results.push_back(std::move(item));
    }
    Backchannel::report(channel, std::move(results));
    return nullptr;
}

std::vector<TaskEntry> MemoryStore::Impl::entries()
{
    const std::lock_guard lock(mutex);
    std::vector<TaskEntry> found;
    for (const auto& [id, journal] : journals)
        if (journal.entry) found.push_back(*journal.entry);
    return found;
}

/// So that Millis::max() means "for ever".
Time MemoryStore::Impl::after(Millis duration) const
{
    const Time start = now();
    return duration > Time::max() - start ? Time::max() : start + duration;
}

MemoryStore::MemoryStore(MemoryOptions options) : impl_(std::make_unique<Impl>(options))
{}

MemoryStore::~MemoryStore() = default;

std::unique_ptr<Port> MemoryStore::open_port(Loop& loop)
{
    if (impl_->options.deferred) return std::make_unique<PortBase>(loop, static_cast<Intake&>(*impl_));
    return std::make_unique<PortBase>(loop, static_cast<DirectIntake&>(*impl_));
}

Async<std::vector<Record>> MemoryStore::read(Id task, std::uint32_t from, std::size_t limit)
{
    const std::lock_guard lock(impl_->mutex);
    std::vector<Record> found;
    const auto journal = impl_->journals.find(task);
    if (journal == impl_->journals.end()) co_return found;
    const auto& records = journal->second.records;
    const std::size_t first = std::min<std::size_t>(std::max(from, 1u) - 1, records.size());
    const std::size_t last = first + std::min(limit, records.size() - first);
    for (std::size_t i = first; i < last; ++i) {
        refuse_newer(records[i]);
        found.push_back(records[i]);
    }
    co_return found;
}

Async<std::vector<TaskEntry>> MemoryStore::tasks(TaskQuery query)
{
    co_return listed(impl_->entries(), query);
}

Async<std::vector<SessionSummary>> MemoryStore::sessions(SessionQuery query)
{
    co_return sessions_among(impl_->entries(), query);
}

Async<std::optional<TaskEntry>> MemoryStore::find_task(Id task)
{
    const std::lock_guard lock(impl_->mutex);
    const auto found = impl_->journals.find(task);
    co_return found == impl_->journals.end() ? std::nullopt : found->second.entry;
}

Async<> MemoryStore::put(Document document)
{
    const std::lock_guard lock(impl_->mutex);
    impl_->check_running();
    auto key = std::pair(document.kind, document.key);
    impl_->documents.insert_or_assign(std::move(key), std::move(document));
    co_return;
}

Async<> MemoryStore::put_all(std::vector<Document> documents, std::vector<DocumentName> removed)
{
    const std::lock_guard lock(impl_->mutex);
    impl_->check_running();
    for (Document& document : documents) {
        auto key = std::pair(document.kind, document.key);
        impl_->documents.insert_or_assign(std::move(key), std::move(document));
    }
    for (const DocumentName& name : removed) impl_->documents.erase({name.kind, name.key});
    co_return;
}

Async<std::optional<Document>> MemoryStore::find(std::string kind, std::string key)
{
    const std::lock_guard lock(impl_->mutex);
    const auto found = impl_->documents.find({kind, key});
    co_return found == impl_->documents.end() ? std::nullopt : std::optional(found->second);
}

Async<std::vector<Document>> MemoryStore::list(std::string kind, std::string key_prefix, std::size_t limit)
{
    const std::lock_guard lock(impl_->mutex);
    std::vector<Document> found;
    for (auto at = impl_->documents.lower_bound({kind, key_prefix}); at != impl_->documents.end(); ++at) {
        if (found.size() >= limit || at->first.first != kind || !at->first.second.starts_with(key_prefix)) break;
        found.push_back(at->second);
    }
    co_return found;
}

Async<bool> MemoryStore::remove(std::string kind, std::string key)
{
    const std::lock_guard lock(impl_->mutex);
    impl_->check_running();
    co_return impl_->documents.erase({kind, key}) > 0;
}

Async<std::vector<JournalSize>> MemoryStore::sizes(std::vector<Id> tasks)
{
    const std::lock_guard lock(impl_->mutex);
    std::vector<JournalSize> sizes;
    for (const Id& task : tasks) {
        const auto journal = impl_->journals.find(task);
        sizes.push_back(journal == impl_->journals.end() ? JournalSize{} : size_of(journal->second));
    }
    co_return sizes;
}

Async<JournalSize> MemoryStore::purge(std::vector<Purge> tasks)
{
    const std::lock_guard lock(impl_->mutex);
    impl_->check_running();
    for (const Purge& purge : tasks) {
        const auto journal = impl_->journals.find(purge.task);
        if (journal != impl_->journals.end()) refuse_open(purge.task, journal->second.entry);
    }
    JournalSize gone;
    for (Purge& purge : tasks) {
        const auto journal = impl_->journals.find(purge.task);
        if (journal == impl_->journals.end()) continue;
        gone += size_of(journal->second);
        journal->second.records.clear();
        if (purge.rest) journal->second.entry = std::move(purge.rest);
        else impl_->journals.erase(journal);
    }
    co_return gone;
}

Async<Lease> MemoryStore::acquire(Id task, std::string owner, Millis duration)
{
    const std::lock_guard lock(impl_->mutex);
    impl_->check_running();
    Journal& journal = impl_->journals[task];
    if (journal.leased && journal.owner != owner && impl_->now() < journal.until)
        throw Error(Code::conflict, fmt::format("{} holds the task {}", journal.owner, to_string(task)));
    journal.leased = true;
    journal.owner = std::move(owner);
    journal.until = impl_->after(duration);
    co_return Lease{.epoch = ++journal.epoch, .until = journal.until};
}

Async<Lease> MemoryStore::renew(Id task, std::string owner, std::uint32_t epoch, Millis duration)
{
    const std::lock_guard lock(impl_->mutex);
    impl_->check_running();
    Journal& journal = impl_->journals[task];
    if (!journal.leased || journal.owner != owner || journal.epoch != epoch)
        throw Error(Code::conflict, fmt::format("{} no longer holds the task {}", owner, to_string(task)));
    journal.until = impl_->after(duration);
    co_return Lease{.epoch = epoch, .until = journal.until};
}

Async<> MemoryStore::release(Id task, std::string owner, std::uint32_t epoch)
{
    const std::lock_guard lock(impl_->mutex);
    Journal& journal = impl_->journals[task];
    if (journal.owner == owner && journal.epoch == epoch) journal.leased = false;  // else it is another's by now
    co_return;
}

void MemoryStore::on_stopped(std::function<void(const std::exception_ptr&)> callback)
{
    std::exception_ptr already;
    {
        const std::lock_guard lock(impl_->mutex);
        already = impl_->stopped;
        if (!already) impl_->callbacks.push_back(std::move(callback));
    }
    if (already) callback(already);
}

void MemoryStore::stop(const std::exception_ptr& error)
{
    std::vector<std::function<void(const std::exception_ptr&)>> callbacks;
    {
        const std::lock_guard lock(impl_->mutex);
        if (impl_->stopped) return;
        impl_->stopped = error;
        callbacks.swap(impl_->callbacks);
    }
    for (const auto& callback : callbacks) callback(error);
}

}  // namespace cadre::storage
