// The state that all scopes of one active run share: its journal, what is recorded, who waits for what. Patterns see Run.
#pragma once

#include "base/cancel.hpp"
#include "base/mutant.hpp"
#include "base/wait.hpp"
#include "engine/agent.hpp"
#include "engine/budget.hpp"
#include "engine/conversation.hpp"
#include "engine/earlier_calls.hpp"
#include "engine/env.hpp"
#include "engine/iterations.hpp"
#include "engine/journal.hpp"
#include "engine/perform.hpp"
#include "engine/recorded.hpp"
#include "engine/seats.hpp"
#include "engine/task_state.hpp"
#include "model/chunk.hpp"

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

class Reuse;
struct SettingBody;

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

protected:
    ~RunOwner() = default;
};

/// Lives as long as the coroutines of the run, and longer: it dies after them.
class RunState final : JournalListener, AccountListener, Job {
public:
    RunState(const Env& env, storage::Port& port, RunOwner& owner, TaskState&& view,
             std::vector<storage::Record> records, std::uint32_t epoch, Agents agents, History history = {},
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

    /// A record that changes nothing but the journal.
    std::uint32_t append(JournalEntry&& entry)
    {
        view_.updated_at = entry.at = journal_.now();
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

    // ---- stopping at an effect ----

    /// Whether the effect must not begin now: paused, a breakpoint, out of steps in step mode. Writes the pause when this effect
    /// is the first to meet its reason.
    bool must_stop(const Effect& effect);
    void out_of_budget(std::string text);

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
    History history_;
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

/// Base of the waits in which a strand does nothing and has nothing under way.
class RunState::Blocked : public Wait, public Link<BlockedTag> {
public:
    void await_resume() const { finish(); }
    /// What it waited for has happened.
    void release() noexcept;

protected:
    Blocked(RunState& state, LinkedList<Blocked, BlockedTag>& list) : state_(state), list_(list) {}
    ~Blocked() = default;

    bool arm() override;
    bool withdraw() noexcept override;

    RunState& state_;

private:
    LinkedList<Blocked, BlockedTag>& list_;
};

/// Of an effect, whose path outlives it.
class RunState::BlockedEffect : public Blocked {
public:
    std::string_view path() const { return path_; }

protected:
    BlockedEffect(RunState& state, LinkedList<Blocked, BlockedTag>& list, std::string_view path)
        : Blocked(state, list), path_(path)
    {}
    ~BlockedEffect() = default;

private:
    std::string_view path_;
};

/// Until the replay has used up what is recorded.
class RunState::Gate final : public BlockedEffect {
public:
    Gate(RunState& state, std::string_view path) : BlockedEffect(state, state.gate_, path) {}
};

/// Until the run goes on.
class RunState::Stopped final : public Blocked {
public:
    explicit Stopped(RunState& state) : Blocked(state, state.stopped_) {}
};

/// A tool call, from its record to its end.
class RunState::ToolAtWork {
public:
    ToolAtWork(RunState& state, bool is_tool) : state_(state), count_(is_tool ? 1 : 0)
    {
        state_.tools_at_work_ += count_;
    }
    ToolAtWork(const ToolAtWork&) = delete;
    ToolAtWork& operator=(const ToolAtWork&) = delete;
    ~ToolAtWork() { state_.tools_at_work_ -= count_; }

private:
    RunState& state_;
    int count_;
};

/// Until somebody gives back what they had reserved.
class RunState::Refund final : public Blocked {
public:
    explicit Refund(RunState& state) : Blocked(state, state.refunds_) {}
};

/// In a replay, something that will end others: their records must be used first. Of several, the one goes first whose victims
/// have used theirs, then the one that lies deepest, because it was the cause and not the consequence; then the lowest path.
class RunState::Held : public Link<HeldTag> {
public:
    /// `path` of what ends the others, and outlives this.
    explicit Held(std::string_view path) : path_(path) {}
    std::string_view path() const { return path_; }
    virtual bool has_unused_victims(const Recorded& recorded) const = 0;
    virtual void let_go() noexcept = 0;

protected:
    ~Held() = default;

private:
    std::string_view path_;
};

/// A strand that has failed, or won. It ends without a word when it is cancelled meanwhile: what it had to say still counts.
class RunState::HeldBack final : public Blocked, public Held {
public:
    /// `path` of the strand, `siblings` the nodes that it would end; none: the other branches of its join.
    HeldBack(RunState& state, std::string_view path, std::span<const std::string> siblings)
        : Blocked(state, state.holding_back_), Held(path), siblings_(siblings)
    {}
    void await_resume() const noexcept {}

private:
    bool arm() override;
    bool withdraw() noexcept override;
    bool has_unused_victims(const Recorded& recorded) const override;
    void let_go() noexcept override { release(); }

    std::span<const std::string> siblings_;
};

/// Until another strand of this run has come so far. Whoever makes it wait releases it, or unlinks it.
class RunState::Inner : public BlockedEffect {
public:
    Inner(RunState& state, std::string_view path) : BlockedEffect(state, state.inner_, path) {}
    /// Throws Error when nobody can release it any more.
    void await_resume() const;

protected:
    ~Inner() = default;

private:
    friend class RunState;
    bool given_up_ = false;
};

/// Until the seat is theirs.
class RunState::UntilSeated final : public BlockedEffect {
public:
    UntilSeated(RunState& state, std::string_view path, Seats::Claim& claim)
        : BlockedEffect(state, state.unseated_, path), claim_(claim)
    {}
    /// False: whoever has the seat waits for this one.
    bool await_resume() const
    {
        finish();
        return !given_up_;
    }

private:
    friend class RunState;
    Seats::Claim& claim_;
    bool given_up_ = false;
};

/// For a strand whose run has no future: it is parked with the rest.
class RunState::Never final : public Blocked {
public:
    explicit Never(RunState& state) : Blocked(state, state.forever_) {}
};

/// In a replay, of an effect that was cancelled: until it is cancelled again.
class RunState::UntilCancelled final : public BlockedEffect {
public:
    UntilCancelled(RunState& state, std::string_view path) : BlockedEffect(state, state.doomed_, path) {}
};

/// Until a time that is so far away that the run may be parked.
class RunState::Asleep final : public Blocked, Timer {
public:
    Asleep(RunState& state, Instant due) : Blocked(state, state.forever_), due_(due) {}

private:
    bool arm() override
    {
        loop().start(*this, due_);
        return Blocked::arm();
    }
    void fire() noexcept override { release(); }

    Instant due_;
};

/// Until a task below this one has ended.
class RunState::UntilChildEnds final : public Blocked {
public:
    UntilChildEnds(RunState& state, const Id& child) : Blocked(state, state.children_), child_(child) {}
    const Id& child() const { return child_; }

private:
    Id child_;
};

/// Until fewer tasks below this one are at work.
class RunState::UntilRoom final : public Blocked {
public:
    explicit UntilRoom(RunState& state) : Blocked(state, state.crowd_) {}
};

/// Before another attempt; ends early when the run is held, so that parking it does not take that long.
class RunState::RetryDelay final : public Wait, Timer, public Link<DelayTag> {
public:
    RetryDelay(RunState& state, Millis delay) : state_(state), delay_(delay) {}
    void await_resume() const { finish(); }

private:
    friend class RunState;
    bool arm() override
    {
        if (state_.holding_) return false;
        loop().start(*this, later(loop().now(), delay_));
        state_.delays_.push_back(*this);
        return true;
    }
    bool withdraw() noexcept override
    {
        Link<DelayTag>::unlink();
        stop();
        return true;
    }
    void fire() noexcept override { wake(); }

    RunState& state_;
    Millis delay_;
};

/// Until a person answers the question at `path`, or until `due`, when the timeout is the answer.
class RunState::UntilAnswered final : public Blocked, Timer {
public:
    UntilAnswered(RunState& state, std::string path, std::optional<Time> due)
        : Blocked(state, state.questions_), path_(std::move(path)), due_(due)
    {}
    const std::string& path() const { return path_; }
    model::HumanAnswer await_resume();

private:
    bool arm() override;
    bool withdraw() noexcept override;
    void fire() noexcept override;

    std::string path_;
    std::optional<Time> due_;
};

}  // namespace cadre::engine
