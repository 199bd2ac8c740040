#include "engine/host.hpp"

#include "base/async.hpp"
#include "base/join.hpp"
#include "base/json_writer.hpp"
#include "base/mutant.hpp"
#include "engine/active_task.hpp"
#include "engine/index_detail.hpp"
#include "engine/whole_journal.hpp"
#include "model/write.hpp"
#include "storage/verify.hpp"
#include "tools/builtin.hpp"
#include "tools/tool.hpp"

#include <algorithm>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

constexpr Millis kLease{10'000};

}  // namespace

/// Rings at the earliest of the host's alarms.
class Host::Alarm final : public Timer {
public:
    explicit Alarm(Host& host) : host_(host) {}
    void fire() noexcept override { host_.ring(); }

private:
    Host& host_;
};

/// `co_await Changed(host, task)`: until something about the task is different; look what it is.
class Host::Changed final : public Wait {
public:
    Changed(Host& host, const Id& task) : host_(host), task_(task) {}
    ~Changed() { leave(); }
    void await_resume() const { finish(); }
    void notify() noexcept
    {
        place_.reset();  // the host takes it out of its list
        wake();
    }

private:
    bool arm() override
    {
        place_ = host_.watchers_.emplace(task_, this);
        return true;
    }
    bool withdraw() noexcept override
    {
        leave();
        return true;
    }
    void leave() noexcept
    {
        if (place_) host_.watchers_.erase(*place_);
        place_.reset();
    }

    Host& host_;
    Id task_;
    std::optional<std::multimap<Id, Changed*>::iterator> place_;
};

/// A task is being brought into memory: others who want it wait.
class Host::Loading {
public:
    Loading(Host& host, const Id& task) : host_(host), task_(task) { host_.loading_.insert(task); }
    Loading(const Loading&) = delete;
    Loading& operator=(const Loading&) = delete;
    ~Loading()
    {
        host_.loading_.erase(task_);
        host_.changed(task_);
        host_.removed_.notify();
    }

private:
    Host& host_;
    Id task_;
};

