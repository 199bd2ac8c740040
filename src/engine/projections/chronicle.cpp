#include "engine/projections/chronicle.hpp"

#include "engine/body.hpp"
#include "engine/effect.hpp"
#include "engine/events.hpp"
#include "engine/step_id.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

using model::Level;
using storage::Record;
using storage::RecordKind;

namespace {

constexpr std::string_view kUser = "user";
constexpr std::string_view kSystem = "system";

/// Where the call begins that a path is, or lies below: at `use:2.1` of `a/b/use:2.1/ask:1`; npos: it is none.
std::size_t call_in(std::string_view path)
{
    constexpr std::string_view kCall = "use:";
    std::size_t at = path.rfind(kCall);
    while (at != path.npos && at > 0 && path[at - 1] != '/') at = path.rfind(kCall, at - 1);
    return at;
}

/// `a/b/` of `a/b/use:2.1/ask:1` and of `a/b/think:1`: the scope whose turn an effect belongs to.
std::string_view scope_of(std::string_view path)
{
    const std::string_view own = path.substr(0, std::min(call_in(path), path.size()));
    return own.substr(0, own.rfind('/') + 1);
}

/// 1 of `a/b/use:2.1` and of `a/b/use:2.1/ask:1`: which of the turn's calls it is.
std::size_t index_of_call(std::string_view path)
{
    const auto dot = path.rfind('.');
    std::size_t index = 0;
    for (std::size_t i = dot + 1; i < path.size() && path[i] >= '0' && path[i] <= '9'; ++i)
        index = index * 10 + static_cast<std::size_t>(path[i] - '0');
    return index;
}

std::string error_in(const Body& body)
{
    const auto* error = body.find("error");
    return error && error->is_object() ? Body(error->get_object()).text("message") : "";
}

void count(model::agentx::Activity& activity, const Body& body)
{
    ++activity.calls;
    const bool failed = body.has("error") || body.flag("is_error");
    activity.failures += failed;
    const std::int64_t ms = std::max<std::int64_t>(body.number("ms"), 0);
    activity.total_ms += ms;
    activity.longest_ms = std::max(activity.longest_ms, ms);
}

/// The node that a path stands in, `review` of `review/ask:1`; where there is none, the agent whose turn it is.
std::string position_of(std::string_view path, const std::string& agent)
{
    const std::string_view scope = scope_of(path);
    return scope.empty() ? agent : std::string(scope.substr(0, scope.size() - 1));
}

/// The part of the plan that a path belongs to: its outermost node, or the agent where there is none.
std::string_view item_of(std::string_view path, std::string_view agent)
{
    const std::string_view scope = scope_of(path);
    return scope.empty() ? agent : scope.substr(0, scope.find('/'));
}

model::PlanItemStatus how_it_ended(RecordKind kind)
{
    if (kind == RecordKind::completed) return model::PlanItemStatus::completed;
    return kind == RecordKind::failed ? model::PlanItemStatus::failed : model::PlanItemStatus::skipped;
}

std::string said_by(const model::HumanAnswer& answer)
{
    return std::string(model::participle(answer.verb)) + (answer.message.empty() ? "" : ": " + answer.message);
}

}  // namespace

void Chronicle::apply(const Record& record)
{
    const Body body(record);
    news_.first_step = history_.size();
    news_.checkpoints.clear();
    news_.events.clear();
    // before the state has changed: what is open now is what an answer closes
    if (record.kind == RecordKind::answer) take_answer(record, body);
    engine::apply(state_, record, body);

    switch (record.kind) {
    case RecordKind::created:
        current_agent_ = state_.spec.agent;
        plan_.id = to_string(state_.id);
        plan_.goal = state_.spec.description;
        break;
    case RecordKind::started:
        say(record, std::string(kUser), model::Role::user, Level::info, state_.spec.description);
        break;
    case RecordKind::intent: take_intent(record, body); break;
    case RecordKind::outcome: take_outcome(record, body); break;
    case RecordKind::unknown: add_checkpoint(record, true); break;
    case RecordKind::instruction:
        say(record, std::string(kUser), model::Role::user, Level::info, body.text("text"));
        break;
    case RecordKind::attempt_failed:
        ++performance_.retries;
        say(record, std::string(kSystem), model::Role::system, Level::warning, error_in(body));
        break;
    case RecordKind::pause: add_checkpoint(record, false); break;
    case RecordKind::completed:
    case RecordKind::failed:
    case RecordKind::cancelled: take_end(record, body); break;
    case RecordKind::node_done:
        if (auto* item = find_item(record.path)) item->status = model::PlanItemStatus::completed;
        break;
    case RecordKind::answer:
    case RecordKind::resume:
    case RecordKind::cancel:
    case RecordKind::setting:
    case RecordKind::late_result:
    case RecordKind::note: break;
    }

    had_breakpoints_ = had_breakpoints_ || !state_.breakpoints.empty();
    for (model::Event& event : public_events(record, body)) news_.events.push_back({++events_, std::move(event)});
    events_ = record.event_seq;
    performance_.task_id = to_string(state_.id);
    performance_.input_tokens = state_.usage.input;
    performance_.output_tokens = state_.usage.output;
    performance_.cost_usd = state_.usage.cost;
    performance_.running_ms = state_.running_for(state_.updated_at).count();
    const Millis resting = state_.resting_since ? state_.updated_at - *state_.resting_since : Millis{0};
    performance_.waiting_ms = (state_.rested + resting).count();
    performance_.updated_at = state_.updated_at;
}

