// compact: a conversation that has outgrown its model's window is made shorter. Whether it has is decided live and never twice: a
// release that counts tokens otherwise replays what an older one did.
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/compactor.hpp"
#include "engine/prompt_template.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace cadre::engine {

namespace {

class Compacting final : public Performer {
public:
    std::string members;  // of the outcome, once they are known

    Async<Answered> attempt(Attempt) override
    {
        Answered answered;
        answered.members = std::move(members);
        co_return answered;
    }
};

std::string outcome_of(const Compaction& compaction, const std::vector<TurnMessage>* history)
{
    CompactOutcome outcome{.upto = compaction.upto,
                           .summary = Text::unless_empty(compaction.summary),
                           .tokens_before = compaction.tokens_before,
                           .tokens_after = compaction.tokens_after};
    if (!compaction.kept.empty()) outcome.kept = compaction.kept;
    if (!compaction.shortened.empty()) outcome.shortened = compaction.shortened;
    if (!compaction.inputs.empty()) outcome.inputs = compaction.inputs;
    if (history) outcome.history = *history;
    std::string members;
    append_members(members, outcome);
    return members;
}

Compaction recorded_in(const CompactOutcome& outcome)
{
    return {.upto = outcome.upto.value_or(0),
            .kept = outcome.kept.get(),
            .summary = outcome.summary.str(),
            .shortened = outcome.shortened.get(),
            .inputs = outcome.inputs.get()};
}

}  // namespace

Async<> Run::compact(const Agent& agent)
{
    return compact_before(agent, scope_);
}

/// `next`: the path of what follows, or the scope in which it does.
Async<> Run::compact_before(const Agent& agent, std::string next)
{
    models_.clear();
    Effect effect{.ask = RequestDigest(EffectKind::compact), .path = next_path(EffectKind::compact)};
    effect.leaves = effect.records_intent = false;
    effect.outcome_events = 1;
    append_members(effect.outcome, CompactOutcome{.agent = agent.name});
    const std::string path = effect.path;
    const std::string inside = path + '/';
    Compactor* compactor = state_.env().compactor;
    Compacting compacting;
    const RecordedEffect* known = state_.take(path);
    if (!known || !known->outcome) {
        const bool begun = state_.replaying() && state_.recorded().has_unused(inside);
        if (!begun && came_by(next) && !is_mutant(Mutant::compaction_decided_again)) co_return;
        // a rehearsal does nothing at the frontier: what it stops at is the model call behind this
        if (!begun && (!compactor || state_.rehearsing())) co_return;
        if (!begun && state_.replaying()) co_await RunState::Gate(state_, path);
        if (!begun && !compactor->is_full(window_of(agent, Waiting::told))) co_return;
        if (!compactor)
            throw Error(Code::invalid, path + ": the conversation is being made shorter, and this program cannot: it "
                                              "needs Env::compactor");
        const Busy busy(*this, path);
        Run inner(state_, inside);
        inner.is_compacting_ = inner.fails_when_spent_ = true;
        Compaction compaction = co_await inner.plan_compaction(*this, agent, begun);
        if (compaction.changes_nothing()) co_return;
        hear(compaction.inputs);
        if (compaction.upto > 0) {
            const Window window = window_of(agent, Waiting::left_out);
            co_await compactor->sum_up(inner, agent, window, compaction);
        }
        const bool is_about_history = replace_messages(compaction);
        const auto history = texts_of_history();
        compacting.members = outcome_of(compaction, is_about_history ? &history : nullptr);
    } else {
        state_.recorded().skip_all(inside);
    }
    if (const auto recorded = co_await perform(std::move(effect), compacting)) {
        const auto body = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(body);
        const Compaction compaction = recorded_in(own_of<CompactOutcome>(body, *recorded));
        hear(compaction.inputs);
        replace_messages(compaction);
    }
}

/// Where a model sums up, what it is asked follows from the plan, so that is recorded first: another count of tokens must not change it.
Async<Compaction> Run::plan_compaction(Run& outer, const Agent& agent, bool begun)
{
    Compactor& compactor = *state_.env().compactor;
    const auto plan = [&]() -> Async<Compaction> {
        const Window window = outer.window_of(agent, Waiting::told);
        std::vector<std::uint32_t> inputs;
        for (const auto& [number, text] : state_.instructions()) inputs.push_back(number);
        Compaction compaction = co_await compactor.plan(outer, agent, window);
        compaction.inputs = std::move(inputs);
        co_return compaction;
    };
    Compaction compaction;
    if (!begun) compaction = co_await plan();
    if (!begun && !compaction.sums_up) co_return compaction;
    co_return co_await node("plan", [&](Run&) -> Async<Compaction> {
        if (begun) co_return co_await plan();
        co_return compaction;
    });
}