void Host::changed(const Id& task) noexcept
{
    for (auto place = watchers_.find(task); place != watchers_.end() && place->first == task;) {
        place->second->notify();
        place = watchers_.erase(place);
    }
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

Host::Host(const Env& env, const Patterns& patterns)
    : env_(env),
      patterns_(patterns),
      port_(env.store.open_port(env.loop)),
      hub_(env.store),
      alarm_(std::make_unique<Alarm>(*this)),
      scope_(env.loop)
{}

Host::~Host() = default;

// ---- starting ----

Async<bool> Host::create(Id id, TaskSpec spec, std::optional<model::Team> team)
{
    if (closing_ || holding_) throw Error(Code::unavailable, "this process is stopping and takes no more tasks");
    const Pattern& pattern = patterns_.get(spec.pattern);
    auto agents = team ? co_await pin(std::move(*team), spec) : co_await agents_for(spec);
    auto history = co_await history_for(spec);
    if (!co_await start_new(id, pattern, std::move(spec), std::move(agents), std::move(history))) co_return false;
    co_await durable(id, 2);
    co_return true;
}

Async<bool> Host::write_journal(Id id, std::vector<JournalEntry> entries)
{
    if (closing_ || holding_) throw Error(Code::unavailable, "this process is stopping and takes no more tasks");
    while (loading_.contains(id)) co_await Changed(*this, id);
    const Loading loading(*this, id);
    if (const auto entry = co_await env_.store.find_task(id); entry && !detail_of(*entry).purged_at) co_return false;
    const auto lease = co_await env_.store.acquire(id, env_.owner, kLease);
    Journal::Owner owner{env_.tenant, id, lease.epoch};
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
    const auto pinned = teams_.pin(std::move(team), {spec.model, spec.mode});
    spec.config = pinned->key;
    if (!co_await env_.store.find(std::string(kTeamDocument), spec.config)) {
        storage::Document document{.kind = std::string(kTeamDocument), .key = pinned->key, .text = pinned->text};
        co_await env_.store.put(std::move(document));
    }
    co_return pinned->agents;
}

/// False: there is such a task already.
Async<bool> Host::start_new(Id id, const Pattern& pattern, TaskSpec spec, Agents agents, History history)
{
    while (loading_.contains(id)) co_await Changed(*this, id);
    if (active_.contains(id)) co_return false;
    const Loading loading(*this, id);
    if (co_await env_.store.find_task(id)) co_return false;
    const auto lease = co_await env_.store.acquire(id, env_.owner, kLease);

    TaskState state;
    state.id = id;
    state.tenant = env_.tenant;
    ActiveTask& task = launch(pattern, std::move(state), {}, lease.epoch, std::move(agents), std::move(history));
    RunState& run = task.state();
    run.append_change({.kind = RecordKind::created, .body = model::to_json_text(spec)});
    run.append_change({.kind = RecordKind::started, .body = started_body(spec), .events = 1});
    task.start();
    co_return true;
}

/// Until record `seq` of an active task is on the disk. The task may end meanwhile, so it is looked up each time.
Async<> Host::durable(Id id, std::uint32_t seq)
{
    if (is_mutant(Mutant::ack_before_durable)) co_return;
    while (true) {
        const auto place = active_.find(id);
        if (place == active_.end()) break;  // put away or ended: then everything was durable, or refused
        if (place->second->state().journal().durable_seq() >= seq) co_return;
        if (failure_ || lost_.contains(id)) break;
        co_await Changed(*this, id);
    }
    check_owned(id);
}

void Host::check_owned(const Id& task) const
{
    if (failure_) std::rethrow_exception(failure_);
    if (const auto lost = lost_.find(task); lost != lost_.end()) std::rethrow_exception(lost->second);
}

ActiveTask& Host::launch(const Pattern& pattern, TaskState state, std::vector<Record> records, std::uint32_t epoch,
                         Agents agents, History history)
{
    const Id id = state.id;
    auto task = std::make_unique<ActiveTask>(*this, pattern, std::move(state), std::move(records), epoch,
                                             std::move(agents), std::move(history));
    ActiveTask& launched = *task;
    active_.insert_or_assign(id, std::move(task));
    if (holding_) launched.state().hold();
    return launched;
}

Async<Agents> Host::agents_for(TaskSpec spec)
{
    if (spec.config.empty()) co_return std::make_shared<const std::vector<Agent>>();
    std::string text = co_await team_text(spec);
    co_return teams_.read(std::move(text), spec.config, {spec.model, spec.mode})->agents;
}

Async<History> Host::history_for(TaskSpec spec)
{
    if (!spec.history) co_return History{};
    HistoryWalk walk(spec.history);
    co_await read_all(env_.store, walk);
    co_return walk.history();
}

Async<model::Team> Host::team_for(TaskSpec spec)
{
    const std::string text = co_await team_text(std::move(spec));
    co_return model::from_text<model::Team>(text, {.limits = model::kTeamLimits});
}

Async<std::string> Host::team_text(TaskSpec spec)
{
    auto document = co_await env_.store.find(std::string(kTeamDocument), spec.config);
    if (!document || to_hex(sha256(document->text)) != spec.config)
        throw Error(Code::unavailable,
                    "the pinned team " + spec.config.substr(0, 12) + " is missing or damaged in the store");
    co_return std::move(document->text);
}

// ---- waking ----

/// A task that cannot go on here is left as it is, for whoever can: it does not fail for want of a tool or a model.
void Host::expect_means(const TaskState& state, const std::vector<Agent>& agents) const
{
    const auto agent = std::ranges::find(agents, state.spec.agent, &Agent::name);
    if (agent == agents.end()) return;
    const bool thinks = state.steps > 0 || !state.spec.model.empty();  // not every pattern needs a model
    for (const std::string& name : agent->tools) {
        const model::Tool* tool = agent->find_tool(name);
        const bool is_ours = name == tools::search_tools_definition().name;  // the engine performs it
        if (!tool || is_ours || tool->type == model::ToolType::hitl) continue;
        std::string why;
        if (!find_tool(env_, *tool, state.spec, why))
            throw Error(Code::unavailable, "task " + to_string(state.id) + " needs the tool " + name + ", " + why +
                                               "; it is left as it is");
    }
    if (thinks && !agent->models.empty()) env_.models(agent->models.front(), state.id, state.spec.project);
}

Async<ActiveTask*> Host::activate(Id task, Waking waking)
{
    while (loading_.contains(task)) co_await Changed(*this, task);
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
    while (active_.contains(task)) co_await Changed(*this, task);  // it has just ended and is about to go
    // first the right to write, then the journal: nobody can add to what is read
    const auto lease = co_await env_.store.acquire(task, env_.owner, kLease);
    auto records = co_await env_.store.read(task);
    if (records.empty()) throw Error(Code::not_found, "there is no task " + to_string(task));
    storage::expect_intact(records);
    TaskState state = fold(records);
    if (state.finished()) co_return nullptr;
    if (state.spec.imported)
        throw Error(Code::conflict,
                    "task " + to_string(task) + " was imported: it does not go on here, a fork of it does");
    const Pattern& pattern = patterns_.get(state.spec.pattern);
    auto agents = co_await agents_for(state.spec);
    const bool ends = state.cancel_requested || waking == Waking::ends;
    auto history = co_await history_for(state.spec);
    if (!ends) expect_means(state, *agents);
    alarms_.erase(task);
    dormant_.erase(task);
    lost_.erase(task);
    ActiveTask& launched =
        launch(pattern, std::move(state), std::move(records), lease.epoch, std::move(agents), std::move(history));
    if (waking != Waking::goes_on) launched.state().hold();
    const bool cancelled = launched.state().view().cancel_requested;
    if (!launched.state().view().started_at) {  // a crash came between the two records of create()
        std::string body = started_body(launched.state().view().spec);
        launched.state().append_change({.kind = RecordKind::started, .body = std::move(body), .events = 1});
    }
    launched.start();
    if (cancelled) launched.cancel();
    co_return &launched;
}

Async<> Host::wake(Id task)
{
    co_await activate(task);
}

Async<std::size_t> Host::wake_all()
{
    const auto entries = co_await env_.store.tasks({.tenant = env_.tenant, .open_only = true, .limit = SIZE_MAX});
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
        co_await activate(task);
    } catch (const Error& error) {
        dormant_.erase(task);
        changed(task);
        if (error.code() == Code::conflict) look_again(task);
        else env_.log.error(error.what(), {{"task", to_string(task)}});
    }
}

