#include "engine/session.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/index_detail.hpp"
#include "engine/queries.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace cadre::engine {

namespace {

/// The session's document: from `task` on, what counts ends at `history`.
std::string undone_text(const Id& task, const std::optional<std::string>& history)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("task", to_string(task)).key("history");
    if (history) json.value(*history);
    else json.null();
    json.end_object();
    return text;
}

std::string missing_session(std::string_view id)
{
    return "there is no session " + std::string(id);
}

[[noreturn]] void refuse(const SessionHead& head)
{
    const storage::TaskEntry& first = head.open.front();
    const std::string task = short_id(first.task);
    const bool waits = listed_status(first) == model::TaskStatus::waiting;
    throw Error(Code::conflict,
                "the last turn of session " + short_of(head.id) + ", task " + task + ", has not ended: it is " +
                    first.status + "; let it end or cancel it",
                waits ? Hint{"to see what it asks", "show " + task} : Hint{"to resume it", "resume " + task});
}

/// Earlier releases listed what was imported as turns of sessions; it is not trusted to say what comes next.
bool is_imported(const storage::TaskEntry& entry)
{
    return detail_of(entry).kept_from.has_value();
}

/// Its turn begins, and what was said before it is known, when the others have ended.
void queue(TaskSpec& spec, const SessionHead& head)
{
    const auto waiting = std::ranges::count(head.open, model::TaskStatus::pending, listed_status);
    if (static_cast<std::size_t>(waiting) >= kMostQueued)
        throw Error(Code::rate_limited,
                    "session " + short_of(head.id) + " has " + std::to_string(waiting) +
                        " turns that wait; let some of them end before you send another message",
                    Hint{"to see them", "tasks"});
    spec.pending = true;
    spec.after = to_string(head.open.back().task);
}

void inherit(TaskSpec& spec, const TaskSpec& last)
{
    spec.config = last.config;
    spec.pattern = last.pattern;
    spec.setup = last.setup;
    spec.project = last.project;
    if (spec.agent.empty()) spec.agent = last.agent;
    if (spec.model.empty()) spec.model = last.model;
    if (spec.mode == model::ExecutionMode::autonomous) spec.mode = last.mode;
    if (spec.kind.empty()) spec.kind = last.kind;
    if (!spec.retention_days) spec.retention_days = last.retention_days;
    const Budget own = std::exchange(spec.budget, last.budget);
    if (own.tokens) spec.budget.tokens = own.tokens;
    if (own.cost) spec.budget.cost = own.cost;
    if (own.steps) spec.budget.steps = own.steps;
    if (own.wall_ms) spec.budget.wall_ms = own.wall_ms;
    if (own.depth) spec.budget.depth = own.depth;
    if (own.iterations) spec.budget.iterations = own.iterations;
}

}  // namespace

std::string short_of(std::string_view id)
{
    return std::string(id.substr(0, 8));
}

std::string session_key(std::string_view tenant, std::string_view id)
{
    return tenant == kLocalTenant ? std::string(id) : std::string(tenant) + '/' + std::string(id);
}

SessionHead head_of(TaskState last, const std::optional<std::string>& undone)
{
    SessionHead head{.id = last.spec.session.value_or(""), .before = last.spec.history, .turns = last.spec.turn};
    if (undone) {
        const json::value document = parse_json(*undone);
        const auto* object = document.if_object();
        const auto* task = object ? object->if_contains("task") : nullptr;
        const auto* history = object ? object->if_contains("history") : nullptr;
        if (task && history && task->is_string() && task->get_string() == to_string(last.id)) {
            head.before = history->is_string() ? std::optional(std::string(history->get_string())) : std::nullopt;
            head.last = std::move(last);
            return head;
        }
    }
    if (last.status == model::TaskStatus::completed && last.reply)  // one that failed, or was stopped, was no turn
        head.turn = Turn{last.spec.history,
                         {{model::Role::user, last.spec.description}, {model::Role::assistant, last.reply->text}},
                         last.history_left};
    head.last = std::move(last);
    return head;
}

