// delegate: another agent does it, as a task of its own.
#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"
#include "engine/step_id.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

namespace {

/// How it failed; nothing: it did not.
std::optional<Error> failure_of(const TaskState& child)
{
    if (child.status == model::TaskStatus::completed) return std::nullopt;
    const bool cancelled = child.status == model::TaskStatus::cancelled;
    return Error(cancelled ? Code::cancelled : code_of(child.error_code),
                 "task " + to_string(child.id) + (cancelled ? " was cancelled" : " failed: " + child.error));
}

std::string child_members(const EndedTask& child)
{
    std::string members;
    DelegateOutcome outcome;
    if (child.state.reply && child.state.status == model::TaskStatus::completed) outcome.reply = *child.state.reply;
    if (child.spent && *child.spent != Spending{}) outcome.spent = *child.spent;
    append_members(members, outcome);
    const auto failure = failure_of(child.state);
    if (!failure) return members;
    return members + (members.empty() ? "" : ",") + error_members(failure->code(), failure->what());
}

/// What the task above hands down. Tokens, dollars and steps are the same account's; time is what is left.
Budget budget_below(const TaskState& above, Millis ran, Budget own)
{
    if (above.budget.wall_ms) {
        const std::int64_t left = std::max<std::int64_t>(*above.budget.wall_ms - ran.count(), 1);
        own.wall_ms = std::min(own.wall_ms.value_or(left), left);
    }
    if (!own.depth) own.depth = above.budget.depth;
    return own;
}

/// The child's id follows from where it is delegated, so that a crash between intent and start cannot start two.
class Delegating final : public Performer {
public:
    Delegating(RunState& state, const Id& child, TaskSpec spec, std::string refusal)
        : state_(state), child_(child), spec_(std::move(spec)), refusal_(std::move(refusal))
    {}

    void measure(Effect&, const Attempt&) override
    {
        if (!refusal_.empty()) throw Error(Code::limit, refusal_);
    }

    bool must_queue() override
    {
        const auto& open = state_.view().children;
        const auto is_this = [&](const auto& one) { return one.second == child_; };
        return open.size() >= kMaxChildren && std::ranges::none_of(open, is_this);
    }
    Async<> ready() override
    {
        while (must_queue()) co_await RunState::UntilRoom(state_);
    }

    Async<Answered> attempt(Attempt) override
    {
        co_await state_.owner().start_child(child_, spec_);
        while (true) {
            ended = co_await state_.owner().find_ended(child_);
            if (ended) break;
            co_await RunState::UntilChildEnds(state_, child_);
        }
        co_return Answered{.members = child_members(*ended)};
    }

    std::optional<EndedTask> ended;

private:
    RunState& state_;
    Id child_;
    TaskSpec spec_;
    std::string refusal_;  // empty: it may be started
};

}  // namespace

Async<DelegateReply> Run::try_delegate(const Agent& agent, std::string message, DelegateOptions options)
{
    const TaskState& view = state_.view();
    const std::string path = next_path(EffectKind::delegate);
    const int limit = view.budget.depth.value_or(kMaxDepth);
    std::string refusal;
    if (view.spec.depth >= limit)
        refusal = "depth (" + std::to_string(limit) + ") reached: " + agent.name + " is not started";
    DelegateReply result;
    if (!refusal.empty() && !state_.take(path) && came_by(scope_)) {  // older journals do not have it
        result.failure = Error(Code::limit, refusal);
        co_return result;
    }

    if (!options.from.empty()) {
        CheckOptions checked{.agent = options.from, .followed_by = path, .scope = path + '/'};
        try {
            message = co_await let_pass(Place::delegate, "what " + options.from + " asks of " + agent.name,
                                        std::move(message), std::move(checked));
        } catch (const Error& error) {
            if (error.code() != Code::forbidden) throw;
            result.failure = error;
        }
        if (result.failure) co_return result;
    }
    const Id child = derived_id(to_string(view.id) + '/' + path);
    Effect effect{.ask = RequestDigest(EffectKind::delegate), .path = path};
    effect.ask.part("agent", agent.name).part("message", message);
    if (!options.pattern.empty()) effect.ask.part("pattern", options.pattern);
    if (!options.input.empty()) effect.ask.part("input", to_canonical_text(boost::json::value(options.input)));
    effect.agent = agent.name;
    effect.effect_class = model::Effect::idempotent;
    effect.continues = true;
    const std::string child_id = to_string(child);
    append_members(effect.intent, DelegateIntent{.agent = agent.name, .child = child_id});
    append_members(effect.outcome, DelegateOutcome{.child = refusal.empty() ? Text(child_id) : Text()});

    TaskSpec spec{.description = std::move(message),
                  .agent = agent.name,
                  .pattern = options.pattern.empty() ? view.spec.pattern : std::move(options.pattern),
                  .config = view.spec.config,
                  .model = view.spec.model,
                  .budget = budget_below(view, state_.ran(), options.budget),
                  .created_by = view.spec.created_by,
                  .kind = view.spec.kind,
                  .project = view.spec.project,
                  .parent = to_string(view.id),
                  .depth = view.spec.depth + 1,
                  .breakpoints = view.breakpoints,
                  .input = std::move(options.input)};
    if (!options.parent_step.empty()) spec.parent_step = std::move(options.parent_step);
    // what people must agree to, they must agree to below as well; and who looks at each step does so there
    if (view.spec.mode == model::ExecutionMode::hitl) spec.mode = view.spec.mode;
    else if (view.stepping) spec.mode = model::ExecutionMode::step;

    Delegating delegating(state_, child, std::move(spec), std::move(refusal));
    result.task = child;
    std::optional<storage::Record> recorded;
    try {
        recorded = co_await perform(std::move(effect), delegating);
    } catch (const EffectFailed& error) {
        result.failure = error;
        co_return result;
    }
    if (!recorded) {
        result.failure = failure_of(delegating.ended->state);
        if (!result.failure) result.reply = std::move(*delegating.ended->state.reply);
        co_return result;
    }
    const auto outcome = body_of<OutcomeBody>(*recorded);
    if (const auto error = outcome.error.find()) result.failure = Error(code_of(error->code), error->message);
    else result.reply = own_of<DelegateOutcome>(outcome, *recorded).reply.get();
    co_return result;
}

Async<model::Reply> Run::delegate(const Agent& agent, std::string message, DelegateOptions options)
{
    DelegateReply child = co_await try_delegate(agent, std::move(message), std::move(options));
    if (child.failure) throw EffectFailed(child.failure->code(), child.failure->what());
    co_return std::move(*child.reply);
}

}  // namespace cadre::engine
