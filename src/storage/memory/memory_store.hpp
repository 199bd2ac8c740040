// MemoryStore: a store that forgets when it dies. For tests, the simulator and runs that need no journal.
#pragma once

#include "storage/store.hpp"

#include <memory>

namespace cadre::storage {

struct MemoryOptions {
    const Clock* clock = nullptr;  // for leases; null: the machine's. Outlives the store
    bool deferred = false;         // acknowledge in a later turn, as a store with a disk does
    bool discard = false;          // acknowledge, check and keep nothing: to measure what stands above
};

/// Acknowledges inside append(), so that waiting for durability costs nothing. Several workers may have ports on it: a task
/// belongs to the one who holds its lease, and its epoch fences the others.
class MemoryStore final : public Store {
public:
    explicit MemoryStore(MemoryOptions options = {});
    ~MemoryStore() override;

    std::unique_ptr<Port> open_port(Loop& loop) override;
    Async<std::vector<Record>> read(Id task, std::uint32_t from = 1, std::size_t limit = SIZE_MAX) override;
    Async<std::vector<TaskEntry>> tasks(TaskQuery query) override;
    Async<std::optional<TaskEntry>> find_task(Id task) override;
    Async<std::vector<SessionSummary>> sessions(SessionQuery query) override;
    Async<> put(Document document) override;
    Async<> put_all(std::vector<Document> documents, std::vector<DocumentName> removed = {}) override;
    Async<std::optional<Document>> find(std::string kind, std::string key) override;
    Async<std::vector<Document>> list(std::string kind, std::string key_prefix = {}, std::size_t limit = 1000) override;
    Async<bool> remove(std::string kind, std::string key) override;
    Async<std::vector<JournalSize>> sizes(std::vector<Id> tasks) override;
    Async<JournalSize> purge(std::vector<Purge> tasks) override;
    Async<Lease> acquire(Id task, std::string owner, Millis duration) override;
    Async<Lease> renew(Id task, std::string owner, std::uint32_t epoch, Millis duration) override;
    Async<> release(Id task, std::string owner, std::uint32_t epoch) override;
    void on_stopped(std::function<void(const std::exception_ptr&)> callback) override;

    /// What a broken disk does to the others: from now on everything is refused with this error.
    void stop(const std::exception_ptr& error);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::storage
