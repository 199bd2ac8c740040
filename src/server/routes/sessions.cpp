// Conversations: a session is a series of tasks. A turn is `POST /tasks` with its `session_id`.
#include "base/async.hpp"
#include "engine/conversation.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

struct SessionSummaryView {
    std::string id{};
    std::string title{};
    std::string status{};
    std::string agent{};
    std::int64_t turns = 0;
    std::string last_task_id{};
    Time created_at{};
    Time updated_at{};
};

const Entity& describe(const SessionSummaryView*)
{
    static const Entity entity{
        .name = "session_summary",
        .doc = "A conversation in a list.",
        .fields = {field("id", &SessionSummaryView::id, "Its id."),
                   field("title", &SessionSummaryView::title, "The first words of its last turn."),
                   field("status", &SessionSummaryView::status, "Of its last turn."),
                   field("agent", &SessionSummaryView::agent, "Who had its last turn."),
                   field("turns", &SessionSummaryView::turns, "How many tasks it has."),
                   field("last_task_id", &SessionSummaryView::last_task_id, "Its last turn."),
                   field("created_at", &SessionSummaryView::created_at, "When it began."),
                   field("updated_at", &SessionSummaryView::updated_at, "When something last happened in it.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct SessionList {
    std::vector<SessionSummaryView> sessions{};
};

const Entity& describe(const SessionList*)
{
    static const Entity entity{.name = "session_list",
                               .doc = "Conversations, the newest first.",
                               .fields = {field("sessions", &SessionList::sessions, "All of them.")},
                               .home = {Home::Kind::message}};
    return entity;
}

SessionSummaryView summary_of(const engine::SessionEntry& entry)
{
    return {.id = entry.id,
            .title = entry.title,
            .status = entry.status,
            .agent = entry.agent,
            .turns = static_cast<std::int64_t>(entry.turns),
            .last_task_id = to_string(entry.last),
            .created_at = entry.created_at,
            .updated_at = entry.updated_at};
}

Async<SessionList> sessions(Call& call)
{
    SessionList list;
    for (const engine::SessionEntry& entry : co_await call.service().home.runtime().queries().sessions(call.by()))
        list.sessions.push_back(summary_of(entry));
    co_return list;
}

struct MessageView {
    std::string role{};
    std::string text{};
};

const Entity& describe(const MessageView*)
{
    static const Entity entity{.name = "session_message",
                               .doc = "What somebody said.",
                               .fields = {field("role", &MessageView::role, "user or assistant."),
                                          field("text", &MessageView::text, "The words.")},
                               .home = {Home::Kind::message}};
    return entity;
}

struct SessionView {
    std::string id{};
    std::int64_t turns = 0;
    bool open = false;
    std::string last_task_id{};
    std::vector<MessageView> messages{};
};

const Entity& describe(const SessionView*)
{
    static const Entity entity{
        .name = "session_view",
        .doc = "A conversation.",
        .fields = {field("id", &SessionView::id, "Its id."),
                   field("turns", &SessionView::turns, "How many tasks it has."),
                   field("open", &SessionView::open, "A turn has not ended."),
                   field("last_task_id", &SessionView::last_task_id, "Its last turn that has begun."),
                   field("messages", &SessionView::messages, "All that counts, the oldest first.")},
        .home = {Home::Kind::message}};
    return entity;
}

Async<SessionView> session(Call& call)
{
    engine::Queries& queries = call.service().home.runtime().queries();
    const std::string id = call.path("session_id");
    const engine::SessionHead head = co_await queries.session(call.by(), id);
    SessionView view{.id = id, .turns = head.turns, .open = head.is_open(), .last_task_id = to_string(head.last.id)};
    for (const engine::TurnMessage& message : co_await queries.conversation(call.by(), id))
        view.messages.push_back({std::string(model::wire_name(message.role)), message.text});
    co_return view;
}

Async<home::Undone> undo(Call& call)
{
    co_return co_await call.service().home.perform(call.by(), home::Undo{.session = call.path("session_id")});
}

}  // namespace

std::vector<Route> session_routes()
{
    return {
        typed({.path = "/sessions", .name = "list_sessions", .doc = "Conversations, the newest first."}, sessions),
        typed({.path = "/sessions/{session_id}", .name = "get_session", .doc = "What was said in a conversation."},
              session),
        typed({.method = Method::post,
               .path = "/sessions/{session_id}/undo",
               .name = "undo",
               .doc = "Leaves the last turn out of what follows.",
               .act = engine::Act::work,
               .rate = RateClass::write},
              undo),
    };
}

}  // namespace cadre::server
