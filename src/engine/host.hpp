// Host: drives tasks on one loop: starts them, parks waiting ones and wakes them, and writes how they ended. Doors use Commands, which
// is made of this.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/loop.hpp"
#include "base/signal.hpp"
#include "engine/accounts.hpp"
#include "engine/agent.hpp"
#include "engine/alarms.hpp"
#include "engine/conversation.hpp"
#include "engine/deadlines.hpp"
#include "engine/env.hpp"
#include "engine/hub.hpp"
#include "engine/pattern.hpp"
#include "engine/pinned_teams.hpp"
#include "engine/queries.hpp"
#include "engine/task_signals.hpp"
#include "engine/task_state.hpp"
#include "model/team.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

class ActiveTask;
class RunState;
struct Upkeep;  // engine/upkeep.hpp
struct Upkept;

/// At most so many journals are being read at once when many tasks are woken.
inline constexpr std::size_t kMaxWaking = 64;

/// Hears, on the loop, which tasks have more in their journals. Returns at once.
class HostListener {
public:
    /// A record is on its way to the disk; those of a task come in order. Whether it gets there, on_progress() says; after
    /// on_rest(), what has not will not.
    virtual void on_append(const storage::Record& record) noexcept = 0;
    /// The records of the task up to `seq` are durable.
    virtual void on_progress(const Id& task, std::uint32_t seq) noexcept = 0;
    /// It is parked, or has ended: nothing more comes for now.
    virtual void on_rest(const Id& task) noexcept = 0;

protected:
    ~HostListener() = default;
};

/// Why a task that is parked is brought into memory: to continue; for the first time, by whoever has just created it; to begin, which it
/// was to wait with; only to take an input in, after which it is parked again; the same for an input that has it continue later, which is
/// refused where it could not; or to be cancelled.
enum class Waking : std::uint8_t { goes_on, is_new, begins, held, readied, ends };
inline bool is_parked_again(Waking waking)
{
    return waking == Waking::held || waking == Waking::readied;
}

/// Lives on its loop. close() before it dies.
class Host final : public ActiveStates {
public:
    Host(const Env& env, const Patterns& patterns);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host();

    /// Accepts a task of that tenant and starts it, unless it is to wait for start(); when this returns, it will survive a crash. `id`
    /// is the caller's where a second call with the same one must not start a second task; then false: it was there already.
    /// `held`: it begins when somebody wakes it.
    Async<bool> create(std::string tenant, Id id, TaskSpec spec, std::optional<model::Team> team, bool held = false);
    /// Lets a task begin that waits for it. Throws Error(conflict) when it has begun already.
    Async<> start(Id task);

    /// Writes the whole journal of a task that is not there yet; when this returns, it will survive a crash, and before that
    /// nobody can see or run it. The task does not run: wake() has it begin. False: there is such a task already.
    Async<bool> write_journal(std::string tenant, Id id, std::vector<JournalEntry> entries);

    /// Has the task continue where it stopped, if it can. Tasks that wait only for people stay parked, and turns of a session that wait for
    /// those before them.
    Async<> wake(Id task, Waking waking = Waking::goes_on);
    /// All that are not finished, of all tenants; returns how many.
    Async<std::size_t> wake_all();

    /// `act` appends an input to the task's journal and returns its number; the task is brought into memory for it. Returns once
    /// the input is durable. Throws Error(not_found), and Error(conflict) when the task has ended, or was not started.
    Async<std::uint32_t> input(Id task, std::function<std::uint32_t(RunState&)> act, Waking waking = Waking::goes_on);
    /// Stops the task for good; true when it had not ended already.
    Async<bool> cancel(Id task, std::string by, std::string reason);

    /// Writes down what was done to files or memory of the task, whether it runs, is parked or has ended. Durable when it returns.
    Async<Upkept> upkeep(Id task, Upkeep upkeep);

    /// The task may spend more, or goes on: tasks below it that had waited for that go on too.
    /// `held`: when they are woken.
    void raised(const Id& task, bool held = false);

    /// Waits until the task has ended, or can continue only with a person's help. `below`: also until all that it waits for are
    /// tasks below it that can continue only so.
    Async<> until_resting(Id task, bool below = false);
    /// Whether it waits only for tasks below it, and each of those for a person, or for tasks of which the same is true.
    bool stands_still(const Id& task) const;
    /// Of a task that is parked and will continue by itself or with those below: another number whenever one of those comes into memory,
    /// is told something, or leaves it.
    std::optional<std::uint64_t> moves_below(const Id& task) const;
    Async<> until_moved(Id task, std::uint64_t since);

    /// Lets what is under way of this task finish and parks it: it leaves the memory.
    Async<> park(Id task);
    /// The same, and does not wait for the end of a model's answer, which will be asked for again. Tools finish what they do.
    Async<> park_at_once(Id task);
    /// Lets what is under way finish and parks everything. Nothing is lost: it all continues where it stopped.
    Async<> drain();
    /// Stops what is under way too. The host takes nothing more.
    Async<> close();

