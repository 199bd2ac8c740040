// Disk: what survives crashes: journals, the index, documents and leases of all workers. It keeps the rules of a store and
// notes when one was broken.
#pragma once

#include "storage/store.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cadre::sim {

/// One task, as it is stored.
struct Stored {
    std::vector<storage::Record> records{};
    std::optional<storage::TaskEntry> entry{};
    std::uint64_t order = 0;  // of creation
    std::uint32_t epoch = 0;  // the highest ever given
    bool leased = false;
    std::string owner{};
    Time until{};
};

/// Lives longer than all workers.
class Disk {
public:
    /// `clock`, and who hears of broken rules, outlive it.
    Disk(const Clock& clock, std::function<void(const std::string&)> report) : clock_(clock), report_(std::move(report))
    {}

    /// One record and its index entry, or why not.
    std::exception_ptr write(const std::string& owner, storage::Record record, std::optional<storage::TaskEntry> entry);
    /// Null: there is no such task.
    const Stored* find(const Id& task) const;
    const std::map<Id, Stored>& tasks() const { return tasks_; }

    /// With `exclusive`, the machine lets one process in at a time: it takes what it wants, and keeps one epoch.
    storage::Lease acquire(const Id& task, const std::string& owner, Millis duration, bool exclusive);
    storage::Lease renew(const Id& task, const std::string& owner, std::uint32_t epoch, Millis duration);
    void release(const Id& task, const std::string& owner, std::uint32_t epoch);

    /// A whole journal is read. A task that is brought into memory again and again has a worker spinning.
    void note_load(const Id& task);

    std::map<std::pair<std::string, std::string>, storage::Document> documents;
    std::uint64_t fenced = 0;  // appends that were refused because another owner had the task
    std::uint64_t trace = 0;   // of everything that was written, in order

private:
    const Clock& clock_;
    std::function<void(const std::string&)> report_;
    std::map<Id, Stored> tasks_;
    struct Loads {
        Time since{};
        int count = 0;
    };
    std::map<Id, Loads> loads_;
};

}  // namespace cadre::sim
