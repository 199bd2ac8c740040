// delegate: another agent does it, as a task of its own.
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/step_id.hpp"

#include <boost/json.hpp>

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

std::string child_members(const TaskState& child)
{
    if (const auto failure = failure_of(child)) return error_members(failure->code(), failure->what());
    std::string members;
    append_members(members, DelegateOutcome{.reply = *child.reply});
    return members;
}

/// The child's id follows from where it is delegated, so that a crash between intent and start cannot start two.
class Delegating final : public Performer {
public:
    Delegating(RunState& state, const Id& child, TaskSpec spec) : state_(state), child_(child), spec_(std::move(spec))
    {}

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

    std::optional<TaskState> ended;

private:
    RunState& state_;
    Id child_;
    TaskSpec spec_;
};

}  // namespace

Async<model::Reply> Run::delegate(const Agent& agent, std::string message)
{
    const TaskState& view = state_.view();
    const std::string path = next_path(EffectKind::delegate);
    const int limit = view.budget.depth.value_or(kMaxDepth);
    if (view.spec.depth >= limit)
        throw Error(Code::limit, "depth (" + std::to_string(limit) + ") reached: " + agent.name + " is not started");

    const Id child = derived_id(to_string(view.id) + '/' + path);
    TaskSpec spec{.description = message,
                  .agent = agent.name,
                  .pattern = view.spec.pattern,
                  .config = view.spec.config,
                  .model = view.spec.model,
                  .budget = view.budget,
                  .created_by = view.spec.created_by,
                  .kind = view.spec.kind,
                  .project = view.spec.project,
                  .parent = to_string(view.id),
                  .depth = view.spec.depth + 1};

    Effect effect{.ask = RequestDigest(EffectKind::delegate), .path = path};
    effect.ask.part("agent", agent.name).part("message", message);
    effect.agent = agent.name;
    effect.effect_class = model::Effect::idempotent;
    effect.continues = true;
    const std::string child_id = to_string(child);
    append_members(effect.intent, DelegateIntent{.agent = agent.name, .child = child_id});
    append_members(effect.outcome, DelegateOutcome{.child = child_id});

    Delegating delegating(state_, child, std::move(spec));
    const auto recorded = co_await perform(std::move(effect), delegating);
    if (!recorded) {
        if (const auto failure = failure_of(*delegating.ended)) throw EffectFailed(failure->code(), failure->what());
        co_return std::move(*delegating.ended->reply);
    }
    const auto outcome = body_of<OutcomeBody>(*recorded);
    if (const auto error = outcome.error.find()) throw EffectFailed(code_of(error->code), error->message);
    co_return own_of<DelegateOutcome>(outcome, *recorded).reply.get();
}

}  // namespace cadre::engine
