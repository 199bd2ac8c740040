// POST /sessions/{session_id}/ask: a question to the data domains of the project, and its answer (document 003).
#include "base/async.hpp"
#include "base/random.hpp"
#include "home/home_owner.hpp"
#include "home/project/prepare_ask.hpp"
#include "home/project/project.hpp"
#include "model/ask_setup.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/sent_teams.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

#include <fmt/core.h>

#include <array>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;
using model::domains::AnswerView;

/// Beyond the longest that an answer takes: turns of its session may come before it.
constexpr Millis kPatience{90'000};

struct NewQuestion {
    std::string question{};
    std::optional<std::string> model{};
};

const Entity& describe(const NewQuestion*)
{
    static const Entity entity{
        .name = "new_question",
        .doc = "A question to the data domains of the project, as the next turn of a session.",
        .fields = {field("question", &NewQuestion::question, "What somebody wants to know.",
                         {.required = true, .min_length = 1}),
                   field("model", &NewQuestion::model, "provider/model, in place of what the project says.",
                         {.min_length = 1})},
        .home = {Home::Kind::message, "the body of `POST /sessions/{session_id}/ask`"}};
    return entity;
}

Async<Id> begin_question(Call& call, NewQuestion body)
{
    home::Runtime& home = call.service().home.runtime();
    const auto project = home.projects().open(home.place().folder);
    const auto head = co_await home.queries().find_session(call.by(), call.path("session_id"));
    const home::RunRequest wanted{.model = body.model, .prompt = body.question, .by_name = true};
    engine::CreateTask task = home::prepare_ask(project, wanted, head ? &head->last : nullptr).task;
    task.id = new_id(system_random());
    task.session = call.path("session_id");
    const Id id = *task.id;
    try {
        co_await call.service().home.perform(call.by(), home::Create{.task = std::move(task)});
    } catch (const Error& error) {
        if (error.code() == Code::rate_limited) throw Refusal(429, Code::rate_limited, "queue_full", error.what());
        throw;
    }
    co_return id;
}

Async<AnswerView> answer_question(Call& call, NewQuestion body)
{
    if (body.model) expect_remote_model(*body.model, "model");
    const Id id = co_await begin_question(call, std::move(body));
    call.add_header("Location", "/tasks/" + to_string(id));
    co_await wait_for_rest(call.service(), id, kPatience);
    const auto state = co_await call.service().home.runtime().queries().task(call.by(), id);
    if (state->status == model::TaskStatus::completed && state->reply) co_return model::domains::view(*state->reply);
    if (state->finished())
        throw Error(code_of(state->error_code), fmt::format("the question was not answered: {}", state->error));
    throw Refusal(504, Code::timeout, "unanswered",
                  fmt::format("the question has no answer yet: its task is {}; GET /tasks/{} says when it has",
                              model::wire_name(state->status), to_string(id)));
}

constexpr std::array kAskFaults = {
    Fault{429, "queue_full", "Too many turns of the session wait."},
    Fault{504, "unanswered", "Nothing is lost: the question is answered later, and its task says when."}};

}  // namespace

std::vector<Route> ask_routes()
{
    return {
        typed({.method = Method::post,
               .path = "/sessions/{session_id}/ask",
               .name = "ask",
               .doc = "Asks the data domains of the project, and answers in less than a minute.",
               .act = engine::Act::work,
               .rate = RateClass::create,
               .shed = Shed::creating,
               .faults = kAskFaults,
               .requirements = "DOM-19"},
              answer_question),
    };
}

}  // namespace cadre::server