    /// Keeps the team, made whole, in the store; `spec` is pinned to it. Returns its agents.
    Async<Agents> pin(model::Team team, TaskSpec& spec);
    PinnedTeams& teams() { return teams_; }

    const TaskState* active_state(const Id& task) const noexcept override;

    /// One at most; it outlives the host, or is taken away before. Null: nobody.
    void set_listener(HostListener* listener) { listener_ = listener; }

    Hub& hub() { return hub_; }
    const Env& env() const { return env_; }
    const Patterns& patterns() const { return patterns_; }
    std::size_t active() const { return active_.size(); }
    /// What every run was told by the store when it stopped taking records; null: all is well.
    const std::exception_ptr& store_failure() const { return failure_; }

private:
    friend class ActiveTask;
    class Loading;
    struct Dormant;

    void expect_open() const;
    Async<bool> start_new(std::string tenant, Id id, const Pattern& pattern, TaskSpec spec, Agents agents,
                          History history);
    Async<ActiveTask*> activate(Id task, Waking waking = Waking::goes_on);
    Async<ActiveTask*> load(Id task, Waking waking);
    ActiveTask* end_unread(TaskState state, std::uint32_t epoch);
    Async<std::uint32_t> input_at_rest(Id task, std::function<std::uint32_t(RunState&)> act, Waking waking);
    Async<> wake_alone(Id task);
    Async<std::optional<Id>> find_obstacle(const TaskState& turn);
    Async<std::optional<std::string>> history_at_start(const TaskState& turn);
    void end_turn(const TaskState& ended);
    Async<std::optional<Id>> find_next(std::string tenant, std::string session);
    Async<> begin_next(std::string tenant, std::string session, std::optional<Id> next);
    void look_again(const Id& task);
    Async<> wake_each(const std::vector<storage::TaskEntry>& entries, std::size_t& next);
    Async<> durable(Id task, std::uint32_t seq);
    void check_owned(const Id& task) const;
    void refused(const Id& task, const std::exception_ptr& error) noexcept;
    void on_ended(const TaskState& task);
    Async<> tell_parent(Id parent, Id child);
    void insist(const Id& about, std::function<Async<>()> act);
    Async<> until_done(Id about, std::function<Async<>()> act);
    Async<> start_delegated(std::string tenant, Id parent, Id child, TaskSpec spec);
    void cancel_orphan(const Id& child);
    void cancel_orphan_after(const Id& parent, const Id& child, std::uint32_t seq);
    Async<> cancel_child_after(Id parent, Id child, std::uint32_t seq);
    Async<> cancel_child(Id child);
    Async<> cancel_open(std::vector<Id> orphans);
    void report_short(const Id& above, const Spending& needed);
    Async<> tell_short(Id above, Spending needed);
    Async<> wake_below(Id task);
    Async<bool> is_orphan(const TaskState& state);
    ActiveTask& launch(const Pattern& pattern, TaskState state, std::vector<storage::Record> records,
                       std::uint32_t epoch, Agents agents, History history, std::shared_ptr<Account> account);
    void remove(ActiveTask& task);
    void settle(const TaskState& parked);
    void tell_above(std::optional<Id> above);
    void count_time(Dormant& dormant, bool works) const;
    Monotonic::duration wake_dormant(const Id& task);
    Async<> until_parked(Id task);

    const Env& env_;
    const Patterns& patterns_;
    std::unique_ptr<storage::Port> port_;
    Hub hub_;
    PinnedTeams teams_;
    Accounts accounts_;
    std::set<Id> loading_;
    struct Dormant {
        std::vector<Id> children{};  // what it waits for; none: something else
        std::optional<Id> parent{};
        std::uint64_t moves = 0;
        Monotonic::duration worked{};    // time in which those below it were at work
        std::optional<Instant> since{};  // they are; nothing: each of them waits for a person
        bool runs = false;               // it waits for nobody else
    };
    std::map<Id, Dormant> dormant_;  // tasks that are parked and will continue without anybody's help
    std::set<Id> helpless_;          // tasks below others that are parked and will not
    std::uint64_t moves_ = 0;
    struct Queued {
        Id obstacle{};
        std::string session{};  // its key
        int turn = 0;
    };
    std::map<Id, Queued> queued_;  // turns that wait, as far as this process has come across them
    Alarms alarms_;                // of tasks that are parked
    Deadlines deadlines_;
    TaskSignals changes_;
    Signal removed_;
    std::map<Id, std::exception_ptr> lost_;  // tasks that another owner has
    std::exception_ptr failure_;
    HostListener* listener_ = nullptr;
    bool holding_ = false;
    bool closing_ = false;
    std::map<Id, std::unique_ptr<ActiveTask>> active_;  // its runs wait for some of the above
    AsyncScope scope_;                                  // last: what it spawned uses all of the above
};

}  // namespace cadre::engine
