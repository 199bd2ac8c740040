// recall and remember: what a run asks of its memory.
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/memory_use.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::engine {

namespace {

class Recalling final : public Performer {
public:
    Recalling(const Env& env, MemoryOwner owner, MemoryQuery& query)
        : env_(env), owner_(std::move(owner)), query_(query)
    {}

    Async<Answered> attempt(Attempt) override
    {
        recall = co_await memory_in(env_, owner_.path).recall(owner_, query_);
        Answered answered;
        append_members(answered.members,
                       RecallOutcome{.hits = recall.hits, .encoder = Text::unless_empty(recall.encoder)});
        co_return answered;
    }

    Recall recall;

private:
    const Env& env_;
    MemoryOwner owner_;
    MemoryQuery& query_;
};

class Remembering final : public Performer {
public:
    Remembering(const Env& env, MemoryOwner owner, MemoryNote& note) : env_(env), owner_(std::move(owner)), note_(note)
    {}

    Async<Answered> attempt(Attempt) override
    {
        remembered = co_await memory_in(env_, owner_.path).remember(owner_, note_);
        Answered answered{.events = remembered.change == MemoryChange::merged ? 0 : 1};
        append_members(answered.members, RememberOutcome{.id = remembered.id,
                                                         .type = remembered.type.empty() ? note_.type : remembered.type,
                                                         .change = remembered.change,
                                                         .size = static_cast<std::int64_t>(note_.text.size())});
        co_return answered;
    }

    Remembered remembered;

private:
    const Env& env_;
    MemoryOwner owner_;
    MemoryNote& note_;
};

}  // namespace

MemoryPort& memory_in(const Env& env, std::string_view what)
{
    if (!env.memory)
        throw Error(Code::invalid, fmt::format("{}: this program has no memory; it needs Env::memory", what));
    return *env.memory;
}

MemoryOwner memory_owner(const RunState& state, const std::string& path, std::string_view agent)
{
    const TaskState& view = state.view();
    const TeamAgents& agents = state.pinned();
    const auto found = std::ranges::find(agents, agent, &Agent::name);
    MemoryOwner owner{.tenant = view.tenant,
                      .task = view.id,
                      .path = path,
                      .session = view.spec.session.value_or(""),
                      .user = view.spec.created_by,
                      .team = agents.team ? agents.team->name : "",
                      .project = view.spec.project};
    if (found != agents.end()) owner.config = found->memory;
    else if (agents.team) owner.config = agents.team->memory_config;
    return owner;
}

Async<Recall> Run::recall(MemoryQuery query)
{
    Effect effect{.ask = RequestDigest(EffectKind::recall), .path = next_path(EffectKind::recall)};
    std::string limits = std::to_string(query.limit);
    if (query.threshold) limits += fmt::format(" {}", *query.threshold);
    effect.ask.part("query", query.text).part("scope", query.scope).part("limits", limits);
    append_members(
        effect.outcome,
        RecallOutcome{.agent = Text::unless_empty(query.agent), .query = query.text, .threshold = query.threshold});
    effect.agent = query.agent;
    effect.leaves = effect.records_intent = state_.env().memory && state_.env().memory->is_remote();
    effect.outcome_events = 1;
    Recalling recalling(state_.env(), memory_owner(state_, effect.path, query.agent), query);
    if (const auto recorded = co_await perform(std::move(effect), recalling)) {
        const auto outcome = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(outcome);
        const auto& recall = own_of<RecallOutcome>(outcome, *recorded);
        Recall found{.hits = recall.hits.get(), .encoder = recall.encoder.str()};
        for (const MemoryHit& hit : found.hits) recalled_.push_back(hit.id);
        co_return found;
    }
    for (const MemoryHit& hit : recalling.recall.hits) recalled_.push_back(hit.id);
    co_return std::move(recalling.recall);
}

/// It has no intent: done again after a crash, it finds itself.
Async<Remembered> Run::remember(MemoryNote note)
{
    Effect effect{.ask = RequestDigest(EffectKind::remember), .path = next_path(EffectKind::remember)};
    effect.ask.part("scope", note.scope).part("type", note.type).part("text", note.text);
    append_members(effect.outcome, RememberOutcome{.agent = Text::unless_empty(note.agent)});
    effect.agent = note.agent;
    effect.effect_class = model::Effect::idempotent;
    effect.leaves = effect.records_intent = false;
    MemoryOwner owner = memory_owner(state_, effect.path, note.agent);
    if (is_mutant(Mutant::remembered_twice)) owner.path += std::to_string(state_.journal().owner().epoch);
    Remembering remembering(state_.env(), std::move(owner), note);
    if (const auto recorded = co_await perform(std::move(effect), remembering)) {
        const auto outcome = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(outcome);
        const auto& remember = own_of<RememberOutcome>(outcome, *recorded);
        co_return Remembered{.id = remember.id.str(), .change = remember.change.get()};
    }
    co_return std::move(remembering.remembered);
}

}  // namespace cadre::engine
