// ask, sleep, now, fresh_id: people, time and chance.
#include "base/mutant.hpp"
#include "base/timeout.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"
#include "engine/step_id.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

/// A sleep that is shorter keeps its run in memory.
constexpr Millis kParkAfter{10'000};

class Asking final : public Performer {
public:
    Asking(RunState& state, std::string path) : state_(state), path_(std::move(path)) {}

    Async<Answered> attempt(Attempt) override
    {
        std::optional<Instant> due;
        for (const OpenQuestion& question : state_.view().questions)
            if (question.path == path_ && question.due)
                due = state_.deadline_of(path_, *question.due, question.asked_at);
        answer = co_await RunState::UntilAnswered(state_, path_, due);
        co_return Answered{.recorded = true};
    }

    model::HumanAnswer answer;

private:
    RunState& state_;
    std::string path_;
};

class Sleeping final : public Performer {
public:
    Sleeping(RunState& state, std::string path, Time begun, Time due)
        : state_(state), path_(std::move(path)), begun_(begun), due_(due)
    {}

    Async<Answered> attempt(Attempt attempt) override
    {
        if (attempt.intent && !is_mutant(Mutant::timer_lost_on_restart)) {
            const auto intent = body_of<IntentBody>(*attempt.intent);
            due_ = required(own_of<SleepIntent>(intent, *attempt.intent).due, *attempt.intent);
            begun_ = attempt.intent->at;
        }
        const Instant due = is_mutant(Mutant::timer_lost_on_restart) ? later(state_.env().loop.now(), due_ - begun_)
                                                                     : state_.deadline_of(path_, due_, begun_);
        if (due < later(state_.env().loop.now(), kParkAfter)) co_await sleep_until(due);
        else co_await RunState::Asleep(state_, due);
        co_return Answered{};
    }

private:
    RunState& state_;
    std::string path_;
    Time begun_;
    Time due_;
};

/// Something that is known at once and only has to stay the same.
template <class Outcome>
class RecordValue final : public Performer {
public:
    /// What the outcome says outlives it.
    explicit RecordValue(const Outcome& outcome) : outcome_(outcome) {}

    Async<Answered> attempt(Attempt) override
    {
        Answered answered;
        answered.members.reserve(kUsualValue);
        append_members(answered.members, outcome_);
        co_return answered;
    }

private:
    static constexpr std::size_t kUsualValue = 48;

    Outcome outcome_;
};

/// The time when it is recorded: whoever asks may have waited for a seat first.
class TellTime final : public Performer {
public:
    explicit TellTime(RunState& state) : state_(state) {}

    Async<Answered> attempt(Attempt) override
    {
        time = state_.journal().now();
        Answered answered;
        append_members(answered.members, NowOutcome{.at = time});
        co_return answered;
    }

    Time time{};

private:
    RunState& state_;
};

}  // namespace

Async<> Run::record_winner(std::string path, std::size_t winner)
{
    Effect effect{.ask = RequestDigest(EffectKind::first), .path = std::move(path)};
    effect.records_intent = effect.leaves = false;
    RecordValue recording(FirstOutcome{.winner = static_cast<std::int64_t>(winner)});
    co_await perform(std::move(effect), recording);
}

/// In a scope of its own: parts of one flow come to their joins at the same time.
Async<> Run::record_winners(std::string path, std::vector<std::uint32_t> winners)
{
    if (is_mutant(Mutant::winners_not_recorded)) co_return;
    Run join(state_, path + '/');
    Effect effect{.ask = RequestDigest(EffectKind::join), .path = std::move(path)};
    effect.records_intent = effect.leaves = false;
    RecordValue recording(JoinOutcome{.winners = winners});
    co_await join.perform(std::move(effect), recording);
}

Async<model::HumanAnswer> Run::ask(Question question)
{
    const std::string path = next_path(EffectKind::ask);
    Effect effect{.ask = RequestDigest(EffectKind::ask), .path = path};
    effect.ask.part("type", model::to_json_text(question.type))
        .part("agent", question.agent)
        .part("context", to_canonical_text(boost::json::value(question.context)));
    effect.agent = question.agent;
    effect.effect_class = model::Effect::idempotent;
    effect.continues = true;
    effect.leaves = false;  // nothing leaves; a run is put away only when its question is on the disk
    effect.intent_events = 2;

    model::HumanRequest request{.id = request_id_of(state_.view().id, path),
                                .task = to_string(state_.view().id),
                                .checkpoint = path,
                                .type = question.type,
                                .agent = question.agent,
                                .context = std::move(question.context)};
    AskIntent intent{.request = request};
    Time due;
    if (question.timeout) {
        request.timeout_ms = question.timeout->count();
        due = state_.journal().now() + *question.timeout;
        intent.due = due;
    }
    append_members(effect.intent, intent);

    Asking asking(state_, path);
    const auto recorded = co_await perform(std::move(effect), asking);
    if (!recorded) co_return std::move(asking.answer);
    const Body body(*recorded);
    if (const auto* given = body.find<AnswerBody>()) co_return given->answer.get();
    throw_recorded_error(body_of<OutcomeBody>(*recorded));
    throw_unreadable(*recorded, "it does not say what was answered");
}

Async<> Run::sleep(Millis duration)
{
    Effect effect{.ask = RequestDigest(EffectKind::sleep), .path = next_path(EffectKind::sleep)};
    effect.ask.part("duration", std::to_string(duration.count()));
    effect.continues = true;
    effect.leaves = false;
    const Time now = state_.journal().now(), due = now + duration;
    append_members(effect.intent, SleepIntent{.due = due});

    Sleeping sleeping(state_, effect.path, now, due);
    if (const auto recorded = co_await perform(std::move(effect), sleeping))
        throw_recorded_error(body_of<OutcomeBody>(*recorded));
}

Async<Time> Run::now()
{
    Effect effect{.ask = RequestDigest(EffectKind::now), .path = next_path(EffectKind::now)};
    effect.records_intent = effect.leaves = false;
    TellTime telling(state_);
    const auto recorded = co_await perform(std::move(effect), telling);
    if (!recorded) co_return telling.time;
    co_return required(own_of<NowOutcome>(body_of<OutcomeBody>(*recorded), *recorded).at, *recorded);
}

Async<Id> Run::fresh_id()
{
    Effect effect{.ask = RequestDigest(EffectKind::fresh_id), .path = next_path(EffectKind::fresh_id)};
    effect.records_intent = effect.leaves = false;
    const Id id = new_id(state_.env().random);
    const std::string text = to_string(id);
    RecordValue recording(FreshIdOutcome{.id = text});
    const auto recorded = co_await perform(std::move(effect), recording);
    if (!recorded) co_return id;
    co_return id_from(own_of<FreshIdOutcome>(body_of<OutcomeBody>(*recorded), *recorded).id.str());
}

}  // namespace cadre::engine
