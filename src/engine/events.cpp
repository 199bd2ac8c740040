#include "engine/events.hpp"

#include "engine/body.hpp"
#include "engine/effect.hpp"
#include "engine/step_id.hpp"
#include "engine/task_state.hpp"
#include "model/event.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

using Events = std::vector<model::Event>;

std::string event_id(const Record& record)
{
    return to_string(derived_id(to_string(record.task) + '#' + std::to_string(record.seq)));
}

model::ErrorEvent error_event(const Record& record, const Body& body, bool recoverable)
{
    std::string code, message;
    if (const auto* error = body.find("error"); error && error->is_object()) {
        const Body inner{error->get_object()};
        code = inner.text("code");
        message = inner.text("message");
    }
    model::ErrorEvent event{.error_id = event_id(record),
                            .error_type = code.empty() ? body.text("code") : code,
                            .error_message = message.empty() ? body.text("message") : message,
                            .timestamp = record.at,
                            .recoverable = recoverable};
    if (!record.path.empty()) event.context["path"] = record.path;
    return event;
}

model::RecoveryEvent again(const Record& record, const Body& body)
{
    model::RecoveryEvent event{
        .error_id = event_id(record), .recovery_strategy = "retry", .success = true, .timestamp = record.at};
    event.details["path"] = record.path;
    event.details["attempt"] = body.number("attempt");
    if (std::string model = body.text("model"); !model.empty()) {
        event.recovery_strategy = "fallback";
        event.details["model"] = std::move(model);
    }
    if (const std::string step = body.text("step"); !step.empty()) {
        event.details["step_id"] = step;
        event.details["instead_of"] =
            step_id_of(record.task, record.path, static_cast<int>(body.number("attempt")) - 1);
    }
    return event;
}

model::TaskPausedEvent paused_for_a_person(const Record& record, const model::HumanRequest& request)
{
    model::TaskPausedEvent event{
        .task_id = to_string(record.task), .timestamp = record.at, .reason = model::PausedReason::hitl_intervention};
    event.context["request_id"] = request.id;
    return event;
}

