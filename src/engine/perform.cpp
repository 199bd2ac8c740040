#include "engine/perform.hpp"

#include "base/crash_point.hpp"
#include "base/mutant.hpp"
#include "base/timeout.hpp"
#include "engine/effect_body.hpp"
#include "engine/effect_run.hpp"
#include "engine/reuse.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"
#include "engine/witness.hpp"

namespace cadre::engine {

using storage::Record;

/// Before the first thing that a scope does. Not in a replay: it could seat another branch than the one that sat.
Async<> Run::sit_down(EffectRun& work, const std::string& path)
{
    while (Seats::Claim* claim = state_.seats().missing(path)) {
        if (state_.seats().take(*claim)) continue;
        const std::string whose = claim->group;
        if (!co_await RunState::UntilSeated(state_, path, *claim))
            work.give_up(path + " waits for ever for a seat of " + whose +
                         ": its holder waits for another one; take seats in the same order everywhere");
    }
}

/// Whether the code came this way before, because the journal still holds what comes behind: the effect or node at `next`, or anything in it;
/// all that is left of a scope, where it is one. Of what comes before a model call the last may be there alone: the verdict that made it
/// wait for a person.
bool Run::came_by(std::string_view next)
{
    if (!state_.replaying()) return false;
    const bool is_scope = next.empty() || next.ends_with('/');
    if (is_scope) return state_.recorded().has_unused(next);
    return state_.recorded().has_unused_in(next) || state_.recorded().has_unused(scope_ + "check:");
}

Async<std::optional<Record>> Run::perform(Effect&& effect, Performer& performer)
{
    const Busy one_at_a_time(*this, effect.path);
    const Context& context = co_await this_context();
    EffectRun work(state_, effect, performer, context.scope);

    if (is_mutant(Mutant::seat_taken_in_replay)) co_await sit_down(work, effect.path);
    // replay first
    const RecordedEffect* recorded = state_.take(effect.path);
    // a rehearsal does nothing at the frontier: what it stops at is the effect behind an optional one
    if (effect.optional && !recorded && (state_.rehearsing() || came_by(effect.followed_by))) co_return std::nullopt;
    if (recorded && state_.reuse() && !state_.reuse()->takes(effect, *recorded)) recorded = nullptr;
    if (recorded) {
        if (!state_.seats().empty()) state_.seats().remember(effect.path);
        if (recorded->intent && counts_as_iteration(effect)) state_.iterations().pay_at(effect.path);  // as it did
        if (!state_.reuse() && state_.differs(effect, *recorded)) co_await RunState::Never(state_);
        if (recorded->outcome && was_cancelled(*recorded->outcome))
            co_await RunState::UntilCancelled(state_, effect.path);
        if (recorded->outcome) co_return *recorded->outcome;
        if (effect.continues && recorded->answer) co_return *recorded->answer;
        work.continue_from(*recorded);
    }
    bool was_stopped = false;
    try {
        if (state_.replaying() && !is_mutant(Mutant::no_replay_gate)) co_await RunState::Gate(state_, effect.path);

        // act second
        if (!state_.seats().empty()) co_await sit_down(work, effect.path);
        if (work.delay_left().count() > 0) co_await RunState::RetryDelay(state_, work.delay_left());
        while (true) {
            if (work.is_unknown()) {
                if (effect.has_stand_in) work.fail_unknown();
                auto* witness = work.was_asked() ? nullptr : dynamic_cast<Witness*>(&performer);
                if (witness) {
                    Evidence evidence = co_await witness->look(work.attempt());
                    if (evidence.happened) {
                        work.answered(*evidence.happened);
                        co_return std::nullopt;
                    }
                    work.found_nothing(evidence);
                }
                work.ask_a_person();
                auto answer = work.recorded_answer();
                if (!answer) answer = co_await RunState::UntilAnswered(state_, effect.path, {});
                if (auto outcome = work.resolve(*answer)) co_return outcome;
            }

            while (true) {
                if (performer.must_queue()) co_await performer.ready();
                const Obstacle obstacle = work.begin();
                if (obstacle == Obstacle::none) break;
                performer.give_way();
                if (obstacle == Obstacle::stopped) co_await RunState::Stopped(state_);
                else co_await RunState::Refund(state_);
            }
            work.record_intent();
            const RunState::ToolAtWork tool(state_, effect.ask.kind() == EffectKind::use);

            std::optional<Answered> answer;
            std::exception_ptr failure;
            try {
                // everything so far is on the disk before anything leaves
                if (effect.leaves && !is_mutant(Mutant::dispatch_before_durable))
                    co_await state_.journal().until_durable(state_.journal().seq());
                if (!effect.optional) crash_point("before_dispatch");
                const auto limit = work.limit();
                if (limit) answer = co_await with_timeout(performer.attempt(work.attempt()), *limit, "the call");
                else answer = co_await performer.attempt(work.attempt());
            } catch (const Cancelled&) {
                throw;
            } catch (...) {
                failure = std::current_exception();
            }
            const Verdict verdict = answer ? work.answered(*answer) : work.failed(failure);
            if (verdict.done) co_return std::nullopt;
            if (verdict.again_in->count() > 0) co_await RunState::RetryDelay(state_, *verdict.again_in);
        }
    } catch (const Cancelled&) {
        was_stopped = true;
    }
    if (was_stopped) work.cancelled();
    co_return std::nullopt;  // never
}

}  // namespace cadre::engine
