// POST /messages and GET /messages/{request_id}: a message of a person, and how far its answer is (document 001).
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "home/channels.hpp"
#include "home/home_owner.hpp"
#include "home/project/prepare_message.hpp"
#include "home/project/project.hpp"
#include "model/describe.hpp"
#include "patterns/message/message_view.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/sent_teams.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

#include <boost/json.hpp>

#include <array>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;
using model::conversation::Channel;
using model::conversation::MultiAgentWorkflowState;

struct NewMessage {
    std::string user_message{};
    Channel channel = Channel::sms;
    std::optional<std::string> user_name{};
    std::optional<std::string> session_id{};
    std::optional<std::string> model{};
};

const Entity& describe(const NewMessage*)
{
    static const Entity entity{
        .name = "new_message",
        .doc = "What a person has written over a channel.",
        .fields = {field("user_message", &NewMessage::user_message, "The text.", {.required = true, .min_length = 1}),
                   field("channel", &NewMessage::channel, "Where it came from, and what the answer is formatted for.",
                         {.required = true}),
                   field("user_name", &NewMessage::user_name, "Who has written it, for the greeting.",
                         {.min_length = 1, .max_length = 200}),
                   field("session_id", &NewMessage::session_id, "The conversation that it is the next turn of.",
                         {.min_length = 1}),
                   field("model", &NewMessage::model, "provider/model, in place of what the project says.",
                         {.min_length = 1})},
        .home = {Home::Kind::message, "the body of `POST /messages`"}};
    return entity;
}

Async<MultiAgentWorkflowState> state_of(Call& call, Id id)
{
    engine::Queries& queries = call.service().home.runtime().queries();
    const auto records = co_await queries.records(call.by(), id);
    const auto task = co_await queries.task(call.by(), id);
    MultiAgentWorkflowState state = patterns::message_state(*task, records);
    boost::json::array deliveries;
    for (const std::string& key : patterns::keys_of_sends(records))
        if (const auto one = co_await call.service().home.runtime().channels().deliveries().find(key))
            deliveries.push_back(parse_json(model::to_json_text(*one)));
    if (!deliveries.empty()) state.ext = boost::json::object{{"deliveries", std::move(deliveries)}};
    co_return state;
}

/// The answer is whatever is known after the time that the client wants to wait (`Prefer: wait=N`).
Async<MultiAgentWorkflowState> take_message(Call& call, NewMessage body)
{
    if (body.model) expect_remote_model(*body.model, "model");
    home::Runtime& home = call.service().home.runtime();
    const auto project = home.projects().open(home.place().folder);
    const home::RunRequest wanted{.model = body.model, .prompt = body.user_message, .by_name = true};
    const home::MessageRequest message{.channel = body.channel, .user_name = body.user_name};
    std::optional<engine::SessionHead> head;
    if (body.session_id) head = co_await home.queries().find_session(call.by(), *body.session_id);
    engine::CreateTask task = home::prepare_message(project, wanted, message, head ? &head->last : nullptr).task;
    const Id id = new_id(system_random());
    task.id = id;
    task.session = body.session_id.value_or("");
    try {
        co_await call.service().home.perform(call.by(), home::Create{.task = std::move(task)});
    } catch (const Error& error) {
        if (error.code() == Code::rate_limited) throw Refusal(429, Code::rate_limited, "queue_full", error.what());
        throw;
    }
    call.add_header("Location", "/messages/" + to_string(id));
    co_await wait_for_rest(call.service(), id, call.patience());
    co_return co_await state_of(call, id);
}

Async<MultiAgentWorkflowState> show_message(Call& call)
{
    const auto id = find_id(call.path("request_id"));
    if (!id) throw Error(Code::not_found, "there is no message " + call.path("request_id"));
    co_return co_await state_of(call, *id);
}

constexpr std::array kMessageFaults = {Fault{429, "queue_full", "Too many turns of the session wait."}};

}  // namespace

std::vector<Route> message_routes()
{
    using engine::Act;
    return {
        typed(
            {.method = Method::post,
             .path = "/messages",
             .name = "take_message",
             .doc =
                 "Takes a message of a person, and answers it for its channel. `Prefer: wait=N` waits for the answer.",
             .act = Act::work,
             .rate = RateClass::create,
             .shed = Shed::creating,
             .success = 201,
             .faults = kMessageFaults,
             .requirements = "CONV-58, CONV-60"},
            take_message),
        typed({.method = Method::get,
               .path = "/messages/{request_id}",
               .name = "show_message",
               .doc = "How far the answer to a message is, and what was made on the way.",
               .act = Act::read,
               .requirements = "CONV-58, CONV-62"},
              show_message),
    };
}

}  // namespace cadre::server