// ---- effects ----

void Chronicle::take_intent(const Record& record, const Body& body)
{
    const std::string effect = body.text("effect");
    if (effect == name_of(EffectKind::think)) {
        current_agent_ = body.text("agent");
        begin_item(record.path);
    } else if (effect == name_of(EffectKind::ask)) {
        add_checkpoint(record, true);
    } else if (effect == name_of(EffectKind::delegate)) {
        const Id child = id_from(body.text("child"));
        if (std::ranges::find(children_, child) == children_.end()) children_.push_back(child);
        child_agents_.insert_or_assign(record.path, body.text("agent"));
    }
}

void Chronicle::take_outcome(const Record& record, const Body& body)
{
    if (body.flag("cancelled")) return;
    const std::string effect = body.text("effect");
    if (effect == name_of(EffectKind::think)) thought(record, body);
    else if (effect == name_of(EffectKind::use)) used(record, body);
    else if (effect == name_of(EffectKind::delegate)) delegated(record, body);
}

void Chronicle::thought(const Record& record, const Body& body)
{
    const std::string agent = body.text("agent");
    model::agentx::Activity& activity = performance_.agents[agent];
    count(activity, body);
    if (body.has("error")) return say(record, agent, model::Role::system, Level::error, error_in(body));

    model::Step& step = add_step(record, agent, model::Role::assistant);
    step.id = body.text("step");
    step.duration = body.number("ms");
    const auto calls = body.read<std::vector<model::ToolCall>>("calls");
    if (std::string text = body.text("text"); !text.empty() || calls.empty())
        step.parts.push_back(model::TextPart{.text = std::move(text)});
    for (const model::ToolCall& call : calls) {
        step.parts.push_back(model::ToolCallPart{call});
        open_calls_.insert_or_assign(call.id, history_.size() - 1);
    }
    if (!calls.empty()) open_steps_[history_.size() - 1] = calls.size();
    turns_.insert_or_assign(std::string(scope_of(record.path)), Turn{step.id, agent});
    if (const auto* usage = body.find("usage"); usage && usage->is_object()) {
        const Body used_tokens(usage->get_object());
        activity.input_tokens += used_tokens.number("input");
        activity.output_tokens += used_tokens.number("output");
        step.metadata["usage"] = *usage;
    }
}

void Chronicle::used(const Record& record, const Body& body)
{
    const Turn* turn = turn_of(record.path);
    count(performance_.tools[body.text("tool")], body);
    model::Step& step = add_step(record, turn ? turn->agent : body.text("tool"), model::Role::tool);
    if (turn) step.parent = turn->step;
    model::ToolResult result{.tool_call_id = body.text("call"),
                             .result = body.text("text"),
                             .artifacts = body.read<std::vector<std::string>>("artifacts")};
    if (body.has("ms")) result.execution_time_ms = step.duration = body.number("ms");
    if (body.has("exit_code")) result.exit_code = static_cast<int>(body.number("exit_code"));
    if (const auto* usage = body.find("resource_usage"); usage && usage->is_object())
        result.resource_usage = usage->get_object();
    if (body.flag("is_error")) result.error = result.result;
    if (body.has("error")) result.error = error_in(body);
    if (result.error) step.level = Level::error;
    close_call(result.tool_call_id);
    step.parts.push_back(model::ToolResultPart{std::move(result)});
}

void Chronicle::delegated(const Record& record, const Body& body)
{
    const auto agent = child_agents_.find(record.path);
    const std::string name = agent == child_agents_.end() ? std::string(kSystem) : agent->second;
    if (body.has("error")) {
        say(record, name, model::Role::system, Level::error, error_in(body));
    } else {
        say(record, name, model::Role::assistant, Level::info, body.read<model::Reply>("reply").text);
    }
    history_.back().metadata["task"] = body.text("child");
}

// ---- people ----

