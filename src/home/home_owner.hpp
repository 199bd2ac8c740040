// The owner of a home: the one process that writes its journal and runs tasks, its own and those of processes that ask it to.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/signal.hpp"
#include "home/artifact_requests.hpp"
#include "home/drivers.hpp"
#include "home/memory_requests.hpp"
#include "home/requests.hpp"
#include "home/runtime.hpp"
#include "storage/home.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cadre::channels {
struct Turn;
}

namespace cadre::home {

class HomeUpkeep;
class RedisCopies;
class ControlServer;
class Listener;
class TaskStream;
struct TaskMemory;
struct WaitsForPerson;

/// Thrown where the owner of the home is leaving it.
struct Leaving {};

std::filesystem::path control_socket(const std::filesystem::path& home);

/// Lives on its loop; leave() before it dies.
class HomeOwner {
public:
    /// Hears, on the loop, that the journal can be written no more: the process should end.
    using OnFailure = std::function<void(const std::exception_ptr&)>;

    /// Opens the journal and listens. Throws Error(unavailable) when that cannot be; then the home is free again.
    HomeOwner(net::Loop& loop, const RuntimeOptions& options, storage::HomeLock lock, OnFailure on_failure);
    HomeOwner(const HomeOwner&) = delete;
    HomeOwner& operator=(const HomeOwner&) = delete;
    ~HomeOwner();

    // One function for each request of home/requests.hpp; home/verbs.hpp lists them. They throw what is wrong with it, or Leaving.
    Async<Owner> perform(engine::Principal by, Hello request);
    Async<Created> perform(engine::Principal by, Create request);
    Async<TaskReply> perform(engine::Principal by, Start request);
    Async<TaskReply> perform(engine::Principal by, AnswerQuestion request);
    Async<TaskReply> perform(engine::Principal by, Resume request);
    Async<CancelReply> perform(engine::Principal by, Cancel request);
    Async<TaskReply> perform(engine::Principal by, Pause request);
    Async<TaskReply> perform(engine::Principal by, AwaitRest request);
    Async<TaskReply> perform(engine::Principal by, Instruct request);
    Async<TaskReply> perform(engine::Principal by, Intervene request);
    Async<BreakpointList> perform(engine::Principal by, ChangeBreakpoints request);
    Async<Done> perform(engine::Principal by, Park request);
    Async<TaskIds> perform(engine::Principal by, Driving request);
    Async<Undone> perform(engine::Principal by, Undo request);
    Async<engine::ForkReport> perform(engine::Principal by, Fork request);
    Async<engine::ImportReport> perform(engine::Principal by, Import request);
    Async<Collected> perform(engine::Principal by, Collect request);
    Async<Collected> perform(engine::Principal by, Remove request);
    Async<Rebuilt> perform(engine::Principal by, Rebuild request);
    Async<KnownItems> perform(engine::Principal by, ListMemory request);
    Async<FoundMemories> perform(engine::Principal by, SearchMemory request);
    Async<AddedMemory> perform(engine::Principal by, AddMemory request);
    Async<ForgottenMemory> perform(engine::Principal by, ForgetMemory request);
    Async<ConsolidatedMemory> perform(engine::Principal by, ConsolidateMemory request);
    Async<MemorySummary> perform(engine::Principal by, SummarizeMemory request);
    Async<ArtifactEntry> perform(engine::Principal by, RestoreArtifact request);

    /// Somebody's file for a task, also for one that has ended: the next version of its path.
    Async<ArtifactEntry> upload(engine::Principal by, Id task, artifacts::Draft draft);

    /// Drives the task until it is at rest, and tells `listener` what happens.
    Async<AtRest> perform(engine::Principal by, Drive request, Listener& listener);
    /// Tells `listener` what happens to the task until it has ended, and drives nothing.
    Async<Done> perform(engine::Principal by, Watch request, Listener& listener);
    /// Drives all tasks that have not ended until each is at rest, and tells `listener` of each.
    Async<DrivenTasks> perform(engine::Principal by, DriveAll request, Listener& listener);

    /// From now on all tasks are driven, whether or not somebody waits for them; those that have not ended continue. Returns how many.
    Async<std::size_t> drive_all_by_itself();

    /// From now on, what comes in over the operator's accounts becomes tasks.
    Async<> open_channels();

    /// Lets what is under way finish; from now on nothing new begins.
    Async<> settle();
    /// settle(), then closes everything and gives the home up. Those who wait for their tasks notice.
    Async<> leave();

    Runtime& runtime() { return *runtime_; }
    /// Null: there are none.
    const RedisCopies* copies() const;

private:
    TaskReply reply_of(const storage::TaskEntry& entry, std::uint32_t events = 0) const;
    Async<TaskReply> reply_about(engine::Principal by, Id task);
    Async<> wake(Id task, engine::Waking waking = engine::Waking::goes_on);
    Async<> until_rest(engine::Principal by, Drive request, TaskStream& stream,
                       std::shared_ptr<const engine::TaskState>& rest);
    Async<> until_answered(engine::Principal by, Id driven, WaitsForPerson question);
    Async<bool> is_driven(engine::Principal by, Id task);
    struct AllDrives;
    Async<bool> is_turn_that_waits(engine::Principal by, const storage::TaskEntry& entry);
    Async<> drive_one(engine::Principal by, Id task, AllDrives& all);
    Async<std::vector<std::string>> start_turn(channels::Turn turn);
    Async<> park(Id task);
    Async<ArtifactEntry> record_file(engine::Principal by, Id task, std::string what, engine::SavedVersion version);
    Async<TaskMemory> memory_of(engine::Principal by, engine::Act act, Id task);
    Async<> show_memory_again(engine::Principal by, std::set<std::string> tasks);
    Async<> until_parked(Id task);

    net::Loop& loop_;
    std::optional<storage::HomeLock> lock_;
    std::unique_ptr<ControlServer> server_;  // listens before the store is opened: others then wait, and do not give up
    std::unique_ptr<Runtime> runtime_;
    std::unique_ptr<HomeUpkeep> upkeep_;
    Drivers drivers_;
    std::set<Id> parking_;  // tasks that are being parked
    Signal parked_;
    bool leaving_ = false;
    bool drives_all_ = false;  // it does not park what nobody waits for
    AsyncScope scope_;         // last: what it spawned uses all of the above
};

}  // namespace cadre::home
