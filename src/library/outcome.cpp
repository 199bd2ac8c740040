#include "library/outcome.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/member_text.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre::library {

namespace {

QuestionKind kind_of(model::HumanRequestType type)
{
    switch (type) {
    case model::HumanRequestType::approval: return QuestionKind::approval;
    case model::HumanRequestType::feedback: return QuestionKind::feedback;
    case model::HumanRequestType::escalation: return QuestionKind::escalation;
    case model::HumanRequestType::outcome_unknown: return QuestionKind::outcome_unknown;
    }
    return QuestionKind::escalation;
}

}  // namespace

Status status_of(model::TaskStatus status, bool driven)
{
    switch (status) {
    case model::TaskStatus::pending: return driven ? Status::pending : Status::interrupted;
    case model::TaskStatus::running: return driven ? Status::running : Status::interrupted;
    case model::TaskStatus::paused: return Status::paused;
    case model::TaskStatus::waiting: return Status::waiting;
    case model::TaskStatus::completed: return Status::completed;
    case model::TaskStatus::failed: return Status::failed;
    case model::TaskStatus::cancelled: return Status::cancelled;
    }
    return Status::interrupted;
}

Question question_of(std::string id, QuestionKind kind, std::string agent, const boost::json::object& context)
{
    Question question{.id = std::move(id), .kind = kind, .agent = std::move(agent)};
    question.tool = text_in(context, "tool");
    if (const auto* arguments = context.if_contains("arguments")) question.arguments = to_text(*arguments);
    question.text = text_in(context, "question");
    if (question.tool.empty()) return question;
    // the arguments first: a model that words its own request for consent cannot hide them
    std::string call = question.tool + (question.arguments.empty() ? "" : " " + question.arguments);
    question.text = question.text.empty() ? std::move(call) : call + ": " + question.text;
    return question;
}

void add_questions(Outcome& outcome, const engine::TaskState& state)
{
    for (const auto& [path, request, due, asked_at] : state.questions) {
        outcome.questions.push_back(question_of(request.id, kind_of(request.type), request.agent, request.context));
        outcome.questions.back().task = to_string(state.id);
    }
    if (outcome.text.empty() && !outcome.questions.empty()) outcome.text = outcome.questions.front().text;
}

Outcome outcome_of(const engine::TaskState& state, bool driven)
{
    Outcome outcome{.task = to_string(state.id), .status = status_of(state.status, driven)};
    outcome.text = state.reply ? state.reply->text : !state.error.empty() ? state.error : state.pause_text;
    if (outcome.status == Status::failed) outcome.code = code_of(state.error_code);
    add_questions(outcome, state);
    const engine::Work own = state.own_work();
    outcome.usage = {own.steps, own.usage.input, own.usage.output, own.usage.cost};
    return outcome;
}

model::HumanAnswer inner_form(model::HumanRequestType type, Answer answer)
{
    model::HumanAnswer inner{.verb = answer.yes ? model::HumanVerb::approve : model::HumanVerb::reject,
                             .message = std::move(answer.text)};
    if (type == model::HumanRequestType::outcome_unknown)
        inner.verb = answer.yes ? model::HumanVerb::happened : model::HumanVerb::not_happened;
    if (answer.arguments.empty()) return inner;
    const auto arguments = parse_json(answer.arguments);
    if (!answer.yes || !arguments.is_object())
        throw Error(Code::invalid,
                    "arguments go with a yes, and are a JSON object; not " + in_quotes(answer.arguments));
    inner.verb = model::HumanVerb::modify;
    inner.updates["arguments"] = arguments;
    return inner;
}

}  // namespace cadre::library
