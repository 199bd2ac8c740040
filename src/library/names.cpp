#include "cadre/question.hpp"
#include "cadre/task.hpp"
#include "cadre/version.hpp"

#define CADRE_TEXT_OF(x) #x
#define CADRE_TEXT(x) CADRE_TEXT_OF(x)

namespace cadre {

std::string_view version()
{
    return CADRE_TEXT(CADRE_VERSION_MAJOR) "." CADRE_TEXT(CADRE_VERSION_MINOR) "." CADRE_TEXT(CADRE_VERSION_PATCH);
}

std::string_view name_of(Status status)
{
    switch (status) {
    case Status::pending: return "pending";
    case Status::running: return "running";
    case Status::interrupted: return "interrupted";
    case Status::waiting: return "waiting";
    case Status::paused: return "paused";
    case Status::completed: return "completed";
    case Status::failed: return "failed";
    case Status::cancelled: return "cancelled";
    }
    return "unknown";
}

std::string_view name_of(QuestionKind kind)
{
    switch (kind) {
    case QuestionKind::approval: return "approval";
    case QuestionKind::feedback: return "feedback";
    case QuestionKind::escalation: return "escalation";
    case QuestionKind::outcome_unknown: return "outcome_unknown";
    }
    return "unknown";
}

std::string_view name_of(EventKind kind)
{
    switch (kind) {
    case EventKind::started: return "started";
    case EventKind::model_call: return "model_call";
    case EventKind::text: return "text";
    case EventKind::model_reply: return "model_reply";
    case EventKind::tool_call: return "tool_call";
    case EventKind::progress: return "progress";
    case EventKind::tool_result: return "tool_result";
    case EventKind::question: return "question";
    case EventKind::answer: return "answer";
    case EventKind::paused: return "paused";
    case EventKind::resumed: return "resumed";
    case EventKind::error: return "error";
    case EventKind::retry: return "retry";
    case EventKind::instruction: return "instruction";
    case EventKind::breakpoint: return "breakpoint";
    case EventKind::ended: return "ended";
    case EventKind::gap: return "gap";
    case EventKind::other: break;
    }
    return "other";
}

}  // namespace cadre
