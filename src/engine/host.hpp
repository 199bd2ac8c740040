// Host: drives tasks on one loop: starts them, puts waiting ones away and wakes them, and writes how they ended. Doors use
// Commands, which is made of this.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/loop.hpp"
#include "base/signal.hpp"
#include "engine/agent.hpp"
#include "engine/conversation.hpp"
#include "engine/env.hpp"
#include "engine/hub.hpp"
#include "engine/pattern.hpp"
#include "engine/recent_teams.hpp"
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

/// Kind of the documents that hold pinned teams, by the hash of their text.
inline constexpr std::string_view kTeamDocument = "team";

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
    /// It is put away, or has ended: nothing more comes for now.
    virtual void on_rest(const Id& task) noexcept = 0;

protected:
    ~HostListener() = default;
};

/// Why a task that had been put away is brought into memory: to go on; only to take an input in, after which it is put away
/// again; or to be cancelled.
enum class Waking : std::uint8_t { goes_on, held, ends };

/// Lives on its loop. close() before it dies.
class Host {
public:
    Host(const Env& env, const Patterns& patterns);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host();

    /// Accepts a task and starts it; when this returns, it will survive a crash. `id` is the caller's where a second call with
    /// the same one must not start a second task; then false: it was there already.
    Async<bool> create(Id id, TaskSpec spec, std::optional<model::Team> team);

    /// Writes the whole journal of a task that is not there yet; when this returns, it will survive a crash, and before that
    /// nobody can see or run it. The task does not run: wake() has it begin. False: there is such a task already.
    Async<bool> write_journal(Id id, std::vector<JournalEntry> entries);

    /// Has the task go on where it stopped, if it can. Tasks that wait only for people stay put away.
    Async<> wake(Id task);
    /// All that are not finished; returns how many.
    Async<std::size_t> wake_all();

    /// `act` appends an input to the task's journal and returns its number; the task is brought into memory for it. Returns once
    /// the input is durable. Throws Error(not_found), and Error(conflict) when the task has ended.
    Async<std::uint32_t> input(Id task, std::function<std::uint32_t(RunState&)> act, Waking waking = Waking::goes_on);
    /// Stops the task for good; true when it had not ended already.
    Async<bool> cancel(Id task, std::string by, std::string reason);

    /// Waits until the task has ended, or can go on only with a person's help.
    Async<> until_resting(Id task);

    /// Lets what is under way of this task finish and puts it away.
    Async<> put_away(Id task);
    /// The same, and does not wait for the end of a model's answer, which will be asked for again. Tools finish what they do.
    Async<> put_away_at_once(Id task);
    /// Lets what is under way finish and puts everything away. Nothing is lost: it all goes on where it stopped.
    Async<> drain();
    /// Stops what is under way too. The host takes nothing more.
    Async<> close();

    /// The agents of a task's pinned team.
    Async<Agents> agents_for(TaskSpec spec);
    /// What was said before it in its session, as much of it as a run hears. Throws Error(unavailable) when the store has lost it.
    Async<History> history_for(TaskSpec spec);
    /// A task's pinned team. Throws Error(unavailable) when the store has lost it.
    Async<model::Team> team_for(TaskSpec spec);
    /// Keeps the team, made whole, in the store; `spec` is pinned to it. Returns its agents.
    Async<Agents> pin(model::Team team, TaskSpec& spec);

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
    class Alarm;
    class Changed;
    class Loading;

    Async<bool> start_new(Id id, const Pattern& pattern, TaskSpec spec, Agents agents, History history);
    Async<ActiveTask*> activate(Id task, Waking waking = Waking::goes_on);
    Async<ActiveTask*> load(Id task, Waking waking);
    void expect_means(const TaskState& state, const std::vector<Agent>& agents) const;
    Async<std::uint32_t> input_at_rest(Id task, std::function<std::uint32_t(RunState&)> act);
    Async<> wake_alone(Id task);
    Async<std::string> team_text(TaskSpec spec);
    void look_again(const Id& task);
    Async<> wake_each(const std::vector<storage::TaskEntry>& entries, std::size_t& next);
    Async<> durable(Id task, std::uint32_t seq);
    void check_owned(const Id& task) const;
    void changed(const Id& task) noexcept;
    void refused(const Id& task, const std::exception_ptr& error) noexcept;
    void on_ended(const TaskState& task);
    Async<> tell_parent(Id parent, Id child);
    void cancel_orphan(const Id& parent, const Id& child, std::uint32_t seq);
    Async<> cancel_child_after(Id parent, Id child, std::uint32_t seq);
    Async<> cancel_child(Id child);
    ActiveTask& launch(const Pattern& pattern, TaskState state, std::vector<storage::Record> records,
                       std::uint32_t epoch, Agents agents, History history);
    void remove(ActiveTask& task);
    void ring();

    const Env& env_;
    const Patterns& patterns_;
    std::unique_ptr<storage::Port> port_;
    Hub hub_;
    RecentTeams teams_;
    std::map<Id, std::unique_ptr<ActiveTask>> active_;
    std::set<Id> loading_;
    std::map<Id, Time> alarms_;  // tasks that are put away and must be woken at a time
    std::set<Id> dormant_;       // tasks that are put away and will go on without anybody's help
    std::unique_ptr<Alarm> alarm_;
    std::multimap<Id, Changed*> watchers_;  // coroutines that wait for something about one task
    Signal removed_;
    std::map<Id, std::exception_ptr> lost_;  // tasks that another owner has taken
    std::exception_ptr failure_;
    HostListener* listener_ = nullptr;
    bool holding_ = false;
    bool closing_ = false;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::engine
