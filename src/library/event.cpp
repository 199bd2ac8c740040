#include "library/event.hpp"

#include "base/json.hpp"
#include "base/member_text.hpp"
#include "engine/numbered_event.hpp"
#include "library/outcome.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <type_traits>
#include <utility>
#include <variant>

namespace cadre::library {

namespace {

Status final_status(model::FinalStatus status)
{
    switch (status) {
    case model::FinalStatus::success: return Status::completed;
    case model::FinalStatus::error: return Status::failed;
    case model::FinalStatus::cancelled: break;
    }
    return Status::cancelled;
}

QuestionKind kind_of(const model::HITLRequestEvent& event)
{
    if (text_in(event.context, "reason") == "outcome_unknown") return QuestionKind::outcome_unknown;
    if (event.request_type == model::HitlRequestType::approval) return QuestionKind::approval;
    if (event.request_type == model::HitlRequestType::feedback) return QuestionKind::feedback;
    return QuestionKind::escalation;
}

// ---- one function for each event that says something more than its JSON ----

Event shown(const model::TaskStartEvent& event)
{
    return {.kind = EventKind::started, .text = event.initial_prompt};
}

Event shown(const model::AgentStartEvent& event)
{
    return {.kind = EventKind::model_call, .agent = event.agent_name};
}

Event shown(const model::AgentCompleteEvent& event)
{
    return {.kind = EventKind::model_reply, .agent = event.agent_name, .text = event.text};
}

Event shown(const model::ToolCallEvent& event)
{
    return {.kind = EventKind::tool_call,
            .agent = event.agent_name,
            .tool = event.tool_call.tool_name,
            .arguments = to_text(json::value(event.tool_call.args)),
            .call = event.tool_call.id};
}

Event shown(const model::ToolResultEvent& event)
{
    const model::ToolResult& result = event.tool_result;
    return {.kind = EventKind::tool_result,
            .text = result.error.value_or(result.result),
            .call = result.tool_call_id,
            .failed = result.error.has_value()};
}

Event shown(const model::HITLRequestEvent& event)
{
    Event asked{.kind = EventKind::question, .agent = event.agent_name, .status = Status::waiting};
    asked.question = question_of(event.request_id, kind_of(event), event.agent_name, event.context);
    asked.text = asked.question.text;
    asked.tool = asked.question.tool;
    asked.arguments = asked.question.arguments;
    return asked;
}

Event shown(const model::HITLResponseEvent& event)
{
    const auto type = event.response_type;
    Event answered{.kind = EventKind::answer,
                   .text = text_in(event.response_data, "message"),
                   .failed = type == model::HitlResponseType::rejected || type == model::HitlResponseType::timeout};
    answered.question.id = event.request_id;
    return answered;
}

Event shown(const model::TaskPausedEvent& event)
{
    const bool waits = event.context.contains("request_id");
    return {.kind = EventKind::paused,
            .text = text_in(event.context, "text"),
            .status = waits ? Status::waiting : Status::paused};
}

Event shown(const model::TaskResumedEvent& event)
{
    return {.kind = EventKind::resumed, .text = event.reason};
}

Event shown(const model::ErrorEvent& event)
{
    return {.kind = EventKind::error, .text = event.error_message, .failed = !event.recoverable};
}

Event shown(const model::RecoveryEvent& event)
{
    return {.kind = EventKind::retry, .text = event.recovery_strategy};
}

Event shown(const model::UserInterventionEvent& event)
{
    return {.kind = EventKind::instruction, .text = text_in(event.details, "instruction")};
}

Event shown(const model::BreakpointHitEvent& event)
{
    return {.kind = EventKind::breakpoint, .agent = event.agent_name.value_or(""), .text = event.breakpoint_id};
}

Event shown(const model::TaskCompleteEvent& event)
{
    return {.kind = EventKind::ended,
            .text = event.summary.value_or(""),
            .failed = event.final_status != model::FinalStatus::success,
            .status = final_status(event.final_status)};
}

template <class Other>
Event shown(const Other&)
{
    return {.kind = EventKind::other};
}

Event shown(const model::StreamChunk& chunk)
{
    Event piece{.kind = EventKind::text,
                .time = chunk.timestamp,
                .agent = chunk.agent_name,
                .text = chunk.text,
                .failed = chunk.aborted};
    if (chunk.throttled_until) {
        piece.kind = EventKind::progress;
        piece.text = "the provider wants us to wait until " + to_iso(*chunk.throttled_until);
    }
    if (chunk.progress) {
        piece.kind = EventKind::progress;
        piece.text = *chunk.progress;
        piece.call = chunk.step_id;
    }
    return piece;
}

}  // namespace

Event EventTranslator::kept(const engine::NumberedEvent& numbered)
{
    const model::Event& event = numbered.event;
    Event seen = std::visit([](const auto& one) { return shown(one); }, event);
    seen.number = numbered.number;
    seen.time = model::time_of(event);
    seen.json = model::to_json_text(event);
    if (seen.kind == EventKind::tool_call) tools_[seen.call] = seen.tool;
    if (seen.kind != EventKind::tool_result) return seen;
    if (auto tool = tools_.extract(seen.call)) seen.tool = std::move(tool.mapped());
    return seen;
}

std::optional<Event> EventTranslator::translated(const engine::Watched& seen)
{
    if (const auto* numbered = std::get_if<engine::EventPtr>(&seen)) return kept(**numbered);
    const auto* chunk = std::get_if<model::StreamChunk>(&seen);
    if (!chunk) return Event{.kind = EventKind::gap};
    Event piece = shown(*chunk);
    if (piece.text.empty() && !piece.failed) return std::nullopt;  // that it was the last one, the next event says
    return piece;
}

}  // namespace cadre::library
