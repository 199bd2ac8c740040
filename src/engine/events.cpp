#include "engine/events.hpp"

#include "engine/artifact_history.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/node_end.hpp"
#include "engine/step_id.hpp"
#include "engine/task_state.hpp"
#include "model/event.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

using storage::Record;

namespace {

using Events = std::vector<model::Event>;

std::string event_id(const Record& record)
{
    return to_string(derived_id(to_string(record.task) + '#' + std::to_string(record.seq)));
}

/// Of the error of one attempt: what recovers from it names the same.
std::string attempt_error_id(const Record& record, std::int64_t attempt)
{
    return to_string(derived_id(to_string(record.task) + '#' + record.path + '#' + std::to_string(attempt)));
}

model::ErrorEvent error_event(const Record& record, RecordedError error, bool recoverable)
{
    model::ErrorEvent event{.error_id = event_id(record),
                            .error_type = std::move(error.code),
                            .error_message = std::move(error.message),
                            .timestamp = record.at,
                            .recoverable = recoverable};
    if (!record.path.empty()) event.context["path"] = record.path;
    return event;
}

/// Another attempt begins, and has not succeeded yet: by whom, where somebody stands in, and what clients were shown instead of
/// which step.
model::RecoveryEvent again(const Record& record, const IntentBody& intent, const std::string& model,
                           const std::string& step)
{
    model::RecoveryEvent event{
        .error_id = attempt_error_id(record, intent.attempt - 1), .recovery_strategy = "retry", .timestamp = record.at};
    event.details["path"] = record.path;
    event.details["attempt"] = intent.attempt;
    if (!model.empty()) {
        event.recovery_strategy = "fallback";
        event.details["model"] = model;
    }
    if (!step.empty()) {
        event.details["step_id"] = step;
        event.details["instead_of"] = step_id_of(record.task, record.path, static_cast<int>(intent.attempt) - 1);
    }
    return event;
}

/// The attempt that an outcome says it is of; 1 where it says nothing.
std::int64_t attempt_in(const Record& outcome)
{
    MemberCursor member(outcome.body);
    while (member.next())
        if (member.name() == "attempt")
            if (const auto number = json_in(member.json(), outcome); number.is_int64()) return number.get_int64();
    return 1;
}

/// What failed before has succeeded.
Events with_recovery(const Record& record, model::Event event, const std::string& step)
{
    const std::int64_t attempt = attempt_in(record);
    if (attempt < 2) return {std::move(event)};
    model::RecoveryEvent recovery{.error_id = attempt_error_id(record, attempt - 1),
                                  .recovery_strategy = "retry",
                                  .success = true,
                                  .timestamp = record.at};
    recovery.details["path"] = record.path;
    recovery.details["attempt"] = attempt;
    if (!step.empty()) {
        recovery.details["step_id"] = step;
        recovery.details["instead_of"] = step_id_of(record.task, record.path, static_cast<int>(attempt) - 1);
    }
    return {recovery, std::move(event)};
}

model::TaskPausedEvent paused_for_a_person(const Record& record, const model::HumanRequest& request)
{
    model::TaskPausedEvent event{
        .task_id = to_string(record.task), .timestamp = record.at, .reason = model::PausedReason::hitl_intervention};
    event.context["request_id"] = request.id;
    return event;
}

Events asked(const Record& record, const model::HumanRequest& request)
{
    model::HITLRequestEvent event{.request_id = request.id,
                                  .request_type = model::HitlRequestType::escalation,
                                  .agent_name = request.agent,
                                  .context = request.context,
                                  .timestamp = record.at};
    if (request.type == model::HumanRequestType::approval) event.request_type = model::HitlRequestType::approval;
    if (request.type == model::HumanRequestType::feedback) event.request_type = model::HitlRequestType::feedback;
    if (request.type == model::HumanRequestType::outcome_unknown) event.context["reason"] = "outcome_unknown";
    if (request.timeout_ms) event.timeout = static_cast<int>(*request.timeout_ms / 1000);
    return {event, paused_for_a_person(record, request)};
}

/// Of a version that a run has saved, or that people have made: both records have these members.
template <class Body>
Events saved(const Record& record, const Body& body, const std::string& by, const std::string& reason)
{
    if (!body.artifact.is_set()) return {};
    return events_of_change({body.artifact.get(), body.change.get(), body.before}, by, reason, record.at);
}

/// A rewritten text was kept from passing as it was; one that a person is asked about has not been stopped.
model::ActionTaken action_of(GuardAction action)
{
    switch (action) {
    case GuardAction::block:
    case GuardAction::rewrite: return model::ActionTaken::blocked;
    case GuardAction::warn:
    case GuardAction::ask: return model::ActionTaken::warned;
    case GuardAction::log:
    case GuardAction::pass: break;
    }
    return model::ActionTaken::logged;
}

Events violations(const Record& record, const Lazy<std::vector<model::GuardrailCheck>>& checks, GuardAction action,
                  const std::string& agent)
{
    Events events;
    if (!checks.is_set()) return events;
    for (const model::GuardrailCheck& check : checks.get()) {
        if (check.status == model::CheckStatus::passed) continue;
        model::GuardrailViolationEvent event{
            .violation_id = check.check_id.empty() ? event_id(record) : check.check_id,
            .check_type = std::string(model::wire_name(check.check_type)),
            .severity = std::string(model::wire_name(check.severity.value_or(model::Severity::medium))),
            .policy_violated = check.policy_violated.value_or(""),
            .action_taken = action_of(action),
            .timestamp = record.at};
        if (!agent.empty()) event.agent_name = agent;
        events.push_back(std::move(event));
    }
    return events;
}

/// `review` of `review/think:1` and of `review/turn/2/think:1`. Branches have no name for people.
std::optional<std::string> node_of(std::string_view path)
{
    const std::string_view node = path.substr(0, path.find('/'));
    if (node.size() == path.size() || node.find(':') != node.npos) return std::nullopt;
    return std::string(node);
}

struct EventsOfIntent {
    const Record& record;
    const IntentBody& intent;

