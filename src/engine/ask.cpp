// ask, sleep, now, fresh_id: people, time and chance.
#include "base/mutant.hpp"
#include "base/timeout.hpp"
#include "engine/body.hpp"
#include "engine/json_fragment.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
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
        std::optional<Time> due;
        for (const OpenQuestion& question : state_.view().questions)
            if (question.path == path_) due = question.due;
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
    Sleeping(RunState& state, Time due) : state_(state), due_(due) {}

    Async<Answered> attempt(Attempt attempt) override
    {
        if (attempt.intent && !is_mutant(Mutant::timer_lost_on_restart)) due_ = Body(*attempt.intent).time("due");
        const Clock& clock = state_.env().loop.clock();
        const Millis left = std::max(due_ - clock.now(), Millis{0});
        if (left < kParkAfter) co_await sleep_for(left);
        else co_await RunState::Asleep(state_, later(clock.instant(), left));
        co_return Answered{};
    }

private:
    RunState& state_;
    Time due_;
};

/// Something that is known at once and only has to stay the same.
class Fixing final : public Performer {
public:
    Fixing(std::string_view name, std::string value) : name_(name), value_(std::move(value)) {}

    Async<Answered> attempt(Attempt) override
    {
        Answered answered;
        JsonFragment(answered.fields).field(name_, value_);
        co_return answered;
    }

private:
    std::string_view name_;
    std::string value_;
};

class Winning final : public Performer {
public:
    explicit Winning(std::size_t winner) : winner_(winner) {}

    Async<Answered> attempt(Attempt) override
    {
        Answered answered;
        JsonFragment(answered.fields).field("winner", static_cast<std::int64_t>(winner_));
        co_return answered;
    }

private:
    std::size_t winner_;
};

}  // namespace

Async<> Run::record_winner(std::string path, std::size_t winner)
{
    Effect effect{.ask = Ask(EffectKind::first), .path = std::move(path)};
    effect.records_intent = effect.leaves = false;
    Winning winning(winner);
    co_await perform(std::move(effect), winning);
}

Async<model::HumanAnswer> Run::ask(Question question)
{
    const std::string path = next_path(EffectKind::ask);
    Effect effect{.ask = Ask(EffectKind::ask), .path = path};
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
    JsonFragment intent(effect.intent);
    if (question.timeout) {
        request.timeout_ms = question.timeout->count();
        intent.field("due", to_iso(state_.journal().now() + *question.timeout));
    }
    intent.raw("request", model::to_json_text(request));

    Asking asking(state_, path);
    const auto recorded = co_await perform(std::move(effect), asking);
    if (!recorded) co_return std::move(asking.answer);
    const Body body(*recorded);
    throw_recorded_error(body);
    co_return body.read<model::HumanAnswer>("answer");
}

Async<> Run::sleep(Millis duration)
{
    Effect effect{.ask = Ask(EffectKind::sleep), .path = next_path(EffectKind::sleep)};
    effect.ask.part("duration", std::to_string(duration.count()));
    effect.continues = true;
    effect.leaves = false;
    const Time due = state_.journal().now() + duration;
    JsonFragment(effect.intent).field("due", to_iso(due));

    Sleeping sleeping(state_, due);
    if (const auto recorded = co_await perform(std::move(effect), sleeping)) throw_recorded_error(Body(*recorded));
}

Async<Time> Run::now()
{
    Effect effect{.ask = Ask(EffectKind::now), .path = next_path(EffectKind::now)};
    effect.records_intent = effect.leaves = false;
    const Time time = state_.journal().now();
    Fixing fixing("at", to_iso(time));
    const auto recorded = co_await perform(std::move(effect), fixing);
    co_return recorded ? Body(*recorded).time("at") : time;
}

Async<Id> Run::fresh_id()
{
    Effect effect{.ask = Ask(EffectKind::fresh_id), .path = next_path(EffectKind::fresh_id)};
    effect.records_intent = effect.leaves = false;
    const Id id = new_id(state_.env().random);
    Fixing fixing("id", to_string(id));
    const auto recorded = co_await perform(std::move(effect), fixing);
    co_return recorded ? id_from(Body(*recorded).text("id")) : id;
}

}  // namespace cadre::engine