/// Turns of one session are begun one after the other.
class Commands::TurnGate {
public:
    TurnGate(Commands& commands, std::string session) : commands_(commands), session_(std::move(session))
    {
        commands_.beginning_.insert(session_);
    }
    TurnGate(const TurnGate&) = delete;
    TurnGate& operator=(const TurnGate&) = delete;
    ~TurnGate()
    {
        commands_.beginning_.erase(session_);
        commands_.begun_.notify();
    }

private:
    Commands& commands_;
    std::string session_;
};

namespace {

/// What was said in a session of that name elsewhere, for whoever names it and brings a team of their own; nothing when none was imported.
Async<std::optional<std::string>> imported_history(storage::Store& store, std::string tenant, std::string session)
{
    std::optional<TaskState> last;
    storage::TaskQuery query{.tenant = std::move(tenant), .limit = SIZE_MAX};
    for (const storage::TaskEntry& entry : co_await store.tasks(std::move(query))) {
        if (!is_imported(entry) || detail_of(entry).purged_at) continue;
        TaskState state = fold(co_await read_whole(store, entry.task));
        if (state.spec.session == session && (!last || state.spec.turn > last->spec.turn)) last = std::move(state);
    }
    if (!last) co_return std::nullopt;
    const SessionHead head = head_of(std::move(*last), std::nullopt);
    co_return head.turn ? std::optional(co_await keep(store, *head.turn)) : head.before;
}

}  // namespace

Async<Id> Commands::create_turn(Principal by, Id id, TaskSpec spec, std::optional<model::Team> team, bool may_queue,
                                bool held)
{
    const std::string session = *spec.session;
    if (!find_id(session))
        throw Error(Code::invalid, "a session's id is a UUID, and " + in_quotes(session) + " is not one");
    const std::string key = session_key(by.tenant, session);
    while (beginning_.contains(key)) co_await begun_.wait();
    const TurnGate gate(*this, key);
    if (co_await was_made(by, id)) co_return id;  // asked for twice: the first answer got lost
    const auto head = co_await queries_.find_session(by, session);
    if (head) expect_may(by, Act::work, Owned{by.tenant, head->created_by}, missing_session(session));
    const bool queues = head && head->is_open();
    if (queues && (!may_queue || spec.pending)) refuse(*head);
    if (queues) queue(spec, *head);
    if (!head && !team) throw Error(Code::invalid, "the team has no agents");
    spec.turn = head ? head->turns + 1 : 1;
    if (!head) spec.history = co_await imported_history(store_, by.tenant, session);
    if (head && !queues) spec.history = head->turn ? std::optional(co_await keep(store_, *head->turn)) : head->before;
    if (!team) inherit(spec, head->newest);
    co_await host_.create(by.tenant, id, std::move(spec), std::move(team), held);
    if (queues) co_await host_.wake(id);  // the one before it may have ended meanwhile
    co_return id;
}

Async<std::string> Commands::undo(Principal by, std::string session)
{
    const std::string key = session_key(by.tenant, session);
    while (beginning_.contains(key)) co_await begun_.wait();
    const TurnGate gate(*this, key);
    const SessionHead head = co_await queries_.session(by, session);
    expect_may(by, Act::work, Owned{by.tenant, head.created_by}, missing_session(session));
    if (head.is_open()) refuse(head);
    std::optional<Turn> gone = head.turn;
    if (!gone && head.before) {
        HistoryWalk walk(head.before, {.messages = 1, .bytes = SIZE_MAX, .to_the_first = true});
        const auto documents = co_await read_all(store_, walk);
        gone = turn_from(documents.back().text);
    }
    if (!gone) throw Error(Code::conflict, "there is no turn to leave out");
    storage::Document document{
        .kind = std::string(kSessionDocument), .key = key, .text = undone_text(head.last.id, gone->before)};
    co_await store_.put(std::move(document));
    co_return gone->messages.empty() ? "" : gone->messages.front().text;
}

// ---- asking ----

