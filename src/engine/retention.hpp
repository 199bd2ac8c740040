// Retention: how long what is over is kept, and how it goes. Deciding is a function of values; whatever a crash interrupts, the
// next collection finds still due and finishes.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "model/views/framework_retention.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cadre {
class Pool;
}

namespace cadre::engine {

/// A task whose time has come, and the tasks below it, which go with it.
struct Expired {
    storage::TaskEntry task{};
    std::vector<storage::TaskEntry> below{};
    int days = 0;  // how long it was to be kept
    std::uint64_t file_bytes = 0;
    std::uint64_t journal_bytes = 0;
};

/// Those whose time has come at `now`, oldest end first. A task goes with all below it, or not at all: while one of them has not
/// ended, none does, and a task is judged by itself only when its parent is no longer known. Sizes are not looked at.
std::vector<Expired> expired(std::span<const storage::TaskEntry> entries,
                             const model::framework::RetentionPolicy& policy, Time now);

/// A task whose time has come, and why it is still there.
struct Unremoved {
    Id task{};
    std::string error{};
};

struct CollectorSetting {
    storage::Store& store;
    Pool& pool;
    std::filesystem::path folder;  // of all tasks: `tasks/` in the home
    const Clock& clock;
    /// Whether a task is not to be touched just now; empty: none.
    std::function<bool(const Id&)> is_busy{};
};

/// Everything outlives it.
class Collector {
public:
    explicit Collector(CollectorSetting setting) : setting_(std::move(setting)) {}

    /// What collect() would remove, with what that would free.
    Async<std::vector<Expired>> plan(model::framework::RetentionPolicy policy);
    /// Removes it: files first, then the journal, so that an interrupted one is still due. What cannot be removed stays due, and the
    /// others go all the same; `failed`, if given, hears of it.
    Async<std::vector<Expired>> collect(model::framework::RetentionPolicy policy, std::vector<Unremoved>* failed = {});

    /// The task with all below it, for remove_family(). Throws Error(not_found), and Error(conflict) while one of them has not ended or
    /// the task above it is there, which would lack a part of itself.
    Async<Expired> ended_family(Id task);
    /// Removes all of it, whatever the policy says. Throws Error(unavailable) when that cannot be now; then it is still there.
    Async<> remove_family(Expired family);

private:
    Async<std::vector<Expired>> due_now(const model::framework::RetentionPolicy& policy);
    void leave_busy(std::vector<Expired>& due) const;
    Async<> measure(std::span<Expired> due, model::framework::PurgeScope scope);
    Async<> measure_journals(std::span<Expired> due);
    Async<> measure_files(std::span<Expired> due, model::framework::PurgeScope scope);
    Async<> remove(std::vector<Expired>& batch, model::framework::PurgeScope scope, std::vector<Unremoved>* failed);
    Async<> remove_files_of(std::vector<Expired>& batch, model::framework::PurgeScope scope,
                            std::vector<Unremoved>* failed);
    Async<> forget_conversations();

    CollectorSetting setting_;
};

}  // namespace cadre::engine
