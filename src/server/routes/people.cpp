// People: what they are asked, and what they answer.
#include "base/async.hpp"
#include "engine/body.hpp"
#include "engine/numbered_event.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/views/agentx_requests.hpp"
#include "model/write.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

constexpr std::size_t kMostWaiting = 1'000;

struct QuestionList {
    std::vector<QuestionView> requests{};
};

const Entity& describe(const QuestionList*)
{
    static const Entity entity{
        .name = "question_list",
        .doc = "Open questions, the oldest first.",
        .fields = {field("requests", &QuestionList::requests, "Each with how it can be answered.")},
        .home = {Home::Kind::message}};
    return entity;
}

Async<QuestionList> questions(Call& call)
{
    co_return QuestionList{
        questions_of(co_await call.service().home.runtime().queries().open_tree(call.by(), call.task()))};
}

/// Everybody's: the tasks that wait, whoever has created them.
Async<QuestionList> inbox(Call& call)
{
    engine::Queries& queries = call.service().home.runtime().queries();
    QuestionList list;
    for (const storage::TaskEntry& entry :
         co_await queries.tasks(call.by(), {.open_only = true, .statuses = {"waiting"}, .limit = kMostWaiting})) {
        const auto state = co_await queries.task(call.by(), entry.task);
        for (const engine::OpenQuestion& question : state->questions)
            list.requests.push_back(question_view(question, state->id));
    }
    std::ranges::sort(list.requests, {}, &QuestionView::asked_at);
    co_return list;
}

/// What became of an answer.
struct RespondedView {
    std::string request_id{};
    std::string response_type{};
    boost::json::object response_data{};
    TaskView task{};
};

const Entity& describe(const RespondedView*)
{
    static const Entity entity{.name = "answer_view",
                               .doc = "An answer that was taken, and the task that had waited for it.",
                               .fields = {field("request_id", &RespondedView::request_id, "The question."),
                                          field("response_type", &RespondedView::response_type, "How it was answered."),
                                          field("response_data", &RespondedView::response_data, "With what."),
                                          field("task", &RespondedView::task, "As it is now.")},
                               .home = {Home::Kind::message}};
    return entity;
}

/// Why a question could not be answered: somebody was faster, and this is what they said, or nobody ever asked it.
Async<> explain(Call& call, Id task, std::string request, std::string text)
{
    for (const engine::EventPtr& event : co_await call.service().home.runtime().queries().events(call.by(), task)) {
        const auto* answer = std::get_if<model::HITLResponseEvent>(&event->event);
        if (!answer || answer->request_id != request) continue;
        throw Refusal(409, Code::conflict, "already_answered", text, {{"answer", model::to_json_value(*answer)}});
    }
    throw Error(Code::not_found, "the task has no open question " + in_quotes(request));
}

/// Whether an earlier attempt at this request, which was cut off, has answered the question: for this task or one below it.
Async<bool> was_ours(Call& call, std::string request)
{
    if (!call.cut_off_at()) co_return false;
    engine::Queries& queries = call.service().home.runtime().queries();
    std::vector<Id> tasks{call.task()};
    for (std::size_t next = 0; next < tasks.size() && tasks.size() < kMostWaiting; ++next) {
        for (const storage::Record& record : co_await queries.records(call.by(), tasks[next])) {
            if (record.kind != storage::RecordKind::answer) continue;
            const auto given = engine::body_of<engine::AnswerBody>(record);
            if (given.request.str() == request) co_return given.answer.get().by.value_or("") == call.by().subject;
        }
        const storage::TaskQuery below{.parent = to_string(tasks[next]), .limit = kMostWaiting};
        for (const storage::TaskEntry& entry : co_await queries.tasks(call.by(), below)) tasks.push_back(entry.task);
    }
    co_return false;
}

Async<RespondedView> respond(Call& call, model::agentx::Respond body)
{
    home::HomeOwner& home = call.service().home;
    const std::string request = call.path("request_id");
    const model::HumanAnswer answer = answer_of(body);
    const auto asked = questions_of(co_await home.runtime().queries().open_tree(call.by(), call.task()));
    const auto found = std::ranges::find(asked, request, &QuestionView::request_id);
    RespondedView view{.request_id = request,
                       .response_type = std::string(model::participle(answer.verb)),
                       .response_data = answer.updates};
    if (found == asked.end() && co_await was_ours(call, request)) {
        view.task = co_await view_now(call, call.task());
        co_return view;
    }
    if (found == asked.end()) co_await explain(call, call.task(), request, "the question was answered before");
    const Id task = id_from(found->task_id);  // it may be one below
    std::string problem;
    try {
        co_await home.perform(call.by(), home::AnswerQuestion{.task = task, .request = request, .answer = answer});
    } catch (const Error& error) {
        if (error.code() != Code::conflict) throw;
        problem = error.what();
    }
    if (!problem.empty()) co_await explain(call, task, request, problem);
    view.task = co_await view_now(call, call.task());
    co_return view;
}

constexpr std::array kAnswerFaults = {
    Fault{409, "already_answered", "Somebody answered it before; `answer` says how."}};

}  // namespace

std::vector<Route> people_routes()
{
    return {
        typed({.path = "/tasks/{task_id}/hitl/requests",
               .name = "list_questions",
               .doc = "What people are asked right now by a task and by those below it.",
               .requirements = "API-11"},
              questions),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/hitl/{request_id}/respond",
               .name = "respond",
               .doc = "Answers a question.",
               .act = engine::Act::reply,
               .rate = RateClass::exempt,
               .shed = Shed::never,
               .faults = kAnswerFaults,
               .requirements = "API-12"},
              respond),
        typed({.path = "/hitl", .name = "inbox", .doc = "What people are asked by all tasks."}, inbox),
    };
}

}  // namespace cadre::server