Async<std::vector<SessionEntry>> Queries::sessions(Principal by)
{
    expect_may(by, Act::read);
    const bool own_only = reach_of(by, Act::read) == Reach::own;
    std::vector<SessionEntry> sessions;
    storage::SessionQuery query{.tenant = visible_tenant(by)};
    auto summaries = co_await store_.sessions(std::move(query));
    for (storage::SessionSummary& found : summaries) {
        if (is_imported(found.last)) continue;
        if (own_only && found.created_by != by.subject) continue;
        sessions.push_back({.id = std::move(found.id),
                            .turns = found.turns,
                            .last = found.last.task,
                            .status = std::move(found.last.status),
                            .agent = std::move(found.last.agent),
                            .title = std::move(found.last.title),
                            .open = found.last.open,
                            .created_at = found.created_at,
                            .updated_at = found.last.updated_at});
    }
    co_return sessions;
}

Async<std::string> Queries::resolve_session(Principal by, std::string prefix)
{
    if (find_id(prefix)) co_return prefix;
    if (prefix.empty()) throw Error(Code::invalid, "a session's id is missing");
    std::vector<std::string> found;
    for (const SessionEntry& session : co_await sessions(std::move(by)))
        if (session.id.starts_with(prefix)) found.push_back(session.id);
    if (found.size() == 1) co_return found.front();
    if (found.empty())
        throw Error(Code::not_found, "no session begins with " + in_quotes(prefix), Hint{"to see all", "sessions"});
    std::string ids;
    for (const std::string& id : found) ids += (ids.empty() ? "" : ", ") + id;
    throw Error(Code::invalid, in_quotes(prefix) + " begins the ids of several sessions: " + ids);
}

Async<std::optional<SessionHead>> Queries::find_session(Principal by, std::string id)
{
    storage::SessionQuery query{.tenant = visible_tenant(by), .id = id};
    const auto found = co_await store_.sessions(std::move(query));
    if (found.empty() || is_imported(found.front().last)) co_return std::nullopt;
    const storage::SessionSummary& session = found.front();
    expect_may(by, Act::read, Owned{session.last.tenant, session.created_by}, missing_session(id));
    const auto document = co_await store_.find(std::string(kSessionDocument), session_key(session.last.tenant, id));
    // as it is on the disk: the next turn must not go on from an answer that a crash could still take back
    auto last = co_await state_on_disk(session.last.task);
    const TaskSpec newest = last->spec;
    while (!last->started_at && last->spec.after) {  // it waits, or was cancelled before it began
        const auto before = find_id(*last->spec.after);
        const auto entry = before ? co_await store_.find_task(*before) : std::nullopt;
        if (!entry || detail_of(*entry).purged_at) break;
        last = co_await state_on_disk(*before);
    }
    SessionHead head = head_of(*last, document ? std::optional(document->text) : std::nullopt);
    head.created_by = session.created_by;
    head.turns = newest.turn;
    head.newest = newest;
    storage::TaskQuery open{.tenant = session.last.tenant, .open_only = true, .session = id, .limit = SIZE_MAX};
    head.open = co_await store_.tasks(std::move(open));
    std::ranges::sort(head.open, {}, &storage::TaskEntry::turn);
    co_return head;
}

Async<std::shared_ptr<const TaskState>> Queries::state_on_disk(Id task)
{
    auto state = co_await kept_state(task);
    if (!state) state = co_await read_state(task);
    co_return state;
}

Async<SessionHead> Queries::session(Principal by, std::string id)
{
    auto head = co_await find_session(std::move(by), id);
    if (!head) throw Error(Code::not_found, missing_session(id), Hint{"to see all", "sessions"});
    co_return std::move(*head);
}

Async<std::vector<TurnMessage>> Queries::conversation(Principal by, std::string session)
{
    const SessionHead head = co_await this->session(std::move(by), std::move(session));
    std::vector<TurnMessage> messages;
    bool is_whole = true;
    try {
        HistoryWalk walk(head.before, {.messages = SIZE_MAX, .bytes = SIZE_MAX, .to_the_first = true});
        co_await read_all(store_, walk);
        messages = walk.messages();
    } catch (const Error&) {
        is_whole = false;  // of what was imported, turns before a summary did not come along
    }
    if (!is_whole) {
        HistoryWalk walk(head.before, {.messages = SIZE_MAX, .bytes = SIZE_MAX});
        co_await read_all(store_, walk);
        messages = walk.messages();
    }
    if (head.turn) std::ranges::copy(head.turn->messages, std::back_inserter(messages));
    co_return messages;
}

}  // namespace cadre::engine