    Events operator()(const ThinkIntent& think) const
    {
        if (intent.attempt > 1) return {again(record, intent, think.model.str(), think.step.str())};
        model::AgentStartEvent event{.agent_name = think.agent.str(),
                                     .step_id = think.step.str(),
                                     .timestamp = record.at,
                                     .context_size = think.context_size,
                                     .node = node_of(record.path)};
        if (const auto memory = think.memory.find()) event.memory_retrieved = static_cast<std::int64_t>(memory->size());
        return {std::move(event)};
    }
    Events operator()(const UseIntent& use) const
    {
        if (intent.attempt > 1) return {again(record, intent, "", "")};
        model::ToolCallEvent event{.tool_call = use.call.get(),
                                   .agent_name = use.agent.str(),
                                   .timestamp = record.at,
                                   .node = node_of(record.path)};
        if (use.sandboxed) event.sandbox_id = sandbox_id_of(record.task);
        return {std::move(event)};
    }
    Events operator()(const AskIntent& ask) const { return asked(record, ask.request.get()); }
    template <AnyOf<DelegateIntent, RecallIntent, RememberIntent, SaveIntent, CheckIntent, SendIntent, SleepIntent,
                    NowIntent, FreshIdIntent, FirstIntent, JoinIntent, AnnounceIntent, HeedIntent, RouteIntent,
                    CompactIntent, NewerIntent>
                  Other>
    Events operator()(const Other&) const
    {
        return {};
    }
};

struct EventsOfOutcome {
    const Record& record;
    const OutcomeBody& outcome;

