#include "engine/session.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/index_detail.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace cadre::engine {

using storage::TaskEntry;

namespace {

/// Clocks may stand still or go back; turns are counted.
bool is_older(const TaskEntry& a, const TaskEntry& b)
{
    return std::pair(detail_of(a).turn, a.created_at) < std::pair(detail_of(b).turn, b.created_at);
}

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

[[noreturn]] void refuse(const SessionHead& head)
{
    const std::string task = short_of(to_string(head.last.id));
    const bool waits = head.last.status == model::TaskStatus::waiting;
    throw Error(Code::conflict, "the last turn of session " + short_of(head.id) + ", task " + task +
                                    ", has not ended: it is " + std::string(model::wire_name(head.last.status)) + "; " +
                                    (waits ? "to see what it asks: cadre show " : "to go on with it: cadre resume ") +
                                    task + ", to leave it out: cadre cancel " + task);
}

void inherit(TaskSpec& spec, const TaskSpec& last)
{
    spec.config = last.config;
    spec.pattern = last.pattern;
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
}

}  // namespace

std::string short_of(std::string_view id)
{
    return std::string(id.substr(0, 8));
}

const TaskEntry* newest_turn(std::span<const TaskEntry> tasks)
{
    const auto newest = std::ranges::max_element(tasks, is_older);
    return newest == tasks.end() ? nullptr : &*newest;
}

std::vector<SessionEntry> sessions_in(std::span<const TaskEntry> tasks)
{
    std::map<std::string, std::vector<TaskEntry>, std::less<>> by_session;
    for (const TaskEntry& task : tasks)
        if (!task.session.empty()) by_session[task.session].push_back(task);
    std::vector<SessionEntry> sessions;
    for (auto& [id, turns] : by_session) {
        const TaskEntry& last = *newest_turn(turns);
        SessionEntry session{.id = id,
                             .turns = turns.size(),
                             .last = last.task,
                             .status = last.status,
                             .agent = last.agent,
                             .title = last.title,
                             .open = last.open,
                             .created_at = last.created_at,
                             .updated_at = last.updated_at};
        for (const TaskEntry& turn : turns) session.created_at = std::min(session.created_at, turn.created_at);
        sessions.push_back(std::move(session));
    }
    std::ranges::sort(sessions, std::greater{},
                      [](const SessionEntry& one) { return std::pair(one.updated_at, one.id); });
    return sessions;
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
                         {{model::Role::user, last.spec.description}, {model::Role::assistant, last.reply->text}}};
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

Async<Id> Commands::create_turn(Id id, TaskSpec spec, std::optional<model::Team> team)
{
    const std::string session = *spec.session;
    if (!find_id(session))
        throw Error(Code::invalid, "a session's id is a UUID, and " + in_quotes(session) + " is none");
    while (beginning_.contains(session)) co_await begun_.wait();
    const TurnGate gate(*this, session);
    if (co_await store_.find_task(id)) co_return id;  // asked for twice: the first answer got lost
    const auto head = co_await find_session(session);
    if (head && head->is_open()) refuse(*head);
    if (!head && !team) throw Error(Code::invalid, "the team has no agents");
    spec.turn = head ? head->turns + 1 : 1;
    if (head) spec.history = head->turn ? std::optional(co_await keep(store_, *head->turn)) : head->before;
    if (!team) inherit(spec, head->last.spec);
    co_await host_.create(id, std::move(spec), std::move(team));
    co_return id;
}

Async<std::vector<SessionEntry>> Commands::sessions()
{
    co_return sessions_in(co_await store_.tasks({.limit = SIZE_MAX}));
}

Async<std::string> Commands::resolve_session(std::string prefix)
{
    if (find_id(prefix)) co_return prefix;
    if (prefix.empty()) throw Error(Code::invalid, "a session's id is missing");
    std::vector<std::string> found;
    for (const SessionEntry& session : co_await sessions())
        if (session.id.starts_with(prefix)) found.push_back(session.id);
    if (found.size() == 1) co_return found.front();
    if (found.empty())
        throw Error(Code::not_found, "no session begins with " + in_quotes(prefix) + "; see: cadre sessions");
    std::string ids;
    for (const std::string& id : found) ids += (ids.empty() ? "" : ", ") + id;
    throw Error(Code::invalid, in_quotes(prefix) + " begins the ids of several sessions: " + ids);
}

Async<std::optional<SessionHead>> Commands::find_session(std::string id)
{
    const auto turns = co_await store_.tasks({.session = id, .limit = SIZE_MAX});
    const TaskEntry* newest = newest_turn(turns);
    if (!newest) co_return std::nullopt;
    const auto document = co_await store_.find(std::string(kSessionDocument), id);
    TaskState last = co_await task(newest->task);
    co_return head_of(std::move(last), document ? std::optional(document->text) : std::nullopt);
}

Async<SessionHead> Commands::session(std::string id)
{
    auto head = co_await find_session(id);
    if (!head) throw Error(Code::not_found, "there is no session " + id + "; see: cadre sessions");
    co_return std::move(*head);
}

Async<std::vector<TurnMessage>> Commands::conversation(std::string session)
{
    const SessionHead head = co_await this->session(std::move(session));
    HistoryWalk walk(head.before, {.messages = SIZE_MAX, .bytes = SIZE_MAX});
    co_await read_all(store_, walk);
    auto messages = walk.messages();
    if (head.turn) std::ranges::copy(head.turn->messages, std::back_inserter(messages));
    co_return messages;
}

Async<std::string> Commands::undo(std::string session)
{
    while (beginning_.contains(session)) co_await begun_.wait();
    const TurnGate gate(*this, session);
    const SessionHead head = co_await this->session(session);
    if (head.is_open()) refuse(head);
    std::optional<Turn> gone = head.turn;
    if (!gone && head.before) {
        HistoryWalk walk(head.before, {.messages = 1, .bytes = SIZE_MAX});
        const auto documents = co_await read_all(store_, walk);
        gone = turn_from(documents.back().text);
    }
    if (!gone) throw Error(Code::conflict, "there is no turn that could be left out");
    storage::Document document{
        .kind = std::string(kSessionDocument), .key = session, .text = undone_text(head.last.id, gone->before)};
    co_await store_.put(std::move(document));
    co_return gone->messages.empty() ? "" : gone->messages.front().text;
}

}  // namespace cadre::engine
