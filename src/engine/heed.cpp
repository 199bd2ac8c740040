// heed and announce: what people changed meanwhile, and what a run tells them. Both have only an outcome.
#include "base/json.hpp"
#include "base/mutant.hpp"
#include "engine/announce.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

using Inputs = std::vector<std::pair<std::uint32_t, std::string>>;

/// Of several changes of one thing the last counts.
void take_in(Heard& heard, std::string& config, const std::string& body)
{
    const storage::Record record{.kind = storage::RecordKind::setting, .body = body};
    const auto setting = body_of<SettingBody>(record);
    if (setting.plan.is_set()) heard.plan = json_in(setting.plan.text, record);
    if (setting.next_agent.is_set()) heard.next_agent = setting.next_agent.str();
    if (setting.config.is_set()) config = setting.config.str();
}

class Heeding final : public Performer {
public:
    Heeding(RunState& state, bool optional) : state_(state), optional_(optional) {}

    Async<Answered> attempt(Attempt) override
    {
        inputs = std::exchange(state_.interventions(), {});
        if (optional_ && inputs.empty()) co_return Answered{.nothing = true};
        std::vector<std::uint32_t> numbers;
        for (const auto& [number, body] : inputs) numbers.push_back(number);
        HeedOutcome outcome{.seen = state_.journal().seq()};
        if (!numbers.empty()) outcome.inputs = numbers;
        Answered answered;
        append_members(answered.members, outcome);
        co_return answered;
    }

    Inputs inputs;

private:
    RunState& state_;
    bool optional_;
};

/// Looks, and takes nothing.
class Peeking final : public Performer {
public:
    explicit Peeking(RunState& state) : state_(state) {}

    Async<Answered> attempt(Attempt) override
    {
        is_told = !state_.interventions().empty();
        co_return Answered{.nothing = true};
    }

    bool is_told = false;

private:
    RunState& state_;
};

class Announcing final : public Performer {
public:
    Announcing(RunState& state, Fact& fact, std::function<void(Fact&)> complete)
        : state_(state), fact_(fact), complete_(std::move(complete))
    {}

    Async<Answered> attempt(Attempt) override
    {
        if (complete_) complete_(fact_);
        const Time now = state_.journal().now();
        for (model::Event& event : fact_.events)
            std::visit(
                [&](auto& one) {
                    if constexpr (requires { one.timestamp; }) one.timestamp = now;
                },
                event);
        const std::string text = to_text(fact_.fact);
        AnnounceOutcome outcome{.what = fact_.what,
                                .agent = Text::unless_empty(fact_.agent),
                                .key = Text::unless_empty(fact_.key),
                                .fact = RawJson{text}};
        if (!fact_.events.empty()) outcome.events = fact_.events;
        Answered answered{.events = static_cast<int>(fact_.events.size())};
        append_members(answered.members, outcome);
        co_return answered;
    }

private:
    RunState& state_;
    Fact& fact_;
    std::function<void(Fact&)> complete_;
};

}  // namespace

Async<Heard> Run::heed()
{
    Effect effect{.ask = RequestDigest(EffectKind::heed), .path = next_path(EffectKind::heed)};
    effect.leaves = effect.records_intent = false;
    return take_changes(std::move(effect));
}

Async<Heard> Run::heed_if_told()
{
    if (!state_.replaying() && state_.interventions().empty()) {
        ++ordinals_[static_cast<std::size_t>(EffectKind::heed)];
        co_return Heard{};
    }
    Effect effect{.ask = RequestDigest(EffectKind::heed), .path = next_path(EffectKind::heed)};
    effect.leaves = effect.records_intent = false;
    effect.optional = true;
    effect.followed_by = scope_;
    co_return co_await take_changes(std::move(effect));
}

Async<bool> Run::has_news()
{
    Effect effect{.ask = RequestDigest(EffectKind::heed), .path = next_path(EffectKind::heed)};
    effect.leaves = effect.records_intent = false;
    effect.optional = true;
    effect.followed_by = scope_;
    Peeking peeking(state_);
    co_await perform(std::move(effect), peeking);
    co_return peeking.is_told;
}

Async<Heard> Run::take_changes(Effect effect)
{
    Heeding heeding(state_, effect.optional);
    const bool is_empty = state_.interventions().empty() && !state_.recorded().has_unused(effect.path);
    if (is_empty && is_mutant(Mutant::heed_skipped_when_empty)) co_return Heard{};
    if (const auto recorded = co_await perform(std::move(effect), heeding)) {
        const auto outcome = body_of<OutcomeBody>(*recorded);
        for (const std::uint32_t number : own_of<HeedOutcome>(outcome, *recorded).inputs.get())
            if (const storage::Record* input = state_.recorded().find(number))
                heeding.inputs.emplace_back(number, input->body);
    }
    Heard heard;
    std::string config;
    for (const auto& [number, body] : heeding.inputs) take_in(heard, config, body);
    if (config.empty()) co_return heard;
    state_.change_team(co_await state_.owner().team_of(config));
    heard.is_team_changed = true;
    co_return heard;
}

Async<> Run::announce(Fact fact)
{
    return announce_then(*this, std::move(fact), {});
}

Async<> announce_logged(Run& run, Fact fact)
{
    const Log log = run.state().env().log;
    co_await announce_then(run, std::move(fact), [log](Fact& now) {
        const std::string entry = to_text(now.fact);
        log.info(now.what, {{"entry", entry}});
    });
}

Async<> announce_then(Run& run, Fact fact, std::function<void(Fact&)> complete)
{
    Effect effect{.ask = RequestDigest(EffectKind::announce), .path = run.next_path(EffectKind::announce)};
    effect.ask.part("what", fact.what).part("agent", fact.agent).part("key", fact.key);
    effect.leaves = effect.records_intent = false;
    Announcing announcing(run.state(), fact, std::move(complete));
    co_await run.perform(std::move(effect), announcing);
}

}  // namespace cadre::engine