/// What a person says to a tool that asks is that tool's result; anything else is a turn of the person's own.
void Chronicle::take_answer(const Record& record, const Body& body)
{
    const auto answer = body.read<model::HumanAnswer>("answer");
    resume_checkpoint(record.path, record.at);
    bool is_result = false;
    for (const OpenQuestion& question : state_.questions)
        if (question.path == record.path)
            is_result =
                question.request.type == model::HumanRequestType::feedback && call_in(record.path) != record.path.npos;
    const Turn* turn = is_result ? turn_of(record.path) : nullptr;
    if (!turn) return say(record, std::string(kUser), model::Role::user, Level::info, said_by(answer));

    model::Step& step = add_step(record, std::string(kUser), model::Role::user);
    step.parent = turn->step;
    step.duration = answer.after_ms;
    model::ToolResult result{.tool_call_id = call_id_of(turn->step, index_of_call(record.path)),
                             .result = answer.message.empty() ? said_by(answer) : answer.message,
                             .execution_time_ms = answer.after_ms};
    if (answer.verb == model::HumanVerb::timeout) {
        result.error = "nobody answered in time";
        step.level = Level::error;
    }
    close_call(result.tool_call_id);
    step.parts.push_back(model::ToolResultPart{std::move(result)});
}

/// A task that ran into one of its limits did what it was told: that is a warning, not a fault.
void Chronicle::take_end(const Record& record, const Body& body)
{
    for (model::PlanItem& item : plan_.items)
        if (item.status == model::PlanItemStatus::running) item.status = how_it_ended(record.kind);
    if (record.kind == RecordKind::completed) return;
    const bool limit = record.kind == RecordKind::cancelled || body.text("code") == name_of(Code::limit);
    std::string text = record.kind == RecordKind::cancelled ? "cancelled" : body.text("message");
    say(record, std::string(kSystem), model::Role::system, limit ? Level::warning : Level::error, std::move(text));
}

// ---- steps, checkpoints and the plan ----

const Chronicle::Turn* Chronicle::turn_of(std::string_view path) const
{
    const auto turn = turns_.find(scope_of(path));
    return turn == turns_.end() ? nullptr : &turn->second;
}

model::Step& Chronicle::add_step(const Record& record, std::string agent, model::Role role)
{
    model::Step step{.id = step_id_of(state_.id, std::to_string(record.seq)),
                     .task = to_string(state_.id),
                     .seq = static_cast<std::int64_t>(history_.size()),
                     .agent = std::move(agent),
                     .role = role,
                     .at = record.at};
    step.mode = state_.spec.mode == model::ExecutionMode::step ? "step" : "autonomous";
    if (state_.spec.mode == model::ExecutionMode::hitl) step.mode = "hitl";
    if (const auto* item = find_item(item_of(record.path, current_agent_))) step.plan_item = item->id;
    last_step_at_ = std::max(last_step_at_, record.at);
    return history_.emplace_back(std::move(step));
}

model::PlanItem* Chronicle::find_item(std::string_view id)
{
    const auto item = std::ranges::find(plan_.items, id, &model::PlanItem::id);
    return item == plan_.items.end() ? nullptr : &*item;
}

void Chronicle::begin_item(std::string_view path)
{
    const std::string_view id = item_of(path, current_agent_);
    if (find_item(id)) return;
    const std::string& pattern = state_.spec.pattern;
    plan_.items.push_back({.id = std::string(id),
                           .agent = current_agent_,
                           .action = pattern.substr(0, pattern.find('@')),
                           .status = model::PlanItemStatus::running});
}

void Chronicle::close_call(const std::string& id)
{
    const auto call = open_calls_.find(id);
    if (call == open_calls_.end()) return;
    const auto step = open_steps_.find(call->second);
    if (--step->second == 0) open_steps_.erase(step);
    open_calls_.erase(call);
}

void Chronicle::say(const Record& record, std::string agent, model::Role role, Level level, std::string text)
{
    model::Step& step = add_step(record, std::move(agent), role);
    step.level = level;
    step.parts.push_back(model::TextPart{.text = std::move(text)});
}

void Chronicle::add_checkpoint(const Record& record, bool awaits_human)
{
    model::Checkpoint checkpoint{.id = to_string(derived_id(to_string(state_.id) + '@' + std::to_string(record.seq))),
                                 .task = to_string(state_.id),
                                 .seq = static_cast<int>(checkpoints_.size()),
                                 .position = position_of(record.path, current_agent_),
                                 .created_at = record.at};
    checkpoint.state.current_agent = current_agent_;
    checkpoint.state.metadata["path"] = record.path;
    for (const model::Step& step : history_) checkpoint.state.messages.push_back(step.id);
    if (awaits_human) model::await_human(checkpoint);
    news_.checkpoints.push_back(checkpoints_.size());
    checkpoints_.push_back(std::move(checkpoint));
    checkpoint_records_.push_back(record.seq);
}

/// Only a checkpoint that waits for a person knows when it was resumed.
void Chronicle::resume_checkpoint(std::string_view path, Time at)
{
    for (std::size_t i = checkpoints_.size(); i-- > 0;) {
        model::Checkpoint& checkpoint = checkpoints_[i];
        if (!checkpoint.awaiting_human || checkpoint.resumed_at) continue;
        if (checkpoint.state.metadata.at("path").as_string() != path) continue;
        model::resume(checkpoint, at);
        news_.checkpoints.push_back(i);
        return;
    }
}

}  // namespace cadre::engine