    Events operator()(const ThinkOutcome& think) const
    {
        if (outcome.error.is_set()) return {error_event(record, outcome.error.get(), false)};
        model::AgentCompleteEvent event{.agent_name = think.agent.str(),
                                        .step_id = think.step.str(),
                                        .timestamp = record.at,
                                        .execution_time_ms = think.ms.value_or(0),
                                        .text = think.text.str()};
        if (const auto usage = think.usage.find()) event.token_count = usage->output;
        Events found = violations(record, think.checks, think.guarded.get(), think.agent.str());
        std::ranges::move(with_recovery(record, std::move(event), think.step.str()), std::back_inserter(found));
        return found;
    }
    Events operator()(const UseOutcome& use) const
    {
        model::ToolResultEvent event{.tool_result = result_of(use, outcome), .timestamp = record.at};
        event.execution_time_ms = event.tool_result.execution_time_ms;
        if (use.sandboxed) event.sandbox_id = sandbox_id_of(record.task);
        Events found = violations(record, use.checks, use.guarded.get(), "");
        if (const auto memory = use.memory.find())
            if (auto did = event_of(*memory, record.at)) found.push_back(std::move(*did));
        std::ranges::move(with_recovery(record, std::move(event), ""), std::back_inserter(found));
        if (!use.files.is_set()) return found;
        const std::string tool = use.tool.str();
        for (const Saved& file : use.files.get())
            std::ranges::move(events_of_change(file, tool, "tool", record.at), std::back_inserter(found));
        return found;
    }
    Events operator()(const AnnounceOutcome& announced) const { return announced.events.get(); }
    Events operator()(const RecallOutcome& recall) const
    {
        return {model::MemoryRetrieveEvent{.query = recall.query.str(),
                                           .results_count = static_cast<std::int64_t>(recall.hits.get().size()),
                                           .agent_name = recall.agent.str(),
                                           .timestamp = record.at,
                                           .relevance_threshold = recall.threshold}};
    }
    Events operator()(const RememberOutcome& remember) const
    {
        if (outcome.error.is_set() || remember.change.get() == MemoryChange::merged) return {};
        return {model::MemoryStoreEvent{.memory_id = remember.id.str(),
                                        .memory_type = remember.type.str(),
                                        .agent_name = remember.agent.str(),
                                        .content_size = remember.size.value_or(0),
                                        .timestamp = record.at}};
    }
    Events operator()(const SaveOutcome& save) const
    {
        return outcome.error.is_set() ? Events() : saved(record, save, save.agent.str(), "save");
    }
    Events operator()(const CheckOutcome& check) const
    {
        return outcome.error.is_set() ? Events()
                                      : violations(record, check.checks, check.action.get(), check.agent.str());
    }
    Events operator()(const CompactOutcome& compact) const
    {
        return {
            model::MemoryConsolidateEvent{.topic = "conversation of " + compact.agent.str(),
                                          .items_consolidated = compact.upto.value_or(0),
                                          .timestamp = record.at,
                                          .summary_length = static_cast<std::int64_t>(compact.summary.str().size())}};
    }
    template <AnyOf<AskOutcome, DelegateOutcome, SendOutcome, SleepOutcome, NowOutcome, FreshIdOutcome, FirstOutcome,
                    JoinOutcome, HeedOutcome, RouteOutcome, NewerOutcome>
                  Other>
    Events operator()(const Other&) const
    {
        return {};
    }
};

model::HitlResponseType response_of(model::HumanVerb verb)
{
    switch (verb) {
    case model::HumanVerb::approve:
    case model::HumanVerb::happened: return model::HitlResponseType::approved;
    case model::HumanVerb::reject: return model::HitlResponseType::rejected;
    case model::HumanVerb::modify:
    case model::HumanVerb::not_happened: return model::HitlResponseType::modified;
    case model::HumanVerb::timeout: return model::HitlResponseType::timeout;
    }
    return {};
}

Events paused(const Record& record, const PauseBody& pause)
{
    const auto reason = pause.reason.get();
    model::TaskPausedEvent event{.task_id = to_string(record.task), .timestamp = record.at};
    event.context["text"] = pause.text.str();
    switch (reason) {
    case model::PauseReason::step_mode: event.reason = model::PausedReason::step_mode; break;
    case model::PauseReason::breakpoint: event.reason = model::PausedReason::breakpoint; break;
    case model::PauseReason::user_request: event.reason = model::PausedReason::user_request; break;
    case model::PauseReason::diverged:
    case model::PauseReason::budget:
    case model::PauseReason::interrupted:
        event.reason = model::PausedReason::hitl_intervention;
        event.context["reason"] = model::wire_name(reason);
        break;
    }
    if (!pause.breakpoint.is_set()) return {event};
    const std::string breakpoint = pause.breakpoint.str();
    const std::string type = breakpoint.substr(0, breakpoint.find(':'));
    model::BreakpointHitEvent hit{.breakpoint_id = breakpoint, .breakpoint_type = type, .timestamp = record.at};
    hit.context["path"] = record.path;
    if (type == "agent") hit.agent_name = breakpoint.substr(type.size() + 1);
    return {hit, event};
}

template <class End>
model::TaskCompleteEvent ended(const Record& record, const End& end, model::FinalStatus status,
                               std::optional<std::string> summary)
{
    return {.task_id = to_string(record.task),
            .timestamp = record.at,
            .final_status = status,
            .summary = std::move(summary),
            .artifacts_created = end.artifacts.get(),
            .total_steps = end.steps,
            .total_duration_ms = end.ms};
}

struct EventsOf {
    const Record& record;

