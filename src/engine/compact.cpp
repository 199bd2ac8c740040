// compact: a conversation that has outgrown its model's window is made shorter. Whether it has is decided live and never twice: a
// release that counts tokens otherwise replays what an older one did.
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/compactor.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

namespace {

class Compacting final : public Performer {
public:
    explicit Compacting(Compaction& compaction) : compaction_(compaction) {}

    Async<Answered> attempt(Attempt) override
    {
        CompactOutcome outcome{.upto = static_cast<std::int64_t>(compaction_.upto),
                               .summary = Text::unless_empty(compaction_.summary),
                               .tokens_before = compaction_.tokens_before,
                               .tokens_after = compaction_.tokens_after};
        if (!compaction_.kept.empty()) outcome.kept = compaction_.kept;
        if (!compaction_.shortened.empty()) outcome.shortened = compaction_.shortened;
        Answered answered;
        append_members(answered.members, outcome);
        co_return answered;
    }

private:
    Compaction& compaction_;
};

}  // namespace

Async<> Run::compact(const Agent& agent)
{
    return compact_before(agent, scope_);
}

/// `next`: the path of what follows, or the scope in which it does.
Async<> Run::compact_before(const Agent& agent, std::string next)
{
    Effect effect{.ask = RequestDigest(EffectKind::compact), .path = next_path(EffectKind::compact)};
    effect.leaves = effect.records_intent = false;
    effect.outcome_events = 1;
    append_members(effect.outcome, CompactOutcome{.agent = agent.name});
    const std::string path = effect.path;
    const std::string inside = path + '/';
    Compactor* compactor = state_.env().compactor;
    Compaction compaction;
    Compacting compacting(compaction);
    const RecordedEffect* known = state_.take(path);
    if (!known || !known->outcome) {
        const bool begun = state_.replaying() && state_.recorded().has_unused(inside);
        if (!begun && came_by(next) && !is_mutant(Mutant::compaction_decided_again)) co_return;
        if (!begun && !compactor) co_return;
        if (!begun && state_.replaying()) co_await RunState::Gate(state_, path);
        if (!begun && !compactor->is_full(agent, messages_)) co_return;
        if (!compactor)
            throw Error(Code::invalid, path + ": the conversation is being made shorter, and this program cannot: it "
                                              "needs Env::compactor");
        const Busy busy(*this, path);
        Run inner(state_, inside);
        inner.is_compacting_ = true;
        compaction = co_await compactor->compact(inner, agent, messages_);
    } else {
        state_.recorded().skip_all(inside);
    }
    if (const auto recorded = co_await perform(std::move(effect), compacting)) {
        const auto body = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(body);
        const auto& outcome = own_of<CompactOutcome>(body, *recorded);
        compaction = {.upto = static_cast<std::size_t>(outcome.upto.value_or(0)),
                      .kept = outcome.kept.get(),
                      .summary = outcome.summary.str(),
                      .shortened = outcome.shortened.get()};
    }
    replace_messages(compaction);
}

void Run::replace_messages(const Compaction& compaction)
{
    const std::size_t upto = std::min(compaction.upto, messages_.size());
    for (const ShortenedMessage& one : compaction.shortened) {
        if (one.message < 0 || static_cast<std::size_t>(one.message) >= messages_.size()) continue;
        auto& message = messages_[static_cast<std::size_t>(one.message)];
        llm::Message shorter = *message;
        shorter.text = one.text;
        shorter.images.clear();
        message = std::make_shared<const llm::Message>(std::move(shorter));
    }
    const std::size_t unchecked = messages_.size() - std::max(std::min(checked_, messages_.size()), upto);
    std::vector<std::shared_ptr<const llm::Message>> now;
    for (const std::uint32_t number : compaction.kept)
        if (number < upto) now.push_back(messages_[number]);
    if (!compaction.summary.empty())
        now.push_back(
            std::make_shared<const llm::Message>(llm::Message{.role = model::Role::user, .text = compaction.summary}));
    now.insert(now.end(), messages_.begin() + static_cast<std::ptrdiff_t>(upto), messages_.end());
    messages_ = std::move(now);
    checked_ = messages_.size() - unchecked;
    messages_digest_ = {};
    digested_ = 0;
}

}  // namespace cadre::engine
