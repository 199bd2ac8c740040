// check: what guardrails say of a text. It is recorded only where they found something, so that policies which change between a crash
// and its resume are never asked again about what has passed.
#include "base/error.hpp"
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/consent.hpp"
#include "engine/guarded.hpp"
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
        answered.events = count_violations(verdict);
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

bool is_watched(const RunState& state, Place place, std::string_view agent)
{
    Guard* guard = state.env().guardrails;
    return guard && guard->watches(state.pinned().team, agent, place);
}

GuardedText guarded_text(const RunState& state, Place place, std::string agent, std::string text)
{
    return {.team = state.pinned().team,
            .tenant = state.view().tenant,
            .agent = std::move(agent),
            .place = place,
            .text = std::move(text)};
}

std::string blocked_by(const GuardVerdict& verdict)
{
    std::string policies;
    for (const model::GuardrailCheck& check : verdict.checks) {
        if (check.status != model::CheckStatus::failed || !check.policy_violated) continue;
        policies += (policies.empty() ? "policy " : "; policy ") + in_quotes(*check.policy_violated);
        if (check.message) policies += " (" + *check.message + ")";
    }
    return policies.empty() ? "a policy" : policies;
}

int count_violations(const GuardVerdict& verdict)
{
    return static_cast<int>(std::ranges::count_if(
        verdict.checks, [](const auto& check) { return check.status != model::CheckStatus::passed; }));
}

bool Run::must_check(Place place, std::string_view agent)
{
    if (state_.replaying() || is_watched(state_, place, agent)) return true;
    ++ordinals_[static_cast<std::size_t>(EffectKind::check)];  // as it is where there is one
    return false;
}

Async<GuardVerdict> Run::check(Place place, std::string text, CheckOptions options)
{
    std::string path = next_path(EffectKind::check);
    Guard* guard = is_watched(state_, place, options.agent) ? state_.env().guardrails : nullptr;
    if (!guard && !state_.replaying()) co_return GuardVerdict{};
    Effect effect{.ask = RequestDigest(EffectKind::check), .path = std::move(path)};
    effect.ask.part("place", model::wire_name(place)).part("text", text);
    append_members(effect.outcome, CheckOutcome{.agent = Text::unless_empty(options.agent)});
    effect.agent = options.agent;
    effect.leaves = effect.records_intent = false;
    effect.optional = true;
    effect.followed_by = options.followed_by.value_or(scope_);
    GuardedText guarded = guarded_text(state_, place, options.agent, std::move(text));
    guarded.tool = options.tool;
    guarded.is_call = options.is_call;
    Checking checking(guard, std::move(guarded));
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

Async<std::string> Run::let_pass(Place place, std::string what, std::string text, CheckOptions options)
{
    if (!options.scope.empty()) {
        if (!state_.replaying() && !is_watched(state_, place, options.agent)) co_return text;
        options.followed_by = options.followed_by.value_or(scope_);
        Run within(state_, std::exchange(options.scope, {}));
        co_return co_await within.let_pass(place, std::move(what), std::move(text), std::move(options));
    }
    const std::string agent = options.agent;
    GuardVerdict verdict = co_await check(place, text, std::move(options));
    if (verdict.action == GuardAction::block)
        throw Error(Code::forbidden, what + " was withheld by " + blocked_by(verdict));
    if (verdict.action == GuardAction::rewrite) co_return std::move(verdict.text);
    if (verdict.action != GuardAction::ask) co_return text;
    Question question{.type = model::HumanRequestType::approval, .agent = agent};
    question.context["question"] = "Let pass " + what + "? It breaks " + blocked_by(verdict) + ".";
    question.context["text"] = text;
    const model::HumanAnswer answer = co_await ask(std::move(question));
    if (answer.verb == model::HumanVerb::approve) co_return text;
    throw Error(Code::forbidden, what + " was withheld by " + blocked_by(verdict) + ": " + words_of(answer));
}

}  // namespace cadre::engine