    Events operator()(const StartedBody& started) const
    {
        model::TaskStartEvent event{.task_id = to_string(record.task),
                                    .timestamp = record.at,
                                    .initial_prompt = started.prompt.str(),
                                    .execution_mode = started.mode.str()};
        if (started.team.is_set())
            if (auto team = json_in(started.team.text, record); team.is_object())
                event.team_config = std::move(team.get_object());
        return {event};
    }
    Events operator()(const IntentBody& intent) const { return std::visit(EventsOfIntent{record, intent}, intent.of); }
    Events operator()(const OutcomeBody& outcome) const
    {
        if (outcome.cancelled) return {};
        return std::visit(EventsOfOutcome{record, outcome}, outcome.of);
    }
    Events operator()(const UnknownBody& unknown) const { return asked(record, unknown.request.get()); }
    Events operator()(const AnswerBody& given) const
    {
        const auto answer = given.answer.get();
        model::HITLResponseEvent response{.request_id = given.request.str(),
                                          .response_type = response_of(answer.verb),
                                          .response_time_ms = answer.after_ms,
                                          .timestamp = record.at};
        response.response_data["message"] = answer.message;
        response.response_data["answer"] = model::wire_name(answer.verb);
        if (answer.by) response.response_data["by"] = *answer.by;
        if (!answer.updates.empty()) response.response_data["updates"] = answer.updates;
        return {response, resumed("answered")};
    }
    Events operator()(const InstructionBody& instruction) const
    {
        model::UserInterventionEvent event{.intervention_id = event_id(record), .timestamp = record.at};
        event.details["instruction"] = instruction.text.str();
        if (const std::string by = instruction.by.str(); !by.empty()) event.user_id = by;
        return {event};
    }
    Events operator()(const SettingBody& setting) const
    {
        if (!setting.is_intervention()) return {};
        model::UserInterventionEvent event{.intervention_id = event_id(record), .timestamp = record.at};
        if (setting.plan.is_set()) {
            event.intervention_type = model::InterventionType::plan_update;
            event.details["plan"] = json_in(setting.plan.text, record);
        } else if (setting.next_agent.is_set()) {
            event.intervention_type = model::InterventionType::agent_override;
            event.details["next_agent"] = setting.next_agent.str();
        } else {
            event.intervention_type = model::InterventionType::team_modification;
            event.details["config"] = setting.config.str();
        }
        if (const std::string by = setting.by.str(); !by.empty()) event.user_id = by;
        return {event};
    }
    Events operator()(const PauseBody& pause) const { return paused(record, pause); }
    Events operator()(const ResumeBody& resume) const
    {
        if (resume.steps <= 0) return {resumed(resume.freely ? "continue" : "user_request")};
        model::TaskResumedEvent event = resumed("step");
        event.context["steps"] = resume.steps;
        return {event};
    }
    Events operator()(const UpkeepBody& upkeep) const
    {
        Events events = saved(record, upkeep, upkeep.by.str(), upkeep.what.str());
        for (model::Event& event : upkeep.events.get()) events.push_back(std::move(event));
        return events;
    }
    Events operator()(const AttemptFailedBody& failed) const
    {
        model::ErrorEvent event = error_event(record, failed.error.get(), true);
        event.error_id = attempt_error_id(record, failed.attempt);
        return {event};
    }
    Events operator()(const CompletedBody& completed) const
    {
        std::optional<std::string> summary;
        if (auto reply = completed.reply.find()) summary = std::move(reply->text);
        return {ended(record, completed, model::FinalStatus::success, std::move(summary))};
    }
    Events operator()(const FailedBody& failed) const
    {
        const RecordedError error{.code = failed.code.str(), .message = failed.message.str()};
        return {error_event(record, error, false), ended(record, failed, model::FinalStatus::error, error.message)};
    }
    Events operator()(const CancelledBody& cancelled) const
    {
        return {ended(record, cancelled, model::FinalStatus::cancelled, {})};
    }
    Events operator()(const NodeDoneBody& done) const
    {
        const std::string why = dead_end_in(done.result);
        if (why.empty()) return {};
        return {error_event(record, {.code = "dead_end", .message = why}, true)};
    }
    template <AnyOf<CreatedBody, CancelBody, LateResultBody, NoteBody, NewerBody> Other>
    Events operator()(const Other&) const
    {
        return {};
    }

    model::TaskResumedEvent resumed(std::string reason) const
    {
        return {.task_id = to_string(record.task), .timestamp = record.at, .reason = std::move(reason)};
    }
};

}  // namespace

std::vector<model::Event> public_events(const Record& record, const Body& body)
{
    return body.visit(EventsOf{record});
}

std::vector<std::string> events_of(const Record& record)
{
    std::vector<std::string> out;
    for (const model::Event& event : public_events(record, Body(record))) out.push_back(model::to_json_text(event));
    return out;
}

}  // namespace cadre::engine
