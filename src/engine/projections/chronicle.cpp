#include "engine/projections/chronicle.hpp"

#include "engine/artifact_history.hpp"
#include "engine/body.hpp"
#include "engine/effect_path.hpp"
#include "engine/events.hpp"
#include "engine/plan_edit.hpp"
#include "engine/step_id.hpp"
#include "model/providers.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

using storage::Record;

namespace {

constexpr std::string_view kUserName = "user";
constexpr std::string_view kSystem = "system";

/// 1 of `a/b/use:2.1` and of `a/b/use:2.1/ask:1`: which of the turn's calls it is.
std::size_t index_of_call(std::string_view path)
{
    const auto dot = path.rfind('.');
    std::size_t index = 0;
    for (std::size_t i = dot + 1; i < path.size() && path[i] >= '0' && path[i] <= '9'; ++i)
        index = index * 10 + static_cast<std::size_t>(path[i] - '0');
    return index;
}

/// Calls of one step that are none of tools, at most, where a question looks for its own.
constexpr std::size_t kMostOthers = 64;

std::string message_of(const Lazy<RecordedError>& error)
{
    return error.get().message;
}

void count(model::agentx::Activity& activity, bool failed, std::optional<std::int64_t> took)
{
    ++activity.calls;
    activity.failures += failed;
    const std::int64_t ms = std::max<std::int64_t>(took.value_or(0), 0);
    activity.total_ms += ms;
    activity.longest_ms = std::max(activity.longest_ms, ms);
}

/// The part of the plan that a path belongs to: its outermost node, or the agent where there is none.
std::string_view item_of(std::string_view path, std::string_view agent)
{
    const std::string_view scope = turn_scope(path);
    return scope.empty() ? agent : scope.substr(0, scope.find('/'));
}

std::string said_by(const model::HumanAnswer& answer)
{
    return std::string(model::participle(answer.verb)) + (answer.message.empty() ? "" : ": " + answer.message);
}

/// `a/use:1.0` of `a/use:1.0/check:1`; empty: the whole run.
std::string_view parent_of(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace

struct Chronicle::TakeIntent {
    Chronicle& chronicle;
    const Record& record;

    void operator()(const ThinkIntent& think) const
    {
        chronicle.current_agent_ = think.agent.str();
        if (auto memory = think.memory.find()) chronicle.remembered_.insert_or_assign(record.path, std::move(*memory));
        chronicle.begin_item(record.path);
    }
    void operator()(const AskIntent& ask) const { chronicle.asked(record, ask.request.get()); }
    void operator()(const DelegateIntent& delegate) const
    {
        const Id child = id_from(delegate.child.str());
        auto& children = chronicle.children_;
        if (std::ranges::find(children, child) == children.end()) children.push_back(child);
        chronicle.child_agents_.insert_or_assign(record.path, delegate.agent.str());
    }
    void operator()(const UseIntent& use) const { chronicle.calls(record, use); }
    template <
        AnyOf<RecallIntent, RememberIntent, SaveIntent, CheckIntent, SendIntent, SleepIntent, NowIntent, FreshIdIntent,
              FirstIntent, JoinIntent, AnnounceIntent, HeedIntent, RouteIntent, CompactIntent, NewerIntent>
            Other>
    void operator()(const Other&) const
    {}
};

struct Chronicle::TakeOutcome {
    Chronicle& chronicle;
    const Record& record;
    const OutcomeBody& outcome;

    void operator()(const ThinkOutcome& think) const { chronicle.thought(record, think, outcome); }
    void operator()(const UseOutcome& use) const { chronicle.used(record, use, outcome); }
    void operator()(const DelegateOutcome& delegate) const { chronicle.delegated(record, delegate, outcome); }
    void operator()(const AnnounceOutcome& announced) const { chronicle.announced(record, announced); }
    void operator()(const CheckOutcome& check) const { chronicle.checked(record, check); }
    template <AnyOf<AskOutcome, RecallOutcome, RememberOutcome, SaveOutcome, SendOutcome, SleepOutcome, NowOutcome,
                    FreshIdOutcome, FirstOutcome, JoinOutcome, HeedOutcome, RouteOutcome, CompactOutcome, NewerOutcome>
                  Other>
    void operator()(const Other&) const
    {}
};

/// One record more; the state has it already.
struct Chronicle::Take {
    Chronicle& chronicle;
    const Record& record;

    void operator()(const CreatedBody&) const
    {
        const TaskState& state = chronicle.state_;
        chronicle.current_agent_ = state.spec.agent;
        chronicle.plan_.id = to_string(state.id);
        chronicle.plan_.goal = state.spec.description;
    }
    void operator()(const StartedBody&) const { said_by_user(chronicle.state_.spec.description); }
    void operator()(const IntentBody& intent) const { std::visit(TakeIntent{chronicle, record}, intent.of); }
    void operator()(const OutcomeBody& outcome) const
    {
        if (!outcome.cancelled) std::visit(TakeOutcome{chronicle, record, outcome}, outcome.of);
    }
    void operator()(const UnknownBody&) const { chronicle.add_checkpoint(record, true); }
    void operator()(const NodeDoneBody&) const
    {
        if (auto* item = chronicle.find_item(record.path)) item->status = model::PlanItemStatus::completed;
        if (chronicle.is_workflow()) chronicle.node_ended(record);
    }
    void operator()(const InstructionBody& instruction) const { said_by_user(instruction.text.str()); }
    void operator()(const PauseBody&) const { chronicle.add_checkpoint(record, false); }
    void operator()(const AttemptFailedBody& failed) const
    {
        ++chronicle.performance_.retries;
        said_by_system(model::Level::warning, message_of(failed.error));
    }
    void operator()(const CompletedBody&) const { chronicle.end_items(model::PlanItemStatus::completed); }
    /// A task that ran into one of its limits did what it was told: that is a warning, not a fault.
    void operator()(const FailedBody& failed) const
    {
        chronicle.end_items(model::PlanItemStatus::failed);
        const bool limit = failed.code.str() == name_of(Code::limit);
        said_by_system(limit ? model::Level::warning : model::Level::error, failed.message.str());
        while (!chronicle.checks_.empty())
            chronicle.add_waiting_checks(std::string(chronicle.checks_.begin()->first), {});
    }
    void operator()(const CancelledBody&) const
    {
        chronicle.end_items(model::PlanItemStatus::skipped);
        said_by_system(model::Level::warning, "cancelled");
    }
    /// An answer was taken before, when its question was still open.
    template <
        AnyOf<AnswerBody, ResumeBody, CancelBody, SettingBody, LateResultBody, NoteBody, UpkeepBody, NewerBody> Other>
    void operator()(const Other&) const
    {}

    void said_by_user(std::string text) const
    {
        chronicle.say(record, std::string(kUserName), model::Role::user, model::Level::info, std::move(text));
    }
    void said_by_system(model::Level level, std::string text) const
    {
        chronicle.say(record, std::string(kSystem), model::Role::system, level, std::move(text));
    }
};

void Chronicle::apply(const Record& record)
{
    const Body body(record);
    news_.first_step = history_.size();
    news_.checkpoints.clear();
    news_.events.clear();
    // before the state has changed: what is open now is what an answer closes
    if (const auto* answer = body.find<AnswerBody>()) take_answer(record, answer->answer.get());
    engine::apply(state_, record, body);
    said_bytes_ += record.body.size();
    if (is_planned(state_.spec)) plan_view_.take(record, body);
    body.visit(Take{*this, record});

    had_breakpoints_ = had_breakpoints_ || !state_.breakpoints.empty();
    for (model::Event& event : public_events(record, body)) {
        if (const auto* violation = std::get_if<model::GuardrailViolationEvent>(&event))
            violations_.push_back(*violation);
        news_.events.push_back({++events_, std::move(event)});
    }
    events_ = record.event_seq;
    performance_.task_id = to_string(state_.id);
    performance_.input_tokens = state_.usage.input;
    performance_.output_tokens = state_.usage.output;
    performance_.cost_usd = state_.usage.cost;
    performance_.running_ms = state_.ran.count();
    const Millis resting =
        state_.resting_since ? std::max(state_.updated_at - *state_.resting_since, Millis{0}) : Millis{0};
    performance_.waiting_ms = (state_.rested + resting).count();
    performance_.updated_at = state_.updated_at;
}

// ---- effects ----

/// What was found is a part of the turn or result that comes next in its scope.
void Chronicle::checked(const Record& record, const CheckOutcome& check)
{
    auto& waiting = checks_[std::string(parent_of(record.path))];
    for (model::GuardrailCheck& one : check.checks.get()) waiting.push_back(std::move(one));
}

void Chronicle::add_waiting_checks(const std::string& scope, std::vector<model::GuardrailCheck> own)
{
    if (auto before = checks_.extract(scope)) own.insert(own.begin(), before.mapped().begin(), before.mapped().end());
    if (own.empty()) return;
    const model::CheckStatus worst = model::worst_of(own);
    history_.back().parts.push_back(model::GuardrailPart{.checks = std::move(own), .overall_status = worst});
}

void Chronicle::thought(const Record& record, const ThinkOutcome& think, const OutcomeBody& outcome)
{
    const std::string agent = think.agent.str();
    model::agentx::Activity& activity = performance_.agents[agent];
    count(activity, outcome.error.is_set(), think.ms);
    if (outcome.error.is_set())
        return say(record, agent, model::Role::system, model::Level::error, message_of(outcome.error));

    model::Step& step = add_step(record, agent, model::Role::assistant);
    step.id = think.step.str();
    step.duration = think.ms.value_or(0);
    const auto calls = think.calls.get();
    if (std::string text = think.text.str(); !text.empty() || calls.empty())
        step.parts.push_back(model::TextPart{.text = std::move(text)});
    for (const model::ToolCall& call : calls) {
        step.parts.push_back(model::ToolCallPart{call});
        open_calls_.insert_or_assign(call.id, history_.size() - 1);
    }
    add_waiting_checks(std::string(parent_of(record.path)), think.checks.get());
    if (auto told = remembered_.extract(record.path)) {
        boost::json::array items;
        for (const std::string& id : told.mapped()) items.emplace_back(id);
        step.memory_context["memory_retrieved"] = std::move(items);
    }
    if (!calls.empty()) open_steps_[history_.size() - 1] = calls.size();
    turns_.insert_or_assign(std::string(turn_scope(record.path)), Turn{step.id, agent});
    if (const auto usage = think.usage.find()) {
        activity.input_tokens += usage->input;
        activity.output_tokens += usage->output;
        step.metadata["usage"] = think.usage.as_json();
    }
    if (think.model.str() == model::kLocal) step.metadata["generated"] = false;
}

/// A node that is a tool calls it without a model: the call is a turn of its own.
void Chronicle::calls(const Record& record, const UseIntent& use)
{
    if (turn_of(record.path)) return;
    const model::ToolCall call = use.call.get();
    model::Step& step = add_step(record, use.agent.str(), model::Role::assistant);
    step.parts.push_back(model::ToolCallPart{call});
    open_calls_.insert_or_assign(call.id, history_.size() - 1);
    open_steps_[history_.size() - 1] = 1;
    turns_.insert_or_assign(std::string(turn_scope(record.path)), Turn{step.id, step.agent});
}

void Chronicle::used(const Record& record, const UseOutcome& use, const OutcomeBody& outcome)
{
    const Turn* turn = turn_of(record.path);
    const std::string tool = use.tool.str();
    model::ToolResult result = result_of(use, outcome);
    count(performance_.tools[tool], result.error.has_value(), use.ms);
    model::Step& step = add_step(record, turn ? turn->agent : tool, model::Role::tool);
    if (turn) step.parent = turn->step;
    if (use.ms) step.duration = *use.ms;
    if (result.error) step.level = model::Level::error;
    close_call(result.tool_call_id);
    step.parts.push_back(model::ToolResultPart{std::move(result)});
    if (const auto memory = use.memory.find()) step.parts.push_back(part_of(*memory));
    for (const Saved& file : use.files.get())
        if (file.change != ArtifactChange::deleted)
            step.parts.push_back(model::ArtifactPart{artifact_of(file.artifact, tool)});
    add_waiting_checks(record.path, use.checks.get());
}

/// A fact that ends a call has its `result`; one that only names the call is followed by a task whose answer does.
void Chronicle::announced(const Record& record, const AnnounceOutcome& announced)
{
    const boost::json::value fact = json_in(announced.fact.text, record);
    if (!fact.is_object()) return;
    const auto* call = fact.get_object().if_contains("call");
    if (!call || !call->is_string()) return;
    const std::string id(call->get_string());
    const auto* result = fact.get_object().if_contains("result");
    if (!result || !result->is_string()) {
        errands_.insert_or_assign(std::string(turn_scope(record.path)), id);
        return;
    }
    model::ToolResult ended{.tool_call_id = id, .result = std::string(result->get_string())};
    if (fact.get_object().contains("is_error")) ended.error = std::string(result->get_string());
    end_call(record, announced.agent.str(), std::move(ended));
}

/// A call that was none of a tool: others did what it asked for.
void Chronicle::end_call(const Record& record, std::string agent, model::ToolResult result)
{
    const auto call = open_calls_.find(result.tool_call_id);
    std::string parent;
    if (call != open_calls_.end()) {
        agent = history_[call->second].agent;
        parent = history_[call->second].id;
    }
    model::Step& step = add_step(record, std::move(agent), model::Role::tool);
    if (!parent.empty()) step.parent = std::move(parent);
    if (result.error) step.level = model::Level::error;
    close_call(result.tool_call_id);
    step.parts.push_back(model::ToolResultPart{std::move(result)});
}

void Chronicle::delegated(const Record& record, const DelegateOutcome& delegate, const OutcomeBody& outcome)
{
    if (const auto errand = errands_.find(turn_scope(record.path)); errand != errands_.end()) {
        model::ToolResult result{.tool_call_id = std::move(errand->second)};
        if (outcome.error.is_set()) result.error = message_of(outcome.error);
        else result.result = delegate.reply.get().text;
        errands_.erase(errand);
        end_call(record, std::string(kSystem), std::move(result));
        if (delegate.child.is_set()) history_.back().metadata["task"] = delegate.child.str();
        return;
    }
    const auto agent = child_agents_.find(record.path);
    const std::string name = agent == child_agents_.end() ? std::string(kSystem) : agent->second;
    if (outcome.error.is_set()) say(record, name, model::Role::system, model::Level::error, message_of(outcome.error));
    else say(record, name, model::Role::assistant, model::Level::info, delegate.reply.get().text);
    if (delegate.child.is_set()) history_.back().metadata["task"] = delegate.child.str();
}

// ---- people ----

/// What a person says to a tool that asks is that tool's result; anything else is a turn of the person's own.
void Chronicle::take_answer(const Record& record, const model::HumanAnswer& answer)
{
    resume_checkpoint(record.path, record.at);
    bool is_result = false;
    boost::json::object asked;
    for (const OpenQuestion& question : state_.questions) {
        if (question.path != record.path) continue;
        asked = question.request.context;
        is_result =
            question.request.type == model::HumanRequestType::feedback && call_in(record.path) != record.path.npos;
    }
    const Turn* turn = is_result ? turn_of(record.path) : nullptr;
    if (!turn) return say(record, std::string(kUserName), model::Role::user, model::Level::info, said_by(answer));

    model::Step& step = add_step(record, std::string(kUserName), model::Role::user);
    step.parent = turn->step;
    step.duration = answer.after_ms;
    model::ToolResult result{.tool_call_id = asking_call(*turn, record.path, asked),
                             .result = answer.message.empty() ? said_by(answer) : answer.message,
                             .execution_time_ms = answer.after_ms};
    if (answer.verb == model::HumanVerb::timeout) {
        result.error = "no answer came in time";
        step.level = model::Level::error;
    }
    close_call(result.tool_call_id);
    step.parts.push_back(model::ToolResultPart{std::move(result)});
}

/// The id of the call that a question came from. Calls of others than tools are not among those that its path counts, so the question must
/// fit the call.
std::string Chronicle::asking_call(const Turn& turn, std::string_view path, const boost::json::object& question) const
{
    const auto fits = [&](const model::ToolCall& call) {
        const auto* tool = question.if_contains("tool");
        if (!tool || !tool->is_string() || tool->get_string() != call.tool_name) return false;
        const auto* words = question.if_contains("question");
        const auto* said = call.args.if_contains("question");
        return !said || (words && *words == *said);
    };
    const std::size_t first = index_of_call(path);
    for (std::size_t i = first;; ++i) {
        const std::string id = call_id_of(turn.step, i);
        const auto open = open_calls_.find(id);
        if (open == open_calls_.end() && i >= first + kMostOthers) return call_id_of(turn.step, first);
        if (open == open_calls_.end()) continue;
        for (const model::Part& part : history_[open->second].parts)
            if (const auto* call = std::get_if<model::ToolCallPart>(&part))
                if (call->tool_call.id == id && fits(call->tool_call)) return id;
    }
}

// ---- steps and the plan ----

const Chronicle::Turn* Chronicle::turn_of(std::string_view path) const
{
    const auto turn = turns_.find(turn_scope(path));
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
    if (const auto& above = state_.spec.parent_step)
        step.parent = *above;  // a task that was delegated lies below that step
    const bool planned = is_planned(state_.spec);
    const auto* item = planned ? plan_view_.item_at(record.path) : find_item(item_of(record.path, current_agent_));
    if (item) step.plan_item = item->id;
    last_step_at_ = std::max(last_step_at_, record.at);
    return history_.emplace_back(std::move(step));
}

model::PlanItem* Chronicle::find_item(std::string_view id)
{
    const auto item = items_.find(id);
    return item == items_.end() ? nullptr : &plan_.items[item->second];
}

void Chronicle::end_items(model::PlanItemStatus how)
{
    for (model::PlanItem& item : plan_.items)
        if (item.status == model::PlanItemStatus::running) item.status = how;
}

void Chronicle::begin_item(std::string_view path)
{
    const std::string_view id = item_of(path, current_agent_);
    if (is_planned(state_.spec) || find_item(id)) return;
    const std::string& pattern = state_.spec.pattern;
    items_.emplace(id, plan_.items.size());
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

void Chronicle::say(const Record& record, std::string agent, model::Role role, model::Level level, std::string text)
{
    model::Step& step = add_step(record, std::move(agent), role);
    step.level = level;
    step.parts.push_back(model::TextPart{.text = std::move(text)});
}

}  // namespace cadre::engine
