// Bringing tasks into memory, and what becomes of them when they leave it.
#include "base/async.hpp"
#include "base/join.hpp"
#include "engine/active_task.hpp"
#include "engine/host.hpp"
#include "engine/host_loading.hpp"
#include "engine/session.hpp"
#include "storage/verify.hpp"
#include "tools/builtin.hpp"
#include "tools/tool.hpp"

#include <algorithm>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// The task waits for start(), and nothing else has it begin.
class NotStarted : public Error {
public:
    explicit NotStarted(const Id& task)
        : Error(Code::conflict, "task " + to_string(task) + " was not started yet; its creator has to start it")
    {}
    /// A turn of a session.
    NotStarted(const Id& task, const Id& before)
        : Error(Code::conflict,
                "task " + to_string(task) + " begins when task " + to_string(before) + " has ended, the turn before it",
                Hint{"to see that one", "show " + short_id(before)}),
          obstacle(before)
    {}

    const std::optional<Id> obstacle{};  // of a turn: the one that it waits for
};

/// Its journal is as it was written, and cannot be understood all the same: what it did is not known, so it does nothing more.
class Quarantined : public NotHere {
public:
    explicit Quarantined(const TaskState& state)
        : NotHere(Code::unavailable, "task " + to_string(state.id) + " is quarantined: " + state.unreadable +
                                         "; it can be shown, exported and cancelled")
    {}
};

/// It does not fail for want of a tool or a model.
void expect_means(const Env& env, const TaskState& state, const std::vector<Agent>& agents)
{
    const auto agent = std::ranges::find(agents, state.spec.agent, &Agent::name);
    if (agent == agents.end()) return;
    const bool thinks = state.steps > 0 || !state.spec.model.empty();  // not every pattern needs a model
    for (const std::string& name : agent->tools) {
        const model::Tool* tool = agent->find_tool(name);
        const bool is_ours = name == tools::search_tools_definition().name;  // the engine performs it
        if (!tool || is_ours || tool->type == model::ToolType::hitl) continue;
        std::string why;
        if (!find_tool(env, *tool, state.spec, why))
            throw NotHere(Code::unavailable, "task " + to_string(state.id) + " needs the tool " + name + ", " + why +
                                                 "; it is left as it is");
    }
    if (!thinks || agent->models.empty()) return;
    try {
        env.models(agent->models.front(), state.id, state.spec.project);
    } catch (const Error& error) {
        throw NotHere(error);
    }
}

/// Of a task that is in memory only to take an input in, or to be cancelled.
Async<model::Reply> wait_for_ever(Run& run)
{
    co_await RunState::Never(run.state());
    co_return model::Reply{};
}

const Pattern& standing_still()
{
    static const Pattern pattern{"", wait_for_ever};
    return pattern;
}

}  // namespace

ActiveTask& Host::launch(const Pattern& pattern, TaskState state, std::vector<Record> records, std::uint32_t epoch,
                         Agents agents, History history, std::shared_ptr<Account> account)
{
    const Id id = state.id;
    hub_.forget(id);
    auto task = std::make_unique<ActiveTask>(*this, pattern, std::move(state), std::move(records), epoch,
                                             std::move(agents), std::move(history), std::move(account));
    ActiveTask& launched = *task;
    active_.insert_or_assign(id, std::move(task));
    if (holding_) launched.hold();
    return launched;
}

Async<ActiveTask*> Host::activate(Id task, Waking waking)
{
    while (loading_.contains(task)) co_await changes_.changed(task);
    if (const auto place = active_.find(task); place != active_.end() && !place->second->over())
        co_return place->second.get();
    if (closing_) throw Error(Code::unavailable, "this process is stopping");
    if (failure_) std::rethrow_exception(failure_);  // what was handed over before may still be on its way
    const Loading loading(*this, task);
    co_return co_await load(task, waking);
}

