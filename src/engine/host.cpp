#include "engine/host.hpp"

#include "base/async.hpp"
#include "base/mutant.hpp"
#include "engine/active_task.hpp"
#include "engine/host_loading.hpp"
#include "engine/index_detail.hpp"
#include "engine/whole_journal.hpp"
#include "model/write.hpp"
#include "tools/tool.hpp"

namespace cadre::engine {

using storage::RecordKind;

Host::Host(const Env& env, const Patterns& patterns)
    : env_(env),
      patterns_(patterns),
      port_(env.store.open_port(env.loop)),
      hub_(env.store),
      teams_(env.store),
      accounts_(env.store),
      alarms_(env.loop, [this](const Id& task) { scope_.spawn(wake_alone(task)); }),
      deadlines_(env.loop),
      scope_(env.loop)
{}

Host::~Host() = default;

const TaskState* Host::active_state(const Id& task) const noexcept
{
    const auto place = active_.find(task);
    if (place == active_.end() || place->second->state().abandoned())
        return nullptr;  // some of it may never be written
    return &place->second->state().view();
}

/// Another owner has this one task, or the store takes nothing more from anybody.
void Host::refused(const Id& task, const std::exception_ptr& error) noexcept
{
    try {
        std::rethrow_exception(error);
    } catch (const Error& why) {
        if (why.code() == Code::conflict) lost_[task] = error;
        else if (!failure_) failure_ = error;
    } catch (...) {
        if (!failure_) failure_ = error;
    }
}

// ---- starting ----

void Host::expect_open() const
{
    if (closing_ || holding_) throw Error(Code::unavailable, "this process is stopping and takes no more tasks");
}

Async<bool> Host::create(std::string tenant, Id id, TaskSpec spec, std::optional<model::Team> team, bool held)
{
    expect_open();
    const Pattern& pattern = patterns_.get(spec.pattern);
    auto agents = team ? co_await pin(std::move(*team), spec) : co_await teams_.agents_for(spec);
    auto history = co_await history_of(env_.store, spec.history);
    if (spec.pending || held) {
        if (co_await env_.store.find_task(id)) co_return false;
        std::vector<JournalEntry> first{{.kind = RecordKind::created, .body = model::to_json_text(spec)}};
        if (!spec.pending)
            first.push_back({.kind = RecordKind::started, .body = started_body(spec, *agents), .events = 1});
        co_return co_await write_journal(std::move(tenant), id, std::move(first));
    }
    if (!co_await start_new(std::move(tenant), id, pattern, std::move(spec), std::move(agents), std::move(history)))
        co_return false;
    co_await durable(id, kOwnRecords);
    co_return true;
}

Async<bool> Host::write_journal(std::string tenant, Id id, std::vector<JournalEntry> entries)
{
    expect_open();
    while (loading_.contains(id)) co_await changes_.changed(id);
    const Loading loading(*this, id);
    if (const auto entry = co_await env_.store.find_task(id); entry && !detail_of(*entry).purged_at) co_return false;
    const auto lease = co_await env_.store.acquire(id, env_.owner, kLease);
    Journal::Owner owner{std::move(tenant), id, lease.epoch};
    const auto last = static_cast<std::uint32_t>(entries.size());
    co_await write_whole_journal(env_.store, *port_, env_.loop.clock().now(), std::move(owner), std::move(entries));
    if (listener_) {
        listener_->on_progress(id, last);
        listener_->on_rest(id);
    }
    co_return true;
}

Async<Agents> Host::pin(model::Team team, TaskSpec& spec)
{
    if (env_.toolbox) co_await env_.toolbox->describe(team, spec.project);
    pin_tools(team, env_.tools);
    co_return co_await teams_.pin(std::move(team), spec);
}

/// False: there is such a task already.
Async<bool> Host::start_new(std::string tenant, Id id, const Pattern& pattern, TaskSpec spec, Agents agents,
                            History history)
{
    while (loading_.contains(id)) co_await changes_.changed(id);
    if (active_.contains(id)) {
        co_await durable(id, kOwnRecords);  // who called first may not have been told yet
        co_return false;
    }
    const Loading loading(*this, id);
    if (co_await env_.store.find_task(id)) co_return false;
    const auto lease = co_await env_.store.acquire(id, env_.owner, kLease);

    TaskState state;
    state.id = id;
    state.tenant = std::move(tenant);
    state.spec.parent = spec.parent;
    const std::vector<storage::Record> nothing;
    std::shared_ptr<Account> account;
    if (!spec.parent) account = accounts_.of_root(id);
    else account = co_await accounts_.of(state, nothing);
    ActiveTask& task =
        launch(pattern, std::move(state), {}, lease.epoch, std::move(agents), std::move(history), std::move(account));
    RunState& run = task.state();
    run.append_change({.kind = RecordKind::created, .body = model::to_json_text(spec)});
    run.append_change({.kind = RecordKind::started, .body = started_body(spec, task.state().pinned()), .events = 1});
    task.start();
    co_return true;
}

Async<> Host::start(Id task)
{
    while (loading_.contains(task)) co_await changes_.changed(task);
    if (active_.contains(task)) throw Error(Code::conflict, "task " + to_string(task) + " has been started already");
    ActiveTask* active = co_await activate(task, Waking::begins);
    if (!active) throw Error(Code::conflict, "task " + to_string(task) + " has ended");
    if (!active->state().view().started_at)
        throw Error(Code::conflict, "task " + to_string(task) + " was cancelled before it began");
    co_await durable(task, active->state().journal().seq());
}

/// Until record `seq` of an active task is on the disk. The task may end meanwhile, so it is looked up each time.
Async<> Host::durable(Id id, std::uint32_t seq)
{
    if (is_mutant(Mutant::ack_before_durable)) co_return;
    while (true) {
        const auto place = active_.find(id);
        if (place == active_.end()) break;  // parked or ended: then everything was durable, or refused
        if (place->second->state().journal().durable_seq() >= seq) co_return;
        if (failure_ || lost_.contains(id)) break;
        co_await changes_.changed(id);
    }
    check_owned(id);
}

void Host::check_owned(const Id& task) const
{
    if (failure_) std::rethrow_exception(failure_);
    if (const auto lost = lost_.find(task); lost != lost_.end()) std::rethrow_exception(lost->second);
}

// ---- inputs ----

Async<std::uint32_t> Host::input(Id task, std::function<std::uint32_t(RunState&)> act, Waking waking)
{
    while (loading_.contains(task)) co_await changes_.changed(task);
    if (is_parked_again(waking) && !active_.contains(task) && !closing_ && !failure_)
        co_return co_await input_at_rest(task, std::move(act), waking);
    ActiveTask* active = co_await activate(task);
    const bool ended = !active || active->state().view().finished();  // its end may not be on the disk yet
    const std::uint32_t seq = !active ? 0 : ended ? active->state().journal().seq() : act(active->state());
    if (active) tell_above(parent_of(active->state().view()));
    if (active) co_await durable(task, seq);
    if (ended) throw Error(Code::conflict, "task " + to_string(task) + " has ended");
    co_return seq;
}

/// Has a parked task take an input in, and parks it again. Others wait meanwhile: who wakes it must not get one
/// that is held.
Async<std::uint32_t> Host::input_at_rest(Id task, std::function<std::uint32_t(RunState&)> act, Waking waking)
{
    const Loading loading(*this, task);
    ActiveTask* active = co_await load(task, waking);
    if (!active) throw Error(Code::conflict, "task " + to_string(task) + " has ended");
    std::uint32_t seq = 0;
    std::exception_ptr failure;
    try {
        if (active->state().view().finished()) throw Error(Code::conflict, "task " + to_string(task) + " has ended");
        seq = act(active->state());
        co_await durable(task, seq);
    } catch (...) {
        failure = std::current_exception();
    }
    while (active_.contains(task)) co_await changes_.changed(task);
    if (failure) std::rethrow_exception(failure);
    check_owned(task);
    co_return seq;
}

Async<bool> Host::cancel(Id task, std::string by, std::string reason)
{
    ActiveTask* active = co_await activate(task, Waking::ends);
    if (!active) co_return false;
    const TaskState& view = active->state().view();
    const bool ended = view.finished();
    const bool again = view.cancel_requested;
    const std::uint32_t seq =
        ended || again ? active->state().journal().seq() : active->state().request_cancel(by, reason);
    if (!ended && !again && !is_mutant(Mutant::cancel_ignored_by_new_intents)) active->cancel();
    co_await durable(task, seq);
    co_return !ended || again;
}

/// A turn that waits for another one rests when that one does, without having ended.
Async<> Host::until_resting(Id task, bool below)
{
    while (true) {
        while (loading_.contains(task) || active_.contains(task) || dormant_.contains(task)) {
            if (failure_) std::rethrow_exception(failure_);
            if (below && stands_still(task)) co_return;
            co_await changes_.changed(task);
        }
        check_owned(task);
        const auto place = queued_.find(task);
        if (place == queued_.end()) co_return;
        co_await until_resting(Id(place->second.obstacle), below);
        if (!loading_.contains(task) && !active_.contains(task) && !dormant_.contains(task)) co_return;
    }
}

// ---- parking ----

Async<> Host::until_parked(Id task)
{
    while (active_.contains(task)) co_await changes_.changed(task);
}

Async<> Host::park(Id task)
{
    if (const auto place = active_.find(task); place != active_.end()) place->second->hold();
    co_await until_parked(task);
}

Async<> Host::park_at_once(Id task)
{
    if (const auto place = active_.find(task); place != active_.end()) {
        place->second->hold();
        if (place->second->state().tools_at_work() == 0) place->second->abandon();
    }
    co_await until_parked(task);
}

Async<> Host::drain()
{
    holding_ = true;
    for (const auto& [id, task] : active_) task->hold();
    while (!active_.empty() || !loading_.empty()) co_await removed_.wait();
}

Async<> Host::close()
{
    closing_ = true;
    alarms_.stop();
    for (const auto& [id, task] : active_) task->abandon();
    while (!active_.empty() || !loading_.empty()) co_await removed_.wait();
    co_await scope_.close();
}

}  // namespace cadre::engine