Events asked(const Record& record, const Body& body)
{
    const auto request = body.read<model::HumanRequest>("request");
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

Events of_intent(const Record& record, const Body& body)
{
    const std::string effect = body.text("effect");
    const bool first = body.number("attempt") <= 1;
    if (effect == name_of(EffectKind::think)) {
        if (!first) return {again(record, body)};
        return {model::AgentStartEvent{
            .agent_name = body.text("agent"), .step_id = body.text("step"), .timestamp = record.at}};
    }
    if (effect == name_of(EffectKind::use)) {
        if (!first) return {again(record, body)};
        return {model::ToolCallEvent{
            .tool_call = body.read<model::ToolCall>("call"), .agent_name = body.text("agent"), .timestamp = record.at}};
    }
    if (effect == name_of(EffectKind::ask)) return asked(record, body);
    return {};
}

model::ToolResult result_of(const Body& body)
{
    model::ToolResult result{.tool_call_id = body.text("call"),
                             .result = body.text("text"),
                             .artifacts = body.read<std::vector<std::string>>("artifacts")};
    if (body.has("ms")) result.execution_time_ms = body.number("ms");
    if (body.has("exit_code")) result.exit_code = static_cast<int>(body.number("exit_code"));
    if (const auto* usage = body.find("resource_usage"); usage && usage->is_object())
        result.resource_usage = usage->get_object();
    if (body.flag("is_error")) result.error = result.result;
    if (const auto* error = body.find("error"); error && error->is_object())
        result.error = Body{error->get_object()}.text("message");
    return result;
}

Events of_outcome(const Record& record, const Body& body)
{
    if (body.flag("cancelled")) return {};
    const std::string effect = body.text("effect");
    if (effect == name_of(EffectKind::think)) {
        if (body.has("error")) return {error_event(record, body, false)};
        model::AgentCompleteEvent event{.agent_name = body.text("agent"),
                                        .step_id = body.text("step"),
                                        .timestamp = record.at,
                                        .execution_time_ms = body.number("ms")};
        if (const auto* usage = body.find("usage"); usage && usage->is_object())
            event.token_count = Body{usage->get_object()}.number("output");
        return {event};
    }
    if (effect == name_of(EffectKind::use)) {
        model::ToolResultEvent event{.tool_result = result_of(body), .timestamp = record.at};
        event.execution_time_ms = event.tool_result.execution_time_ms;
        return {event};
    }
    return {};
}

Events of_answer(const Record& record, const Body& body)
{
    const auto answer = body.read<model::HumanAnswer>("answer");
    model::HITLResponseEvent response{
        .request_id = body.text("request"), .response_time_ms = answer.after_ms, .timestamp = record.at};
    switch (answer.verb) {
    case model::HumanVerb::approve:
    case model::HumanVerb::happened: response.response_type = model::HitlResponseType::approved; break;
    case model::HumanVerb::reject: response.response_type = model::HitlResponseType::rejected; break;
    case model::HumanVerb::modify:
    case model::HumanVerb::not_happened: response.response_type = model::HitlResponseType::modified; break;
    case model::HumanVerb::timeout: response.response_type = model::HitlResponseType::timeout; break;
    }
    response.response_data["message"] = answer.message;
    if (!answer.updates.empty()) response.response_data["updates"] = answer.updates;
    model::TaskResumedEvent resumed{.task_id = to_string(record.task), .timestamp = record.at, .reason = "answered"};
    return {response, resumed};
}

Events of_pause(const Record& record, const Body& body)
{
    const auto reason = body.read<model::PauseReason>("reason");
    model::TaskPausedEvent paused{.task_id = to_string(record.task), .timestamp = record.at};
    paused.context["text"] = body.text("text");
    switch (reason) {
    case model::PauseReason::step_mode: paused.reason = model::PausedReason::step_mode; break;
    case model::PauseReason::breakpoint: paused.reason = model::PausedReason::breakpoint; break;
    case model::PauseReason::user_request: paused.reason = model::PausedReason::user_request; break;
    case model::PauseReason::diverged:
    case model::PauseReason::budget:
        paused.reason = model::PausedReason::hitl_intervention;
        paused.context["reason"] = body.text("reason");
        break;
    }
    if (!body.has("breakpoint")) return {paused};
    const std::string breakpoint = body.text("breakpoint");
    const std::string type = breakpoint.substr(0, breakpoint.find(':'));
    model::BreakpointHitEvent hit{.breakpoint_id = breakpoint, .breakpoint_type = type, .timestamp = record.at};
    hit.context["path"] = record.path;
    if (type == "agent") hit.agent_name = breakpoint.substr(type.size() + 1);
    return {hit, paused};
}

model::TaskResumedEvent resumed(const Record& record, const Body& body)
{
    model::TaskResumedEvent event{.task_id = to_string(record.task), .timestamp = record.at, .reason = "user_request"};
    if (body.flag("continue")) event.reason = "continue";
    if (const std::int64_t steps = body.number("steps"); steps > 0) {
        event.reason = "step";
        event.context["steps"] = steps;
    }
    return event;
}

Events of_end(const Record& record, const Body& body, model::FinalStatus status)
{
    model::TaskCompleteEvent event{.task_id = to_string(record.task),
                                   .timestamp = record.at,
                                   .final_status = status,
                                   .total_steps = body.number("steps"),
                                   .total_duration_ms = body.number("ms")};
    if (body.has("reply")) event.summary = body.read<model::Reply>("reply").text;
    if (status != model::FinalStatus::error) return {event};
    event.summary = body.text("message");
    return {error_event(record, body, false), event};
}

}  // namespace

std::vector<model::Event> public_events(const Record& record, const Body& body)
{
    switch (record.kind) {
    case RecordKind::started:
        return {model::TaskStartEvent{.task_id = to_string(record.task),
                                      .timestamp = record.at,
                                      .initial_prompt = body.text("prompt"),
                                      .execution_mode = body.text("mode")}};
    case RecordKind::intent: return of_intent(record, body);
    case RecordKind::outcome: return of_outcome(record, body);
    case RecordKind::unknown: return asked(record, body);
    case RecordKind::answer: return of_answer(record, body);
    case RecordKind::instruction: {
        model::UserInterventionEvent event{.intervention_id = event_id(record), .timestamp = record.at};
        event.details["instruction"] = body.text("text");
        if (const std::string by = body.text("by"); !by.empty()) event.user_id = by;
        return {event};
    }
    case RecordKind::pause: return of_pause(record, body);
    case RecordKind::resume: return {resumed(record, body)};
    case RecordKind::attempt_failed: return {error_event(record, body, true)};
    case RecordKind::completed: return of_end(record, body, model::FinalStatus::success);
    case RecordKind::failed: return of_end(record, body, model::FinalStatus::error);
    case RecordKind::cancelled: return of_end(record, body, model::FinalStatus::cancelled);
    case RecordKind::created:
    case RecordKind::node_done:
    case RecordKind::cancel:
    case RecordKind::setting:
    case RecordKind::late_result:
    case RecordKind::note: break;
    }
    return {};
}

std::vector<std::string> events_of(const Record& record)
{
    std::vector<std::string> out;
    for (const model::Event& event : public_events(record, Body(record))) out.push_back(model::to_json_text(event));
    return out;
}

}  // namespace cadre::engine
