// The state that all scopes of one active run share: its journal, what is recorded, who waits for what. Patterns see Run.
#pragma once

#include "base/cancel.hpp"
#include "base/loop.hpp"
#include "base/mutant.hpp"
#include "engine/agent.hpp"
#include "engine/budget.hpp"
#include "engine/conversation.hpp"
#include "engine/deadlines.hpp"
#include "engine/earlier_calls.hpp"
#include "engine/env.hpp"
#include "engine/iterations.hpp"
#include "engine/journal.hpp"
#include "engine/perform.hpp"
#include "engine/recorded.hpp"
#include "engine/seats.hpp"
#include "engine/sent_request.hpp"
#include "engine/task_state.hpp"
#include "engine/written.hpp"
#include "model/chunk.hpp"

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {
class AsyncMutex;
}

namespace cadre::engine {

class Reuse;
struct SettingBody;

/// So far what the times of records say may be from how long a task ran: clocks are slowed down and sped up a little all the time.
inline constexpr Millis kClockTolerance{1'000};

/// How a task goes on.
struct Pace {
    int steps = 0;        // so many model calls, then it pauses again; 0: as it was, one where it goes step by step
    bool freely = false;  // no longer step by step
};

/// A task below another that has ended.
struct EndedTask {
    TaskState state{};
    std::optional<Spending> spent{};  // by it and all below it; nothing: some of those have not ended
};

/// Hears what a run cannot decide by itself. Calls come on the loop, never from inside a pattern.
class RunOwner {
public:
    /// Nothing will happen until somebody answers or a time comes, and everything is on the disk: it can be parked.
    virtual void on_parkable() noexcept = 0;
    virtual void on_durable(std::uint32_t seq) noexcept = 0;
    virtual void on_refused(const std::exception_ptr& error) noexcept = 0;
    virtual void on_chunk(const model::StreamChunk& chunk) noexcept = 0;
    /// Where requests of recorded model calls are kept, by path; null: nobody wants them.
    virtual RehearsedRequests* requests() noexcept { return nullptr; }
    /// Starts a task below this one, unless it is there already.
    virtual Async<> start_child(Id child, TaskSpec spec) = 0;
    /// What became of it; nothing while it has not ended.
    virtual Async<std::optional<EndedTask>> find_ended(Id child) = 0;
    /// Nobody waits for it any more, once record `seq` is on the disk.
    virtual void on_orphan(const Id& child, std::uint32_t seq) noexcept = 0;
    /// The agents of the team with that key, as this task has them.
    virtual Async<Agents> team_of(std::string config) = 0;
    /// A task above cannot give what an effect needs. Never called of a run without one.
    virtual void on_short(const Id& /*above*/, const Spending& /*needed*/) noexcept {}
    /// When the effect there is due, which was to wait for `whole`.
    virtual Instant deadline_of(const Loop& loop, std::string_view /*path*/, Time due, Millis whole)
    {
        return instant_of(loop, due, whole);
    }

protected:
    ~RunOwner() = default;
};

/// Lives as long as the coroutines of the run, and longer: it dies after them.
class RunState final : JournalListener, AccountListener, Job {
public:
    RunState(const Env& env, storage::Port& port, RunOwner& owner, TaskState&& view,
             std::vector<storage::Record>&& records, std::uint32_t epoch, Agents agents, History history = {},
             std::shared_ptr<Account> account = {});

    const Env& env() const { return env_; }
    Journal& journal() { return journal_; }
    const TaskState& view() const { return view_; }
    Account& account() { return account_; }
    /// Null: it was given none, so nobody else has a part in it.
    const std::shared_ptr<Account>& shared_account() const { return shared_account_; }
    const std::vector<Agent>& agents() const { return *agents_; }
    const TeamAgents& pinned() const { return *agents_; }
    const History& history() const { return history_; }
    RunOwner& owner() { return owner_; }

    // ---- replay ----

    bool replaying() const { return replaying_; }
    const RecordedEffect* take(std::string_view path) { return replaying_ ? recorded_.take(path) : nullptr; }
    Recorded& recorded() { return recorded_; }
    /// The code asked for something else than is recorded. True: it must stop; false: a note is enough.
    bool differs(const Effect& effect, const RecordedEffect& recorded);
    void diverge(std::string text);
    bool diverged() const { return diverged_; }
    /// Nothing may be performed: the run is at rest when it has used up its journal. With `reuse`, that is the journal of the
    /// run that this one is to be a fork of.
    void rehearse(Reuse* reuse = nullptr)
    {
        replaying_ = rehearsing_ = true;
        reuse_ = reuse;
    }
    bool rehearsing() const { return rehearsing_; }
    Reuse* reuse() { return reuse_; }
    /// Paths of the effects that wait for the end of the replay; of those that wait to be cancelled as they were.
    std::vector<std::string> at_the_gate();
    std::vector<std::string> waiting_for_cancel();

    // ---- records ----

    /// A record that is written once the replay has used up the journal, or the run has ended: one that diverges changes nothing.
    void after_replay(JournalEntry entry) { deferred_.push_back(std::move(entry)); }
    void write_deferred();

    /// How long the task has run, by a clock that is never set: while it was in memory, and neither waited for people nor was paused.
    Millis ran() const
    {
        if (is_mutant(Mutant::running_time_by_wall_clock)) return ran_by_wall_clock();
        const bool runs = view_.status == model::TaskStatus::running;
        return std::chrono::floor<Millis>(runs ? ran_ + (env_.loop.now() - since_) : ran_);
    }
    /// It was put away meanwhile, and tasks below it were at work for it.
    void add_time(Monotonic::duration worked) { ran_ += worked; }

    /// A record that changes nothing but the journal.
    std::uint32_t append(JournalEntry&& entry)
    {
        entry.at = journal_.now();
        // within a millisecond the next record will do: nothing begins or stops to count here
        if (entry.at != view_.updated_at || view_.epoch != journal_.owner().epoch) pass_time(entry.at);
        if (checks_records) check_entry(entry);
        journal_.append(std::move(entry));
        view_.end = journal_.end();
        return view_.end.seq;
    }
    /// A record that changes what the task's state says; the index goes with it.
    std::uint32_t append_change(JournalEntry entry);
    /// A model call is about to happen, or has happened: the hot half of apply().
    void count_step()
    {
        ++view_.steps;
        if (view_.steps_allowed > 0) --view_.steps_allowed;
    }
    void count_call()
    {
        ++view_.calls;
        if (view_.steps_allowed > 0) --view_.steps_allowed;
    }
    void count_usage(const llm::Usage& usage) { engine::count_usage(view_, usage); }
    /// A tool has written these.
    void count_files(const std::vector<std::string>& files) { view_.written.insert(files.begin(), files.end()); }
    /// How many model calls of that agent there were, this one included and those that are recorded.
    int count_turn(std::string_view agent);
    /// Model calls that the journal held when the run was loaded.
    EarlierCalls& earlier();

    // ---- inputs ----

    /// Each appends its record and wakes who waited for it; the record's number is what the caller acknowledges once it is durable.
    void child_ended(const Id& child) noexcept;
    std::uint32_t answer(const OpenQuestion& question, model::HumanAnswer answer);
    /// What answers a question whose time is over.
    static model::HumanAnswer silence();
    std::uint32_t resume(Pace pace, std::string_view by);
    std::uint32_t pause(std::string_view by);
    std::uint32_t instruct(std::string text, std::string_view by);
    std::uint32_t raise_budget(const Budget& budget);
    std::uint32_t set_breakpoints(const std::vector<std::string>& breakpoints);
    std::uint32_t request_cancel(std::string_view by, std::string_view reason);
    /// A setting that Run::heed() takes in.
    std::uint32_t intervene(const SettingBody& setting);
    /// Those that it has not taken in yet, with their numbers.
    std::vector<std::pair<std::uint32_t, std::string>>& interventions() { return interventions_; }
    /// From now on this is the run's team; who refers to an agent of an older one may go on with it.
    void change_team(Agents agents) { former_.push_back(std::exchange(agents_, std::move(agents))); }
    /// Instructions that no step has seen yet, with their numbers.
    std::vector<std::pair<std::uint32_t, std::string>>& instructions() { return instructions_; }

    // ---- strands: the run itself and its parallel branches ----

    /// `count` branches begin and their parent waits for them; each ends once; then the parent goes on.
    void branch(std::size_t count) { running_ += static_cast<int>(count) - 1; }
    void branch_ended() { strand_stops(); }
    void branches_joined() { ++running_; }
    void strand_stops();
    void strand_goes_on() { ++running_; }
    void strand_ended() { strand_stops(); }
    /// The run's first strand is about to begin.
    void begin() { running_ = 1; }
    /// Nothing will happen until somebody answers or a time comes, and everything is on the disk.
    bool at_rest() const
    {
        // what others of its tree have reserved comes back soon: it need not be read from the disk again for that
        const bool expects_refund = !refunds_.empty() && !holding_ && !view_.pause_reason;
        return running_ == 0 && !expects_refund && (diverged_ || held_.empty()) &&
               (diverged_ || rehearsing_ || (gate_.empty() && doomed_.empty())) &&
               (rehearsing_ || journal_.all_durable() || is_mutant(Mutant::park_before_durable));
    }

    /// `due` of the effect at `path` that was written down at `since`.
    Instant deadline_of(std::string_view path, Time due, Time since)
    {
        return owner_.deadline_of(env_.loop, path, due, due - since);
    }

    // ---- stopping at an effect ----

    /// Whether the effect must not begin now: paused, a breakpoint, out of steps in step mode. Writes the pause when this effect
    /// is the first to meet its reason.
    bool must_stop(const Effect& effect);
    void out_of_budget(std::string text);
    /// Its process has ended so often in that effect that a person should look.
    void interrupted(const std::string& path, int times);

    class Blocked;
    class BlockedEffect;
    class Gate;
    class Stopped;
    class Refund;
    class UntilAnswered;
    class Never;
    class UntilCancelled;
    class Asleep;
    class RetryDelay;
    class UntilChildEnds;
    class UntilRoom;
    class Held;
    class HeldBack;
    class Inner;
    class UntilSeated;

    /// While one looks at the files of the task until it has recorded what it saw, no other does: the newest version is what is there.
    Async<std::shared_ptr<void>> hold_files();

    Seats& seats() { return seats_; }
    Iterations& iterations() { return iterations_; }
    /// A scope has ended: who waits for its seats can have them.
    void leave_seats(const std::string& scope) noexcept;
    /// Something that ends others is held back until nothing else can happen; it outlives the wait, or unlinks itself.
    void hold_back(Held& held) noexcept;

    /// How many tool calls have been made and not come back.
    int tools_at_work() const { return tools_at_work_; }
    class ToolAtWork;

    void refunded() noexcept;
    /// From now on no effect begins: what is under way may finish, then the run is at rest.
    void hold() noexcept;
    /// This process gives the run up, unfinished as it is: what is under way is stopped, and nothing is recorded of that.
    void abandon() { abandoned_ = true; }
    bool abandoned() const { return abandoned_; }

private:
    void on_durable(std::uint32_t seq) noexcept override;
    void on_refused(const std::exception_ptr& error) noexcept override;
    void on_refund() noexcept override;
    void on_raise() noexcept override;
    void run() noexcept override { settle(); }
    void settle() noexcept;
    /// Before each record. Readers add up the times between records; where that is not how long the task ran, a note says so.
    void pass_time(Time at)
    {
        const Instant now = env_.loop.now();
        if (view_.status == model::TaskStatus::running) ran_ += now - since_;
        since_ = now;
        view_.ran += view_.passed(at, journal_.owner().epoch);
        view_.updated_at = at;
        view_.epoch = journal_.owner().epoch;
        const auto wrong = ran_ - view_.ran;
        if (wrong > kClockTolerance || wrong < -kClockTolerance) note_time(at);
    }
    void note_time(Time at);
    Millis ran_by_wall_clock() const;
    void check_entry(const JournalEntry& entry) const;
    void open_gate();
    bool release_held() noexcept;
    bool is_stuck() const;
    void give_up_one() noexcept;
    static std::vector<std::string> paths_in(LinkedList<Blocked, struct BlockedTag>& list);
    void pause(model::PauseReason reason, std::string text, const std::string& path, std::string_view breakpoint);

    const Env& env_;
    RunOwner& owner_;
    TaskState view_;
    Recorded recorded_;
    Journal journal_;
    std::shared_ptr<Account> shared_account_;  // below those of the tasks above
    std::optional<Account> own_account_;       // where there is no such
    Account& account_;                         // one of these
    Agents agents_;
    std::vector<Agents> former_;
    std::shared_ptr<AsyncMutex> files_;
    History history_;
    Monotonic::duration ran_;
    Instant since_;  // ran_ is counted up to here
    int tools_at_work_ = 0;
    bool replaying_;
    bool diverged_ = false;
    bool holding_ = false;
    bool abandoned_ = false;
    bool rehearsing_ = false;
    Reuse* reuse_ = nullptr;
    int running_ = 0;
    std::optional<EarlierCalls> earlier_;  // once somebody has asked; its turns go on with those of this process
    std::map<std::string, model::HumanAnswer> answers_;  // given, and not yet taken by their effect
    std::vector<std::pair<std::uint32_t, std::string>> instructions_;
    std::vector<std::pair<std::uint32_t, std::string>> interventions_;
    std::vector<JournalEntry> deferred_;
    std::vector<std::pair<std::string, std::string>> drifts_;  // path and what differs
    LinkedList<RetryDelay, struct DelayTag> delays_;
    Seats seats_;
    Iterations iterations_;
    LinkedList<Held, struct HeldTag> held_;
    LinkedList<Blocked, struct BlockedTag> gate_, stopped_, refunds_, questions_, forever_, doomed_, children_, crowd_,
        holding_back_, inner_, unseated_;
};

}  // namespace cadre::engine
