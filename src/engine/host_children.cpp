// Parents and children: who is told of an end, and who ends with whom.
#include "base/async.hpp"
#include "base/timeout.hpp"
#include "engine/active_task.hpp"
#include "engine/host.hpp"
#include "engine/host_loading.hpp"

#include <algorithm>

namespace cadre::engine {

/// Does what nobody waits for and must happen all the same, again and again while another owner has the task or the store cannot do it
/// just now. Should this process end before, the next one finds it in the journals.
void Host::insist(const Id& about, std::function<Async<>()> act)
{
    if (!closing_) scope_.spawn(until_done(about, std::move(act)));
}

Async<> Host::until_done(Id about, std::function<Async<>()> act)
{
    while (true) {
        try {
            co_return co_await act();
        } catch (const Error& error) {
            if (error.code() == Code::not_found) co_return;  // it was never created, or is gone
            env_.log.error(error.what(), {{"task", to_string(about)}});
            if (!is_for_now(error)) co_return;
        }
        if (closing_ || holding_ || failure_) co_return;
        co_await sleep_for(kLease);
    }
}

void Host::on_ended(const TaskState& task)
{
    if (closing_) return;
    const auto parent = parent_of(task);
    if (parent) insist(*parent, [this, above = *parent, child = task.id] { return tell_parent(above, child); });
    if (task.spec.session) end_turn(task);
    for (const auto& [path, child] : task.children) cancel_orphan(child);
    for (const Id& child : task.orphans) cancel_orphan(child);  // a crash may have come before
}

Async<> Host::tell_parent(Id parent, Id child)
{
    if (ActiveTask* active = co_await activate(parent)) active->state().child_ended(child);
}

/// The owner that held it may have died before it was created: then that is ours to do, if its parent still waits for it.
Async<> Host::start_delegated(std::string tenant, Id parent, Id child, TaskSpec spec)
{
    const auto records = co_await env_.store.read(parent);
    const TaskState above = fold(records);
    const auto is_this = [&](const auto& open) { return open.second == child; };
    if (above.finished() || std::ranges::none_of(above.children, is_this)) co_return;
    if (!co_await create(std::move(tenant), child, std::move(spec), std::nullopt)) co_await wake_alone(child);
}

/// Nobody waits for it any more.
void Host::cancel_orphan(const Id& child)
{
    insist(child, [this, child] { return cancel_child(child); });
}

void Host::cancel_orphan_after(const Id& parent, const Id& child, std::uint32_t seq)
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
    cancel_orphan(child);
}

Async<> Host::cancel_child(Id child)
{
    co_await cancel(child, std::string(kByParent), std::string(kParentEnded));
}

/// A crash may have come before they were cancelled.
Async<> Host::cancel_open(std::vector<Id> orphans)
{
    for (const Id& orphan : orphans) {
        const auto entry = co_await env_.store.find_task(orphan);
        if (entry && entry->open) cancel_orphan(orphan);
    }
}

/// Whether the task above it has ended: a crash may have come before it was told.
Async<bool> Host::is_orphan(const TaskState& state)
{
    const auto parent = parent_of(state);
    if (!parent) co_return false;
    const auto entry = co_await env_.store.find_task(*parent);
    co_return entry && !entry->open;
}

// ---- whether a person must help one below ----

/// What a task that is parked waits for.
void Host::settle(const TaskState& parked)
{
    const auto parent = parent_of(parked);
    if (parked.pause_reason || (parked.timers.empty() && parked.children.empty())) {
        if (parent && (parked.pause_reason || !parked.questions.empty())) helpless_.insert(parked.id);
        return;
    }
    Dormant dormant{.parent = parent, .moves = ++moves_};
    if (parked.timers.empty())
        for (const auto& [path, child] : parked.children) dormant.children.push_back(child);
    dormant.runs = parked.status == model::TaskStatus::running && !parked.children.empty();
    if (dormant.runs) dormant.since = env_.loop.now();
    dormant_.insert_or_assign(parked.id, std::move(dormant));
}

/// Something is different below them; one that is in memory has told those above it already.
void Host::tell_above(std::optional<Id> above)
{
    while (above) {
        changes_.notify(*above);
        const auto place = dormant_.find(*above);
        if (place == dormant_.end()) return;
        place->second.moves = ++moves_;
        if (place->second.runs) count_time(place->second, !stands_still(*above));
        above = place->second.parent;
    }
}

/// A task runs while those below it do, though it is not in memory.
void Host::count_time(Dormant& dormant, bool works) const
{
    const Instant now = env_.loop.now();
    if (dormant.since) dormant.worked += now - *dormant.since;
    dormant.since = works ? std::optional(now) : std::nullopt;
}

/// It comes into memory again. Returns for how long others worked for it.
Monotonic::duration Host::wake_dormant(const Id& task)
{
    const auto place = dormant_.find(task);
    if (place == dormant_.end()) return {};
    count_time(place->second, false);
    const auto worked = place->second.worked;
    dormant_.erase(place);
    return worked;
}

bool Host::stands_still(const Id& task) const
{
    if (loading_.contains(task) || active_.contains(task)) return false;
    const auto place = dormant_.find(task);
    if (place == dormant_.end() || place->second.children.empty()) return false;
    return std::ranges::all_of(place->second.children,
                               [this](const Id& child) { return helpless_.contains(child) || stands_still(child); });
}

std::optional<std::uint64_t> Host::moves_below(const Id& task) const
{
    const auto place = dormant_.find(task);
    return place == dormant_.end() ? std::nullopt : std::optional(place->second.moves);
}

Async<> Host::until_moved(Id task, std::uint64_t since)
{
    while (moves_below(task) == since) co_await changes_.changed(task);
}

// ---- one budget for all of them ----

void Host::report_short(const Id& above, const Spending& needed)
{
    insist(above, [this, above, needed] { return tell_short(above, needed); });
}

/// The task whose budget does not suffice pauses, however deep below it the call is that was to happen.
Async<> Host::tell_short(Id above, Spending needed)
{
    ActiveTask* active = co_await activate(above);
    if (!active || active->state().view().finished()) co_return;  // then those below are cancelled
    Account& account = active->state().account();
    const Shortage shortage = account.shortage(needed);
    if (shortage == Shortage::none || shortage == Shortage::for_now) account.tell_raise();  // it was raised meanwhile
    else active->state().out_of_budget(explain(shortage, account, needed));
}

void Host::raised(const Id& task, bool held)
{
    if (const auto account = accounts_.find(task)) account->tell_raise();
    if (!held) insist(task, [this, task] { return wake_below(task); });
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
