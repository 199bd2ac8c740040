// What a strand of a run can wait for. A strand that waits so does nothing and has nothing under way; once all do, the run is at rest.
#pragma once

#include "base/linked.hpp"
#include "base/loop.hpp"
#include "base/wait.hpp"
#include "engine/run_state.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace cadre::engine {

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
    UntilAnswered(RunState& state, std::string path, std::optional<Instant> due)
        : Blocked(state, state.questions_), path_(std::move(path)), due_(due)
    {}
    const std::string& path() const { return path_; }
    model::HumanAnswer await_resume();

private:
    bool arm() override;
    bool withdraw() noexcept override;
    void fire() noexcept override;

    std::string path_;
    std::optional<Instant> due_;
};

}  // namespace cadre::engine