/// Another owner has the task. Should that one die, its lease runs out and the task is ours to go on with.
void Host::look_again(const Id& task)
{
    if (closing_ || holding_) return;
    alarms_[task] = env_.loop.clock().now() + kLease;
    ring();
}

Async<> Host::wake_each(const std::vector<storage::TaskEntry>& entries, std::size_t& next)
{
    while (next < entries.size()) {
        const Id task = entries[next++].task;
        co_await wake_alone(task);
    }
}

// ---- inputs ----

Async<std::uint32_t> Host::input(Id task, std::function<std::uint32_t(RunState&)> act, Waking waking)
{
    while (loading_.contains(task)) co_await Changed(*this, task);
    if (waking == Waking::held && !active_.contains(task) && !closing_ && !failure_)
        co_return co_await input_at_rest(task, std::move(act));
    ActiveTask* active = co_await activate(task);
    const bool ended = !active || active->state().view().finished();  // its end may not be on the disk yet
    const std::uint32_t seq = !active ? 0 : ended ? active->state().journal().seq() : act(active->state());
    if (active) co_await durable(task, seq);
    if (ended) throw Error(Code::conflict, "task " + to_string(task) + " has ended");
    co_return seq;
}

/// Has a task that is put away take an input in, and puts it away again. Others wait meanwhile: who wakes it must not get one
/// that is held.
Async<std::uint32_t> Host::input_at_rest(Id task, std::function<std::uint32_t(RunState&)> act)
{
    const Loading loading(*this, task);
    ActiveTask* active = co_await load(task, Waking::held);
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
    while (active_.contains(task)) co_await Changed(*this, task);
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

Async<> Host::until_resting(Id task)
{
    while (loading_.contains(task) || active_.contains(task) || dormant_.contains(task)) {
        if (failure_) std::rethrow_exception(failure_);
        co_await Changed(*this, task);
    }
    check_owned(task);
}

// ---- putting away ----

void Host::remove(ActiveTask& task)
{
    const Id id = task.id();
    const TaskState& view = task.state().view();
    const std::optional<Time> due = task.over() ? std::nullopt : view.due();
    if (!task.over() && !holding_ && !view.pause_reason && !(view.timers.empty() && view.children.empty()))
        dormant_.insert(id);
    const bool paused = view.pause_reason.has_value();
    active_.erase(id);
    // a task that may not go on would be woken again and again
    if (due && !closing_ && !holding_ && !paused) {
        alarms_[id] = *due;
        ring();
    }
    if (lost_.contains(id)) look_again(id);
    changed(id);
    if (listener_) listener_->on_rest(id);
    removed_.notify();
}

void Host::ring()
{
    alarm_->stop();
    const Time now = env_.loop.clock().now();
    std::vector<Id> due;
    std::optional<Time> next;
    for (const auto& [id, time] : alarms_) {
        if (time <= now) due.push_back(id);
        else if (!next || time < *next) next = time;
    }
    if (next) env_.loop.start(*alarm_, later(env_.loop.now(), *next - now));
    for (const Id& id : due) {
        alarms_.erase(id);
        scope_.spawn(wake_alone(id));
    }
}

Async<> Host::put_away(Id task)
{
    const auto place = active_.find(task);
    if (place != active_.end()) place->second->state().hold();
    while (active_.contains(task)) co_await Changed(*this, task);
}

Async<> Host::put_away_at_once(Id task)
{
    if (const auto place = active_.find(task); place != active_.end()) {
        RunState& run = place->second->state();
        run.hold();
        if (run.tools_at_work() == 0) place->second->abandon();
    }
    while (active_.contains(task)) co_await Changed(*this, task);
}

Async<> Host::drain()
{
    holding_ = true;
    for (const auto& [id, task] : active_) task->state().hold();
    while (!active_.empty() || !loading_.empty()) co_await removed_.wait();
}

Async<> Host::close()
{
    closing_ = true;
    alarm_->stop();
    for (const auto& [id, task] : active_) task->abandon();
    while (!active_.empty() || !loading_.empty()) co_await removed_.wait();
    co_await scope_.close();
}

}  // namespace cadre::engine