/// What the agent's next model call would be sent. Instructions that wait are told with it, or are `left_out`.
Window Run::window_of(const Agent& agent, Waiting waiting)
{
    Window window{.request = request_for(agent, 0, 1), .limit = agent.memory.short_term_limit};
    const TaskState& task = state_.view();
    if (agent.prompt) {
        try {
            window.request.instructions =
                agent.prompt->render(agent.prompt->variables(task.id, task.spec, shown_state_.get()));
        } catch (const Error&) {
            // the model call that follows says so
        }
    }
    if (waiting == Waiting::told && !is_compacting_)
        for (const auto& [number, text] : state_.instructions())
            window.request.messages.push_back(
                std::make_shared<const llm::Message>(llm::Message{.role = model::Role::user, .text = text}));
    if (models_.empty())
        for (const model::LlmConfig& config : agent.models) {
            try {
                models_.push_back(state_.env().models(config, task.id, task.spec.project));
            } catch (const Error&) {
                // the same
            }
        }
    window.models = models_;
    return window;
}

void Run::hear(const std::vector<std::uint32_t>& inputs)
{
    auto& waiting = state_.instructions();
    for (const std::uint32_t number : inputs) {
        const auto place = std::ranges::find(waiting, number, &std::pair<std::uint32_t, std::string>::first);
        if (place != waiting.end()) {
            tell(std::move(place->second));
            waiting.erase(place);
        } else if (const auto* input = state_.recorded().find(number)) {
            tell(body_of<InstructionBody>(*input).text.str());
        }
    }
}

std::vector<TurnMessage> Run::texts_of_history() const
{
    std::vector<TurnMessage> texts;
    for (const auto& message : history_) texts.push_back({message->role, message->text});
    return texts;
}

/// Returns whether that changes what is told of the session before the task.
bool Run::replace_messages(const Compaction& compaction)
{
    using Message = std::shared_ptr<const llm::Message>;
    bool is_about_history = false;
    const auto stands_for_history = [this](const Message& message) {
        return std::ranges::find(history_, message) != history_.end();
    };
    const std::size_t upto = std::min(static_cast<std::size_t>(compaction.upto), messages_.size());
    for (const ShortenedMessage& one : compaction.shortened) {
        if (one.message < 0 || static_cast<std::size_t>(one.message) >= messages_.size()) continue;
        auto& message = messages_[static_cast<std::size_t>(one.message)];
        llm::Message shorter = *message;
        shorter.text = one.text;
        shorter.images.clear();
        const Message old = std::exchange(message, std::make_shared<const llm::Message>(std::move(shorter)));
        if (!stands_for_history(old)) continue;
        std::ranges::replace(history_, old, message);
        is_about_history = true;
    }

    std::vector<Message> now, history;
    const auto add = [&](const Message& message, bool is_history) {
        now.push_back(message);
        if (is_history) history.push_back(message);
    };
    std::size_t checked = 0;
    for (const std::uint32_t number : compaction.kept) {
        if (number >= upto) continue;
        add(messages_[number], stands_for_history(messages_[number]));
        if (number < checked_) ++checked;
    }
    const auto count = [&](const std::vector<Message>& some) {
        return std::ranges::count_if(some, stands_for_history);
    };
    const std::vector<Message> gone(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(upto));
    const bool sums_up_history = count(gone) > count(now);
    is_about_history = is_about_history || sums_up_history;
    if (!compaction.summary.empty()) {
        llm::Message summary{.role = model::Role::user, .text = compaction.summary};
        add(std::make_shared<const llm::Message>(std::move(summary)), sums_up_history);
    }
    if (upto <= checked_)
        checked = now.size() + std::min(checked_, messages_.size()) - upto;  // else the summary is checked
    for (std::size_t i = upto; i < messages_.size(); ++i) add(messages_[i], stands_for_history(messages_[i]));
    messages_ = std::move(now);
    history_ = std::move(history);
    checked_ = checked;
    messages_digest_ = {};
    digested_ = 0;
    return is_about_history;
}

}  // namespace cadre::engine
