// Parents and children: who is told of an end, and who ends with whom.
#include "base/async.hpp"
#include "engine/active_task.hpp"
#include "engine/host.hpp"

namespace cadre::engine {

void Host::on_ended(const TaskState& task)
{
    if (closing_) return;
    if (task.spec.parent)
        if (const auto parent = find_id(*task.spec.parent)) scope_.spawn(tell_parent(*parent, task.id));
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
        co_await cancel(child, "its parent", "the task that had delegated it has ended");
    } catch (const Error& error) {
        if (error.code() != Code::not_found) env_.log.error(error.what(), {{"task", to_string(child)}});
    }
}

}  // namespace cadre::engine
