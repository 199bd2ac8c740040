// SimStore: one worker's way to the disk, with everything that can go wrong on it: slowness, refusals, commits whose fate
// nobody can know, a disk that fails, and a crash in the middle of it all.
#pragma once

#include "base/loop.hpp"
#include "sim/chance.hpp"
#include "sim/disk.hpp"
#include "storage/port.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cadre::sim {

/// How bad the disk is. Rates are "once in so many"; 0: never.
struct StoreFaults {
    Millis commit_latest{3};        // a commit takes up to this
    std::uint64_t slow_commit = 0;  // one that takes up to slow_latest
    Millis slow_latest{5'000};
    std::uint64_t refusal = 0;           // "too much waits to be written"
    std::uint64_t ambiguous_commit = 0;  // applied, and reported as failed
    std::uint64_t fsync_error = 0;       // some of it applied, reported as failed
    std::uint64_t read_error = 0;
    bool exclusive = true;  // one process at a time, as with a locked folder; false: leases that expire
};

struct StoreCounts {
    std::uint64_t ambiguous_commits = 0, fsync_errors = 0, refusals = 0, read_errors = 0;
    std::uint64_t unacknowledged_kept = 0, unacknowledged_lost = 0;  // records at a crash
};

/// Its reads and leases wait on the caller's loop; its writer lives on `machine`, which goes on when the worker hangs.
class SimStore final : public storage::Store, storage::Intake {
public:
    SimStore(Disk& disk, Loop& machine, std::string owner, StoreFaults faults, Chance& chance, StoreCounts& counts);
    ~SimStore() override;

    std::unique_ptr<storage::Port> open_port(Loop& loop) override;
    Async<std::vector<storage::Record>> read(Id task, std::uint32_t from = 1, std::size_t limit = SIZE_MAX) override;
    Async<std::vector<storage::TaskEntry>> tasks(storage::TaskQuery query) override;
    Async<std::optional<storage::TaskEntry>> find_task(Id task) override;
    Async<std::vector<storage::SessionSummary>> sessions(storage::SessionQuery query) override;
    Async<> put(storage::Document document) override;
    Async<> put_all(std::vector<storage::Document> documents, std::vector<storage::DocumentName> removed = {}) override;
    Async<std::optional<storage::Document>> find(std::string kind, std::string key) override;
    Async<std::vector<storage::Document>> list(std::string kind, std::string key_prefix = {},
                                               std::size_t limit = 1000) override;
    Async<bool> remove(std::string kind, std::string key) override;
    Async<std::vector<storage::JournalSize>> sizes(std::vector<Id> tasks) override;
    Async<storage::JournalSize> purge(std::vector<storage::Purge> tasks) override;
    Async<storage::Lease> acquire(Id task, std::string owner, Millis duration) override;
    Async<storage::Lease> renew(Id task, std::string owner, std::uint32_t epoch, Millis duration) override;
    Async<> release(Id task, std::string owner, std::uint32_t epoch) override;
    void on_stopped(std::function<void(const std::exception_ptr&)> callback) override;

    /// The process is gone. Of what it had handed over, some front part was written.
    void crash();
    /// From now on nothing goes wrong any more.
    void heal();

private:
    struct Queued {
        std::shared_ptr<storage::Backchannel> channel;
        storage::Append append;
    };
    struct Told {
        std::shared_ptr<storage::Backchannel> channel;
        storage::AppendResult result;
    };
    template <void (SimStore::*act)()>
    class Step final : public Timer {
    public:
        explicit Step(SimStore& store) : store_(store) {}
        void fire() noexcept override { (store_.*act)(); }

    private:
        SimStore& store_;
    };

    std::exception_ptr take(const std::shared_ptr<storage::Backchannel>& channel,
                            std::vector<storage::Append>& appends) override;
    void commit();
    void tell();
    storage::AppendResult apply(Queued& queued);
    void fail(const char* what, std::vector<Queued>& batch, std::size_t applied);
    Async<> answer_later();
    void check_running() const;
    std::vector<storage::TaskEntry> entries() const;
    Millis commit_time();

    Disk& disk_;
    Loop& machine_;
    std::string owner_;
    StoreFaults faults_;
    Chance& chance_;
    StoreCounts& counts_;
    bool crashed_ = false;
    std::exception_ptr stopped_;
    std::vector<std::function<void(const std::exception_ptr&)>> callbacks_;
    std::vector<Queued> queue_;
    std::vector<Told> results_;
    bool writing_ = false;
    Step<&SimStore::commit> committing_{*this};
    Step<&SimStore::tell> telling_{*this};
};

}  // namespace cadre::sim
