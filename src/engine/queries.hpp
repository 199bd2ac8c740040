// Queries: one function per question, used by every door. Reading needs no host, no threads but the store's and no network: what runs
// is asked in memory where there is a host, everything else is folded from the store once and kept by (task, seq).
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "engine/hub.hpp"
#include "engine/principal.hpp"
#include "engine/session.hpp"
#include "engine/task_state.hpp"
#include "engine/transfer.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::engine {

struct VerifyReport {
    Id task{};
    std::size_t records = 0;
    std::vector<std::string> problems{};  // empty: intact
};

/// The text of Error(not_found) for a task.
std::string missing_task(const Id& task);
/// All records of a task that is there, their chain checked. Throws Error(not_found), which says so when retention has removed them. Who
/// may read them is not asked.
Async<std::vector<storage::Record>> read_whole(storage::Store& store, Id task);

/// Who has tasks in memory; the host.
class ActiveStates {
public:
    /// As it is on the disk or on its way there; null: the task is not in memory.
    virtual const TaskState* active_state(const Id& task) const noexcept = 0;

protected:
    ~ActiveStates() = default;
};

/// Lives on one loop; the store, and whoever has tasks in memory, outlive it.
class Queries {
public:
    explicit Queries(storage::Store& store, const ActiveStates* active = nullptr);
    Queries(const Queries&) = delete;
    Queries& operator=(const Queries&) = delete;
    ~Queries();

    /// The id that begins with `prefix`: Error(not_found), or Error(invalid) that lists the candidates.
    Async<Id> resolve(Principal by, std::string prefix);
    /// What its journal says. Error(not_found) also for a task of another tenant.
    Async<std::shared_ptr<const TaskState>> task(Principal by, Id task);
    /// The task and those below that it waits for; first those above.
    Async<std::vector<std::shared_ptr<const TaskState>>> open_tree(Principal by, Id task);
    /// The topmost task that waits for this one, through no task that is paused; itself, if there is none.
    Async<std::shared_ptr<const TaskState>> top_of(Principal by, Id task);
    /// Its index entry: enough for who only wants to know how it stands, or whether `by` may do that to it.
    Async<storage::TaskEntry> entry(Principal by, Id task, Act act = Act::read);
    /// A page, the newest first; `query.tenant` is the principal's, whatever it says.
    Async<std::vector<storage::TaskEntry>> tasks(Principal by, storage::TaskQuery query);
    /// All records, their chain checked.
    Async<std::vector<storage::Record>> records(Principal by, Id task);
    /// All events so far that come after number `after`.
    Async<std::vector<EventPtr>> events(Principal by, Id task, std::uint32_t after = 0);

    /// The newest first.
    Async<std::vector<SessionEntry>> sessions(Principal by);
    /// The id that begins with `prefix`, as resolve(); a whole one may be new.
    Async<std::string> resolve_session(Principal by, std::string prefix);
    Async<std::optional<SessionHead>> find_session(Principal by, std::string id);
    /// Throws Error(not_found).
    Async<SessionHead> session(Principal by, std::string id);
    /// All that counts, the oldest first.
    Async<std::vector<TurnMessage>> conversation(Principal by, std::string session);

    /// Whether the journal, the index and what the task is pinned to agree.
    Async<VerifyReport> verify(Principal by, Id task);
    /// The task with everything that belongs to it, redacted unless `full`.
    Async<Transfer> export_run(Principal by, Id task, bool full);

    /// The same as task(), for who may do that to it.
    Async<std::shared_ptr<const TaskState>> task_for(Principal by, Act act, Id task);
    /// Whether `by` may do that to the task, as expect_may() says.
    Async<> expect(Principal by, Act act, Id task);
    /// Who has created the task. Throws Error(not_found) also for a task of another tenant.
    Async<std::string> owner_of(Principal by, Id task);

    storage::Store& store() { return store_; }

private:
    class States;  // what was folded, the least recently used ones go first

    Async<std::shared_ptr<const TaskState>> kept_state(Id task);
    Async<std::shared_ptr<const TaskState>> read_state(Id task);
    Async<std::shared_ptr<const TaskState>> state_on_disk(Id task);

    storage::Store& store_;
    const ActiveStates* active_;
    std::unique_ptr<States> states_;
};

}  // namespace cadre::engine
