// check: what guardrails say of a text. It is recorded only where they found something, so that policies which change between a crash
// and its resume are never asked again about what has passed.
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

namespace {

class Checking final : public Performer {
public:
    Checking(Guard* guard, GuardedText text) : guard_(guard), text_(std::move(text)) {}

    Async<Answered> attempt(Attempt) override
    {
        if (guard_) verdict = co_await guard_->check(text_);
        Answered answered{.events = 0, .nothing = verdict.found_nothing()};
        if (answered.nothing) co_return answered;
        for (const model::GuardrailCheck& check : verdict.checks)
            if (check.status != model::CheckStatus::passed) ++*answered.events;
        CheckOutcome outcome{.place = text_.place,
                             .action = verdict.action,
                             .checks = verdict.checks,
                             .policy = Text::unless_empty(verdict.policy)};
        if (verdict.action == GuardAction::rewrite) outcome.text = verdict.text;
        append_members(answered.members, outcome);
        co_return answered;
    }

    GuardVerdict verdict;

private:
    Guard* guard_;
    GuardedText text_;
};

}  // namespace

Async<GuardVerdict> Run::check(Place place, std::string text, CheckOptions options)
{
    std::string path = next_path(EffectKind::check);
    Guard* guard = state_.env().guardrails;
    if (!guard && !state_.replaying()) co_return GuardVerdict{};
    Effect effect{.ask = RequestDigest(EffectKind::check), .path = std::move(path)};
    effect.ask.part("place", model::wire_name(place)).part("text", text);
    append_members(effect.outcome, CheckOutcome{.agent = Text::unless_empty(options.agent)});
    effect.agent = options.agent;
    effect.leaves = effect.records_intent = false;
    effect.optional = true;
    effect.followed_by = options.followed_by.empty() ? scope_ : options.followed_by;
    Checking checking(guard, {.tenant = state_.view().tenant,
                              .agent = options.agent,
                              .place = place,
                              .tool = options.tool,
                              .text = std::move(text)});
    const auto recorded = co_await perform(std::move(effect), checking);
    if (recorded && is_mutant(Mutant::verdict_taken_again)) co_await checking.attempt({});
    else if (recorded) {
        const auto outcome = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(outcome);
        const auto& check = own_of<CheckOutcome>(outcome, *recorded);
        co_return GuardVerdict{.action = check.action.get(),
                               .checks = check.checks.get(),
                               .policy = check.policy.str(),
                               .text = check.text.str()};
    }
    co_return std::move(checking.verdict);
}

}  // namespace cadre::engine
