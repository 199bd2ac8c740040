// Conversations: a session is a series of tasks. A turn is `POST /tasks` with its `session_id`.
#include "base/async.hpp"
#include "engine/conversation.hpp"
#include "engine/index_detail.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/views/domains.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"

#include <boost/json.hpp>

#include <algorithm>

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

/// A message as document 003 has it, and `text`, by which others know its content.
struct MessageView {
    std::string role{};
    std::string text{};
    std::string content{};
    std::optional<Time> timestamp{};
    std::optional<std::vector<model::domains::ToolCall>> tool_calls{};
    boost::json::object metadata{};
};

const Entity& describe(const MessageView*)
{
    static const Entity entity{
        .name = "session_message",
        .doc = "What somebody said.",
        .fields =
            {field("role", &MessageView::role, "user or assistant."), field("text", &MessageView::text, "The words."),
             field("content", &MessageView::content, "The words, under document 003's name."),
             field("timestamp", &MessageView::timestamp, "When it was said; null: its task is not kept any more."),
             field("tool_calls", &MessageView::tool_calls, "Of an answer from data domains: the calls behind it."),
             field("metadata", &MessageView::metadata, "Of such an answer: domains that were asked, and the time.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct SessionView {
    std::string id{};
    std::string session_id{};
    std::int64_t turns = 0;
    bool open = false;
    std::string last_task_id{};
    std::vector<MessageView> messages{};
    std::optional<Time> created_at{};
    std::optional<Time> last_updated{};
    boost::json::object metadata{};
};

const Entity& describe(const SessionView*)
{
    static const Entity entity{
        .name = "session_view",
        .doc = "A conversation.",
        .fields = {field("id", &SessionView::id, "Its id."),
                   field("session_id", &SessionView::session_id, "Its id, under document 003's name."),
                   field("turns", &SessionView::turns, "How many tasks it has."),
                   field("open", &SessionView::open, "A turn has not ended."),
                   field("last_task_id", &SessionView::last_task_id, "Its last turn that has begun."),
                   field("messages", &SessionView::messages, "All that counts, the oldest first."),
                   field("created_at", &SessionView::created_at, "When it began."),
                   field("last_updated", &SessionView::last_updated, "Time of the newest message."),
                   field("metadata", &SessionView::metadata,
                         "Who began it, and of questions to data domains those that have answered.")},
        .home = {Home::Kind::message}};
    return entity;
}

/// The calls of an answer, and what follows from them.
void add_calls(MessageView& message, const model::Reply& reply)
{
    if (reply.elapsed_ms > 0) message.metadata["execution_time_ms"] = reply.elapsed_ms;
    if (reply.calls.empty()) return;
    message.tool_calls.emplace();
    boost::json::array domains;
    for (const model::Call& call : reply.calls) {
        message.tool_calls->push_back(model::domains::view(call));
        const boost::json::value name(call.domain.value_or(""));
        if (std::ranges::find(domains, name) == domains.end()) domains.push_back(name);
    }
    message.metadata["domains"] = std::move(domains);
}

/// Turns that count are some of the session's tasks, in their order: each message gets what its task knows of it.
Async<> add_tasks(Call& call, SessionView& view, const std::string& created_by)
{
    engine::Queries& queries = call.service().home.runtime().queries();
    storage::TaskQuery query{.session = view.id, .limit = SIZE_MAX};
    auto entries = co_await queries.tasks(call.by(), std::move(query));
    std::ranges::sort(entries, {}, &storage::TaskEntry::turn);
    boost::json::array accessed;
    std::size_t next = 0;
    for (const storage::TaskEntry& entry : entries) {
        if (!view.created_at) view.created_at = entry.created_at;
        if (engine::detail_of(entry).purged_at) continue;
        const auto state = co_await queries.task(call.by(), entry.task);
        if (!state->reply || next + 1 >= view.messages.size()) continue;
        MessageView& asked = view.messages[next];
        MessageView& said = view.messages[next + 1];
        if (asked.text != state->spec.description || said.text != state->reply->text) continue;
        asked.timestamp = entry.created_at;
        said.timestamp = state->completed_at;
        add_calls(said, *state->reply);
        for (const std::string& source : state->reply->sources) {
            const boost::json::value name(source.substr(0, source.find('.')));
            if (std::ranges::find(accessed, name) == accessed.end()) accessed.push_back(name);
        }
        next += 2;
    }
    if (!view.messages.empty()) view.last_updated = view.messages.back().timestamp;
    view.metadata["user_id"] = created_by;
    if (!accessed.empty()) view.metadata["domains_accessed"] = std::move(accessed);
}

Async<SessionView> session(Call& call)
{
    engine::Queries& queries = call.service().home.runtime().queries();
    const std::string id = call.path("session_id");
    const engine::SessionHead head = co_await queries.session(call.by(), id);
    SessionView view{.id = id,
                     .session_id = id,
                     .turns = head.turns,
                     .open = head.is_open(),
                     .last_task_id = to_string(head.last.id)};
    for (const engine::TurnMessage& message : co_await queries.conversation(call.by(), id))
        view.messages.push_back(
            {.role = std::string(model::wire_name(message.role)), .text = message.text, .content = message.text});
    co_await add_tasks(call, view, head.created_by);
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
               .rate = RateClass::write,
               .can_try_again = false},
              undo),
    };
}

}  // namespace cadre::server
