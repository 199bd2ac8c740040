// EffectRun: one effect while it is performed: what it decides and what it writes. The waiting is in Run::perform.
#pragma once

#include "base/cancel.hpp"
#include "base/mutant.hpp"
#include "engine/perform.hpp"
#include "engine/recorded.hpp"
#include "engine/run_state.hpp"
#include "engine/witness.hpp"
#include "model/human.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::engine {

/// What keeps an effect from beginning.
enum class Obstacle : std::uint8_t { none, stopped, refund };

/// What follows from an attempt.
struct Verdict {
    bool done = false;
    std::optional<Millis> again_in{};  // before the next attempt
};

class EffectRun {
public:
    EffectRun(RunState& state, Effect& effect, Performer& performer, const CancelScope* scope)
        : state_(state), effect_(effect), performer_(performer), scope_(scope), ask_(effect.ask.digest())
    {}

    /// Takes over what an earlier process left unfinished. Copies: the record dies with the replay.
    void continue_from(const RecordedEffect& recorded);

    /// Whether the last dispatch may or may not have happened and must not be repeated on suspicion.
    bool is_unknown() const
    {
        return dispatched_ && effect_.effect_class == model::Effect::once && !is_mutant(Mutant::redo_unresolved_intent);
    }
    /// A person's answer that is recorded already; else one must be asked for, once ask_a_person() has put the question.
    std::optional<model::HumanAnswer> recorded_answer() { return std::exchange(answer_, {}); }
    bool was_asked() const { return asked_; }
    /// Neither has the other side seen it: what the person hears besides. Throws EffectFailed where nobody is to be asked.
    void found_nothing(const Evidence& evidence);
    void ask_a_person();
    /// Nobody is asked, because something else follows: what is not known has failed.
    [[noreturn]] void fail_unknown();
    /// It cannot begin, and never will.
    [[noreturn]] void give_up(const std::string& why) { fail(Code::conflict, why); }
    /// It happened: the outcome that the person gave. It did not: nothing, and the next attempt is a new dispatch. Throws
    /// EffectFailed when the person gave up.
    std::optional<storage::Record> resolve(const model::HumanAnswer& answer);

    /// Reserves what the effect needs, if it may begin now. Throws Cancelled, and EffectFailed at a limit.
    Obstacle begin();
    void record_intent();
    const Attempt& attempt() const { return attempt_; }
    /// How long the attempt may take; people and timers have their own time.
    std::optional<Millis> limit() const;
    /// How long the next attempt of an earlier process's effect was still to wait.
    Millis delay_left() const
    {
        if (not_before_ == Time{}) return Millis{0};  // nearly always; the clock need not be asked
        return std::clamp(not_before_ - state_.journal().now(), Millis{0},
                          longest_delay_);  // the clock may have been set
    }

    /// One of these ends an attempt. Throws Cancelled or EffectFailed, once the journal says so.
    Verdict answered(Answered& answer);
    Verdict failed(const std::exception_ptr& failure);
    [[noreturn]] void cancelled();

private:
    std::string_view why_unknown() const;
    struct Failure;

    bool scope_cancelled() const { return scope_ && scope_->cancelled(); }
    void count_iterations();
    void settle(const Spending& spent);
    void record_outcome(std::string_view members, int events, bool succeeded = false);
    [[noreturn]] void fail(Code code, const std::string& message);
    Verdict try_again(const Failure& failure);
    Verdict wait_for_turn(Failure failure);
    /// Of the time that the task may run; nothing: as long as it likes.
    std::optional<Millis> wall_left() const;
    std::string time_is_up() const;
    bool is_soon(std::optional<Millis> delay) const;

    RunState& state_;
    Effect& effect_;
    Performer& performer_;
    const CancelScope* scope_;
    Digest ask_;
    Attempt attempt_;
    std::optional<storage::Record> intent_;  // of an effect that continues
    std::optional<model::HumanAnswer> answer_;
    std::string failure_;          // what kept the last attempt's outcome from being known
    bool asked_ = false;           // the question what came of the last attempt is in the journal
    bool dispatched_ = false;      // the last attempt's outcome is not known
    int failures_ = 0;             // attempts of this choice that failed for certain
    int cut_off_ = 0;              // attempts that ended with their process
    bool asked_to_go_on_ = false;  // whether there should be more of them
    bool measured_ = false;        // what this choice needs
    Time not_before_{};            // of the next attempt
    Millis longest_delay_{0};      // before it
    bool open_ = false;            // its intent is in the journal, how it ended is not
    bool reserved_ = false;
    bool new_key_ = false;  // the next dispatch is no repetition
};

}  // namespace cadre::engine
