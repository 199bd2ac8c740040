#include "sim/sim_store.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "storage/listing.hpp"

#include <algorithm>
#include <utility>

namespace cadre::sim {

using storage::Append;
using storage::AppendResult;
using storage::Backchannel;
using storage::Document;
using storage::Record;
using storage::TaskEntry;

namespace {

std::exception_ptr unavailable(const char* what)
{
    return std::make_exception_ptr(Error(Code::unavailable, what));
}

}  // namespace

SimStore::SimStore(Disk& disk, Loop& machine, std::string owner, StoreFaults faults, Chance& chance,
                   StoreCounts& counts)
    : disk_(disk), machine_(machine), owner_(std::move(owner)), faults_(faults), chance_(chance), counts_(counts)
{}

SimStore::~SimStore() = default;

// ---- writing ----

std::unique_ptr<storage::Port> SimStore::open_port(Loop& loop)
{
    return std::make_unique<storage::PortBase>(loop, static_cast<storage::Intake&>(*this));
}

std::exception_ptr SimStore::take(const std::shared_ptr<Backchannel>& channel, std::vector<Append>& appends)
{
    if (crashed_) return nullptr;  // nobody hears, nothing is written
    if (stopped_) return stopped_;
    if (chance_.one_in(faults_.refusal)) {
        ++counts_.refusals;
        return std::make_exception_ptr(Error(Code::rate_limited, "too much waits to be written"));
    }
    for (Append& append : appends) queue_.push_back({channel, std::move(append)});
    if (!std::exchange(writing_, true)) machine_.start(committing_, later(machine_.now(), commit_time()));
    return nullptr;
}

Millis SimStore::commit_time()
{
    if (chance_.one_in(faults_.slow_commit)) return chance_.between(Millis{0}, faults_.slow_latest);
    return chance_.between(Millis{0}, faults_.commit_latest);
}

/// Everything that is queued, at once.
void SimStore::commit()
{
    writing_ = false;
    std::vector<Queued> batch = std::exchange(queue_, {});
    if (chance_.one_in(faults_.ambiguous_commit)) {
        ++counts_.ambiguous_commits;
        return fail("the commit may or may not have happened", batch, batch.size());
    }
    if (chance_.one_in(faults_.fsync_error)) {
        ++counts_.fsync_errors;
        return fail("fsync failed", batch, chance_.below(batch.size() + 1));
    }
    for (Queued& queued : batch) {
        if (queued.channel->refuses(queued.append)) continue;
        results_.push_back({queued.channel, apply(queued)});
    }
    machine_.start(telling_, later(machine_.now(), chance_.between(Millis{0}, Millis{1})));
}

AppendResult SimStore::apply(Queued& queued)
{
    Append& append = queued.append;
    AppendResult result{append.slot, append.generation, append.record.seq};
    std::optional<TaskEntry> entry;
    if (append.entry) entry = std::move(*append.entry);
    result.error = disk_.write(owner_, std::move(append.record), std::move(entry));
    if (result.error) queued.channel->refuse(append);
    return result;
}

/// The acknowledgements, a while after the commit.
void SimStore::tell()
{
    const auto told = std::exchange(results_, {});
    for (const Told& one : told) Backchannel::report(one.channel, {one.result});
}

void SimStore::fail(const char* what, std::vector<Queued>& batch, std::size_t applied)
{
    stopped_ = unavailable(what);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        Queued& queued = batch[i];
        const AppendResult refused{queued.append.slot, queued.append.generation, queued.append.record.seq, stopped_};
        if (i < applied && !queued.channel->refuses(queued.append)) apply(queued);
        Backchannel::report(queued.channel, {refused});
    }
    for (const auto& callback : std::exchange(callbacks_, {})) callback(stopped_);
}

void SimStore::crash()
{
    crashed_ = true;
    committing_.stop();
    telling_.stop();
    const std::size_t kept = stopped_ ? 0 : chance_.below(queue_.size() + 1);
    counts_.unacknowledged_kept += kept + results_.size();
    counts_.unacknowledged_lost += queue_.size() - kept;
    for (std::size_t i = 0; i < kept; ++i)
        if (!queue_[i].channel->refuses(queue_[i].append)) apply(queue_[i]);
    queue_.clear();
    results_.clear();
}

void SimStore::heal()
{
    faults_ = {.commit_latest = faults_.commit_latest, .exclusive = faults_.exclusive};
}

// ---- reading and leases ----

/// Every question waits before and after it is looked up, so that its answer may be old when it arrives.
Async<> SimStore::answer_later()
{
    if (chance_.one_in(2)) co_await yield();
    else co_await sleep_for(chance_.between(Millis{0}, Millis{2}));
}

