// Turns of a session that wait for those before them.
#include "base/async.hpp"
#include "base/mutant.hpp"
#include "engine/active_task.hpp"
#include "engine/host.hpp"
#include "engine/host_loading.hpp"
#include "engine/index_detail.hpp"
#include "engine/session.hpp"

#include <algorithm>

namespace cadre::engine {

/// The newest turn of its session, before this one, that has not ended; nothing: it may begin.
Async<std::optional<Id>> Host::find_obstacle(const TaskState& turn)
{
    storage::TaskQuery query{
        .tenant = turn.tenant, .open_only = true, .session = turn.spec.session.value_or(""), .limit = SIZE_MAX};
    const int number = turn.spec.turn;
    const auto open = co_await env_.store.tasks(std::move(query));
    const storage::TaskEntry* obstacle = nullptr;
    for (const storage::TaskEntry& entry : open)
        if (entry.turn < number && (!obstacle || entry.turn > obstacle->turn)) obstacle = &entry;
    co_return obstacle ? std::optional(obstacle->task) : std::nullopt;
}

/// What was said in its session until now: those before it have ended.
Async<std::optional<std::string>> Host::history_at_start(const TaskState& turn)
{
    auto before = turn.spec.after ? find_id(*turn.spec.after) : std::nullopt;
    while (before) {
        const auto records = co_await env_.store.read(*before);
        if (records.empty()) {  // retention was quicker
            const auto entry = co_await env_.store.find_task(*before);
            co_return entry ? detail_of(*entry).history : std::nullopt;
        }
        TaskState last = fold(records);
        if (last.started_at || !last.spec.after) {
            const auto document = co_await env_.store.find(std::string(kSessionDocument),
                                                           session_key(turn.tenant, turn.spec.session.value_or("")));
            const SessionHead head = head_of(std::move(last), document ? std::optional(document->text) : std::nullopt);
            co_return head.turn ? std::optional(co_await keep(env_.store, *head.turn)) : head.before;
        }
        before = find_id(*last.spec.after);  // it never began
    }
    co_return std::nullopt;
}

/// A turn has ended: the next one that waits begins.
void Host::end_turn(const TaskState& ended)
{
    if (holding_ || is_mutant(Mutant::queued_turn_lost)) return;  // the next owner begins it
    const std::string session = session_key(ended.tenant, *ended.spec.session);
    std::optional<Id> next;
    for (const auto& [task, waiting] : queued_)
        if (waiting.session == session && (!next || waiting.turn < queued_.at(*next).turn)) next = task;
    if (next) dormant_.try_emplace(*next);  // who waits for it knows that it goes on
    insist(next.value_or(ended.id),
           [this, tenant = ended.tenant, id = *ended.spec.session, next] { return begin_next(tenant, id, next); });
}

Async<> Host::begin_next(std::string tenant, std::string session, std::optional<Id> next)
{
    if (!next) next = co_await find_next(tenant, session);
    if (next) co_await wake_alone(*next);
}

/// A turn that waits for nobody any more, and that another process may have accepted.
Async<std::optional<Id>> Host::find_next(std::string tenant, std::string session)
{
    storage::TaskQuery query{.tenant = tenant, .open_only = true, .session = session, .limit = SIZE_MAX};
    const auto open = co_await env_.store.tasks(std::move(query));
    const auto first = std::ranges::min_element(open, {}, &storage::TaskEntry::turn);
    if (first == open.end() || listed_status(*first) != model::TaskStatus::pending) co_return std::nullopt;
    co_return first->task;
}

}  // namespace cadre::engine
