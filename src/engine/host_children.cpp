// Parents and children: who is told of an end, and who ends with whom.
#include "base/async.hpp"
#include "engine/active_task.hpp"
#include "engine/host.hpp"
#include "engine/host_loading.hpp"

namespace cadre::engine {

void Host::on_ended(const TaskState& task)
{
    if (closing_) return;
    if (task.spec.parent)
        if (const auto parent = find_id(*task.spec.parent)) scope_.spawn(tell_parent(*parent, task.id));
    if (task.spec.session) end_turn(task);
    for (const auto& [path, child] : task.children) scope_.spawn(cancel_child(child));
    for (const Id& child : task.orphans) scope_.spawn(cancel_child(child));  // a crash may have come before
}

Async<> Host::tell_parent(Id parent, Id child)
{
    try {
        if (ActiveTask* active = co_await activate(parent)) active->state().child_ended(child);
    } catch (const Error& error) {
        env_.log.error(error.what(), {{"task", to_string(parent)}});
    }
}

void Host::cancel_orphan(const Id& parent, const Id& child, std::uint32_t seq)
{
    if (!closing_) scope_.spawn(cancel_child_after(parent, child, seq));
}

/// Not before the parent's record is on the disk: a crash could still give the child somebody to work for.
Async<> Host::cancel_child_after(Id parent, Id child, std::uint32_t seq)
{
    try {
        co_await durable(parent, seq);
    } catch (const Error&) {
        co_return;  // the parent is not ours any more, and neither is this
    }
    co_await cancel_child(child);
}

/// Nobody waits for it any more.
Async<> Host::cancel_child(Id child)
{
    try {
        co_await cancel(child, std::string(kByParent), std::string(kParentEnded));
    } catch (const Error& error) {
        if (error.code() != Code::not_found) env_.log.error(error.what(), {{"task", to_string(child)}});
    }
}

/// Whether the task above it has ended: a crash may have come before it was told.
Async<bool> Host::is_orphan(const TaskState& state)
{
    const auto parent = state.spec.parent ? find_id(*state.spec.parent) : std::nullopt;
    if (!parent) co_return false;
    const auto entry = co_await env_.store.find_task(*parent);
    co_return entry && !entry->open;
}

// ---- one budget for all of them ----

void Host::report_short(const Id& above, const Spending& needed)
{
    if (!closing_) scope_.spawn(tell_short(above, needed));
}

/// The task whose budget does not suffice pauses, however deep below it the call is that was to happen.
Async<> Host::tell_short(Id above, Spending needed)
{
    try {
        ActiveTask* active = co_await activate(above);
        if (!active || active->state().view().finished()) co_return;  // then those below are cancelled
        Account& account = active->state().account();
        const Shortage shortage = account.shortage(needed);
        if (shortage == Shortage::none || shortage == Shortage::for_now)
            account.tell_raise();  // it was raised meanwhile
        else active->state().out_of_budget(explain(shortage, account, needed));
    } catch (const Error& error) {
        env_.log.error(error.what(), {{"task", to_string(above)}});
    }
}

void Host::raised(const Id& task)
{
    if (const auto account = accounts_.find(task)) account->tell_raise();
    if (!closing_) scope_.spawn(wake_below(task));
}

Async<> Host::wake_below(Id task)
{
    std::vector<Id> tasks{task};
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto records = co_await env_.store.read(tasks[i]);
        for (const auto& [path, child] : fold(records).children) {
            co_await wake_alone(child);
            tasks.push_back(child);
        }
    }
}

}  // namespace cadre::engine