void SimStore::check_running() const
{
    if (stopped_) std::rethrow_exception(stopped_);
}

Async<std::vector<Record>> SimStore::read(Id task, std::uint32_t from, std::size_t limit)
{
    co_await answer_later();
    if (chance_.one_in(faults_.read_error)) {
        ++counts_.read_errors;
        throw Error(Code::unavailable, "the journal could not be read just now");
    }
    if (from <= 1 && limit == SIZE_MAX) disk_.note_load(task);
    std::vector<Record> found;
    if (const Stored* stored = disk_.find(task)) {
        const auto& records = stored->records;
        const std::size_t first = std::min<std::size_t>(std::max(from, 1u) - 1, records.size());
        const std::size_t last = first + std::min(limit, records.size() - first);
        found.assign(records.begin() + static_cast<std::ptrdiff_t>(first),
                     records.begin() + static_cast<std::ptrdiff_t>(last));
    }
    co_await answer_later();
    co_return found;
}

std::vector<TaskEntry> SimStore::entries() const
{
    std::vector<TaskEntry> found;
    for (const auto& [id, stored] : disk_.tasks())
        if (stored.entry) found.push_back(*stored.entry);
    return found;
}

Async<std::vector<TaskEntry>> SimStore::tasks(storage::TaskQuery query)
{
    co_await answer_later();
    co_return storage::listed(entries(), query);
}

Async<std::vector<storage::SessionSummary>> SimStore::sessions(storage::SessionQuery query)
{
    co_await answer_later();
    auto found = storage::sessions_among(entries(), query);
    co_await answer_later();
    co_return found;
}

Async<std::optional<TaskEntry>> SimStore::find_task(Id task)
{
    co_await answer_later();
    const Stored* stored = disk_.find(task);
    const auto entry = stored ? stored->entry : std::nullopt;
    co_await answer_later();
    co_return entry;
}

Async<> SimStore::put(Document document)
{
    co_await answer_later();
    check_running();
    auto key = std::pair(document.kind, document.key);
    disk_.documents.insert_or_assign(std::move(key), std::move(document));
    co_await answer_later();
}

Async<> SimStore::put_all(std::vector<Document> documents, std::vector<storage::DocumentName> removed)
{
    co_await answer_later();
    check_running();
    for (Document& document : documents) {
        auto key = std::pair(document.kind, document.key);
        disk_.documents.insert_or_assign(std::move(key), std::move(document));
    }
    for (const storage::DocumentName& name : removed) disk_.documents.erase({name.kind, name.key});
    co_await answer_later();
}

Async<std::optional<Document>> SimStore::find(std::string kind, std::string key)
{
    co_await answer_later();
    const auto found = disk_.documents.find({kind, key});
    co_return found == disk_.documents.end() ? std::nullopt : std::optional(found->second);
}

Async<std::vector<Document>> SimStore::list(std::string kind, std::string key_prefix, std::size_t limit)
{
    std::vector<Document> found;
    for (const auto& [key, document] : disk_.documents)
        if (key.first == kind && key.second.starts_with(key_prefix) && found.size() < limit) found.push_back(document);
    co_return found;
}

Async<bool> SimStore::remove(std::string kind, std::string key)
{
    check_running();
    co_return disk_.documents.erase({kind, key}) > 0;
}

Async<std::vector<storage::JournalSize>> SimStore::sizes(std::vector<Id>)
{
    throw Error(Code::internal, "nothing in the simulation asks for sizes");
    co_return std::vector<storage::JournalSize>{};
}

Async<storage::JournalSize> SimStore::purge(std::vector<storage::Purge>)
{
    throw Error(Code::internal, "nothing in the simulation is removed: its checker wants whole journals");
    co_return storage::JournalSize{};
}

Async<storage::Lease> SimStore::acquire(Id task, std::string owner, Millis duration)
{
    co_await answer_later();
    check_running();
    const auto lease = disk_.acquire(task, owner, duration, faults_.exclusive);
    co_await answer_later();
    co_return lease;
}

Async<storage::Lease> SimStore::renew(Id task, std::string owner, std::uint32_t epoch, Millis duration)
{
    co_await answer_later();
    check_running();
    co_return disk_.renew(task, owner, epoch, duration);
}

Async<> SimStore::release(Id task, std::string owner, std::uint32_t epoch)
{
    co_await answer_later();
    disk_.release(task, owner, epoch);
}

void SimStore::on_stopped(std::function<void(const std::exception_ptr&)> callback)
{
    if (stopped_) return callback(stopped_);
    callbacks_.push_back(std::move(callback));
}

}  // namespace cadre::sim