/// Null: the task has ended.
Async<ActiveTask*> Host::load(Id task, Waking waking)
{
    while (active_.contains(task)) co_await changes_.changed(task);  // it has just ended and is about to go
    // first the right to write, then the journal: nobody can add to what is read
    const auto lease = co_await env_.store.acquire(task, env_.owner, kLease);
    auto records = co_await env_.store.read(task);
    if (records.empty()) throw Error(Code::not_found, "there is no task " + to_string(task));
    storage::expect_intact(records);
    TaskState state = fold(records);
    if (state.finished()) {  // another owner has ended it
        queued_.erase(task);
        dormant_.erase(task);
        helpless_.erase(task);
        co_return nullptr;
    }
    if (state.spec.imported)
        throw Error(Code::conflict,
                    "task " + to_string(task) + " was imported and cannot be resumed here; fork it instead");
    if (!state.unreadable.empty()) {
        if (waking != Waking::ends && !state.cancel_requested) throw Quarantined(state);
        co_return end_unread(std::move(state), lease.epoch);
    }
    if (waking == Waking::begins && state.started_at)
        throw Error(Code::conflict, "task " + to_string(task) + " has been started already");
    const bool queued = is_queued(state) && !state.cancel_requested && waking != Waking::ends;
    if (queued) {
        if (const auto obstacle = co_await find_obstacle(state)) {
            queued_[task] = {*obstacle, session_key(state.tenant, state.spec.session.value_or("")), state.spec.turn};
            throw NotStarted(task, *obstacle);
        }
        if (waking == Waking::goes_on || waking == Waking::is_new) waking = Waking::begins;
    }
    if (is_pending(state) && !state.cancel_requested && waking != Waking::begins && waking != Waking::ends)
        throw NotStarted(task);
    std::optional<std::string> history_key = queued ? co_await history_at_start(state) : state.spec.history;
    const bool orphan = !state.cancel_requested && waking != Waking::ends && co_await is_orphan(state);
    // to be told something, or to end, a task needs nothing but its journal: whoever has its code continues it
    const bool ends = state.cancel_requested || waking == Waking::ends || orphan;
    const bool continues = !ends && !is_parked_again(waking);
    if (waking == Waking::readied) patterns_.get(state.spec.pattern);
    const Pattern* own = ends ? patterns_.find(state.spec.pattern) : nullptr;
    const Pattern& pattern = continues ? patterns_.get(state.spec.pattern) : own ? *own : standing_still();
    auto agents = co_await teams_.agents_for(state.spec);
    const bool never_begins = is_pending(state) && ends;
    auto history = co_await history_of(env_.store, history_key);
    auto account = co_await accounts_.of(state, records);
    if ((continues && waking != Waking::is_new) || waking == Waking::readied) expect_means(env_, state, *agents);
    alarms_.remove(task);
    const auto worked = wake_dormant(task);
    helpless_.erase(task);
    queued_.erase(task);
    lost_.erase(task);
    ActiveTask& launched = launch(pattern, std::move(state), std::move(records), lease.epoch, std::move(agents),
                                  std::move(history), std::move(account));
    launched.state().add_time(worked);
    if (is_parked_again(waking) || waking == Waking::ends || never_begins || orphan) launched.hold();
    if (orphan) launched.state().request_cancel(kByParent, kParentEnded);
    const bool cancelled = launched.state().view().cancel_requested;
    if (!launched.state().view().started_at && !never_begins) {  // or a crash came between the two records of create()
        if (!queued) history_key.reset();
        std::string body = started_body(launched.state().view().spec, launched.state().pinned(), history_key);
        launched.state().append_change({.kind = RecordKind::started, .body = std::move(body), .events = 1});
    }
    auto orphans = launched.state().view().orphans;
    tell_above(parent_of(launched.state().view()));
    launched.start();
    if (cancelled) launched.cancel();
    if (!orphans.empty()) insist(task, [this, orphans = std::move(orphans)] { return cancel_open(orphans); });
    co_return &launched;
}

/// For its last record a task needs nothing but the end of its journal.
ActiveTask* Host::end_unread(TaskState state, std::uint32_t epoch)
{
    const Id task = state.id;
    const bool cancelled = state.cancel_requested;
    alarms_.remove(task);
    wake_dormant(task);
    helpless_.erase(task);
    queued_.erase(task);
    lost_.erase(task);
    ActiveTask& launched = launch(standing_still(), std::move(state), {}, epoch, std::make_shared<const TeamAgents>(),
                                  {}, accounts_.of_root(task));
    launched.hold();
    launched.start();
    if (cancelled) launched.cancel();
    return &launched;
}

Async<> Host::wake(Id task, Waking waking)
{
    std::optional<Id> obstacle;
    try {
        co_await activate(task, waking);
    } catch (const NotStarted& error) {
        if (!error.obstacle) throw;
        obstacle = error.obstacle;
    }
    // it begins by itself when that one has ended, which may have nobody else to continue it
    if (obstacle && !queued_.contains(*obstacle)) co_await wake(*obstacle);
}

Async<std::size_t> Host::wake_all()
{
    const auto entries = co_await env_.store.tasks({.open_only = true, .limit = SIZE_MAX});
    std::size_t next = 0;
    std::vector<Async<>> workers;
    for (std::size_t i = 0; i < std::min(kMaxWaking, entries.size()); ++i) workers.push_back(wake_each(entries, next));
    co_await all(std::move(workers));
    co_return entries.size();
}

/// Nobody waits for this: a task that cannot go on is a line in the log.
Async<> Host::wake_alone(Id task)
{
    try {
        if (co_await activate(task)) co_return;
        const auto records = co_await env_.store.read(task);  // another owner has ended it: who waits for it is here
        on_ended(fold(records));
    } catch (const NotStarted&) {
        dormant_.erase(task);
        changes_.notify(task);
    } catch (const Error& error) {
        dormant_.erase(task);
        changes_.notify(task);
        if (error.code() != Code::conflict) env_.log.error(error.what(), {{"task", to_string(task)}});
        if (is_for_now(error)) look_again(task);
    }
}

/// Another owner has the task: should that one die, its lease runs out and the task is ours to go on with. Or the store could not be
/// read just now.
void Host::look_again(const Id& task)
{
    if (closing_ || holding_) return;
    alarms_.set(task, later(env_.loop.now(), kLease));
}

Async<> Host::wake_each(const std::vector<storage::TaskEntry>& entries, std::size_t& next)
{
    while (next < entries.size()) {
        const Id task = entries[next++].task;
        co_await wake_alone(task);
    }
}

// ---- parking ----

void Host::remove(ActiveTask& task)
{
    const Id id = task.id();
    const TaskState& view = task.state().view();
    const std::optional<Instant> due = task.due();
    if (task.over()) deadlines_.forget(id);
    const std::optional<Id> above = parent_of(view);
    if (!task.over() && !holding_) settle(view);
    auto account = task.state().shared_account();
    active_.erase(id);
    accounts_.release(std::move(account));
    if (due && !closing_ && !holding_) alarms_.set(id, *due);
    if (lost_.contains(id)) look_again(id);
    changes_.notify(id);
    tell_above(above);
    if (listener_) listener_->on_rest(id);
    removed_.notify();
}

}  // namespace cadre::engine
