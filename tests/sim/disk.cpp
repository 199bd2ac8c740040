#include "sim/disk.hpp"

#include "base/error.hpp"
#include "base/mutant.hpp"
#include "sim/chance.hpp"
#include "storage/follow.hpp"

#include <fmt/core.h>

namespace cadre::sim {

using storage::Record;

std::exception_ptr Disk::write(const std::string& owner, Record record, std::optional<storage::TaskEntry> entry)
{
    Stored& task = tasks_[record.task];
    if (task.order == 0) task.order = tasks_.size();
    storage::Tail tail;
    if (!task.records.empty()) tail = {task.records.back().seq, task.records.back().hash};
    const bool stale = record.epoch != task.epoch || !task.leased;
    const bool let_through = stale && is_mutant(Mutant::stale_epoch_accepted);
    if (auto error = storage::why_not(record, tail, let_through ? record.epoch : task.epoch)) {
        if (owner == task.owner)
            report_(
                fmt::format("I9 {} was refused record {} of a task that it owns itself (epoch {}, the task's is {}, "
                            "the journal ends with {})",
                            owner, record.seq, record.epoch, task.epoch, tail.seq));
        ++fenced;
        return error;
    }
    if (stale)
        report_(fmt::format("I3 record {} was committed with epoch {}, but the lease has {}", record.seq, record.epoch,
                            task.epoch));
    trace = hash_of(trace, std::string_view(reinterpret_cast<const char*>(record.hash.data()), record.hash.size()));
    task.records.push_back(std::move(record));
    if (entry) task.entry = std::move(entry);
    return nullptr;
}

void Disk::note_load(const Id& task)
{
    constexpr int kMost = 60;
    Loads& loads = loads_[task];
    if (clock_.now() - loads.since > std::chrono::seconds(1)) loads = {clock_.now(), 0};
    if (++loads.count == kMost)
        report_(fmt::format("spins: task {} is loaded {} times within a second", to_string(task), kMost));
}

const Stored* Disk::find(const Id& task) const
{
    const auto place = tasks_.find(task);
    return place == tasks_.end() ? nullptr : &place->second;
}

storage::Lease Disk::acquire(const Id& id, const std::string& owner, Millis duration, bool exclusive)
{
    Stored& task = tasks_[id];
    if (task.order == 0) task.order = tasks_.size();
    const bool same = task.leased && task.owner == owner;
    if (!exclusive && task.leased && !same && clock_.now() < task.until)
        throw Error(Code::conflict, fmt::format("{} holds the task {}", task.owner, to_string(id)));
    if (!(exclusive && same)) ++task.epoch;
    task.leased = true;
    task.owner = owner;
    task.until = clock_.now() + duration;
    return {.epoch = task.epoch, .until = task.until};
}

storage::Lease Disk::renew(const Id& id, const std::string& owner, std::uint32_t epoch, Millis duration)
{
    Stored& task = tasks_[id];
    if (!task.leased || task.owner != owner || task.epoch != epoch)
        throw Error(Code::conflict, fmt::format("{} no longer holds the task {}", owner, to_string(id)));
    task.until = clock_.now() + duration;
    return {.epoch = epoch, .until = task.until};
}

void Disk::release(const Id& id, const std::string& owner, std::uint32_t epoch)
{
    Stored& task = tasks_[id];
    if (task.owner == owner && task.epoch == epoch) task.leased = false;
}

}  // namespace cadre::sim
