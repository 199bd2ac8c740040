// delegate: another agent does it, as a task of its own.
#include "engine/body.hpp"
#include "engine/json_fragment.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/step_id.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

std::string fields_of(const TaskState& child)
{
    std::string fields;
    JsonFragment json(fields);
    if (child.status == model::TaskStatus::completed) {
        json.raw("reply", model::to_json_text(*child.reply));
        return fields;
    }
    const bool cancelled = child.status == model::TaskStatus::cancelled;
    append_error(fields, cancelled ? Code::cancelled : code_of(child.error_code),
                 "task " + to_string(child.id) + (cancelled ? " was cancelled" : " failed: " + child.error));
    return fields;
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
        co_return Answered{.fields = fields_of(*ended)};
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

    Effect effect{.ask = Ask(EffectKind::delegate), .path = path};
    effect.ask.part("agent", agent.name).part("message", message);
    effect.agent = agent.name;
    effect.effect_class = model::Effect::idempotent;
    effect.continues = true;
    JsonFragment(effect.intent).field("agent", agent.name).field("child", to_string(child));
    JsonFragment(effect.outcome).field("child", to_string(child));

    Delegating delegating(state_, child, std::move(spec));
    const auto recorded = co_await perform(std::move(effect), delegating);
    const Body body =
        recorded ? Body(*recorded) : Body(parse_json('{' + fields_of(*delegating.ended) + '}').as_object());
    try {
        throw_recorded_error(body);
    } catch (const Error& error) {
        throw EffectFailed(error.code(), error.what());
    }
    co_return body.read<model::Reply>("reply");
}

}  // namespace cadre::engine
