#include "sim/simulation.hpp"

#include "base/async.hpp"
#include "base/crash_point.hpp"
#include "base/timeout.hpp"
#include "engine/events.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "model/write.hpp"
#include "sim/checker.hpp"
#include "sim/world_tools.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

using namespace std::chrono_literals;
using storage::Record;
using storage::RecordKind;

namespace {

constexpr std::uint64_t kMaxTurns = 400'000;
constexpr Millis kQuiet = 60s;      // nothing that a task does by itself takes longer, sleeping apart
constexpr Millis kPatience = 600s;  // how long after the last fault everything must have come to rest

/// Both have a session of the same id.
constexpr const char* kTenants[] = {"local", "acme"};
constexpr const char* kSession = "6f1c0a52-1111-4222-8333-444455556666";

thread_local Simulation* t_running = nullptr;

void hook(const char* point)
{
    if (t_running) t_running->at_crash_point(point);
}

StoreFaults faults_of(Chance& chance, bool calm)
{
    StoreFaults faults;
    faults.exclusive = chance.one_in(2);
    faults.commit_latest = Millis(static_cast<std::int64_t>(chance.below(3) == 0 ? 200 : chance.below(6)));
    const auto rate = [&](std::uint64_t seeds, std::uint64_t often) {
        return chance.one_in(seeds) && !calm ? often : 0;
    };
    faults.slow_commit = rate(4, 20);
    faults.slow_latest = chance.one_in(4) ? 30s : 2s;
    faults.refusal = rate(10, 60);
    faults.ambiguous_commit = rate(4, 40);
    faults.fsync_error = rate(6, 50);
    faults.read_error = rate(8, 10);
    return faults;
}

}  // namespace

namespace {

/// Dies with the request.
template <class Said>
struct LostWith {
    explicit LostWith(std::shared_ptr<Said> s) : said(std::move(s)) {}
    LostWith(const LostWith&) = delete;
    LostWith& operator=(const LostWith&) = delete;
    ~LostWith()
    {
        if (said->done) return;
        said->lost = true;
        said->changed.notify();
    }
    std::shared_ptr<Said> said;
};

template <class Said>
Async<> serve(Worker& worker, std::shared_ptr<LostWith<Said>> request, std::function<Async<>(Worker&)> act,
              std::function<void()> on_done)
{
    std::optional<Code> code;
    std::string text;
    try {
        co_await act(worker);
    } catch (const Error& error) {
        code = error.code();
        text = error.what();
    }
    if (worker.dead) co_return;
    Said& said = *request->said;
    said.done = true;
    said.error = code;
    said.text = std::move(text);
    if (!code && on_done) on_done();
    said.changed.notify();
}

template <class Said>
Async<> until_said(std::shared_ptr<Said> said)
{
    while (!said->done && !said->lost) co_await said->changed.wait();
}

}  // namespace

// ---- workers ----

Worker::Worker(Simulation& simulation, std::string n, bool newer)
    : name(std::move(n)),
      new_version(newer),
      loop(simulation.clock_, simulation.scheduling_, simulation.order_),
      random(hash_of(simulation.seed_, name)),
      store(simulation.disk_, simulation.world_, name, simulation.faults_, simulation.store_chance_,
            simulation.store_counts_),
      sessions(loop)
{
    if (simulation.healed_) store.heal();
    for (auto& tool : tools_of(simulation, *this)) registry.add(std::move(tool));
    patterns.add({"plan@1", [this, &simulation](engine::Run& run) {
                      const auto leaves_out = [this](const std::string& task) {
                          const auto id = find_id(task);
                          return id && left_out.contains(*id);
                      };
                      const Id task = run.state().view().id;
                      Watch watch{[&simulation, task](std::string text) { simulation.report(std::move(text), task); }};
                      return play_plan(run, leaves_out, std::move(watch));
                  }});
    env = std::make_unique<engine::Env>(
        engine::Env{.loop = loop,
                    .pool = pool,
                    .random = random,
                    .store = store,
                    .tools = registry,
                    .models = [&simulation, this](const model::LlmConfig&, const Id& task,
                                                  const std::string&) { return model_for(simulation, *this, task); },
                    .workspace = [](const Id&) { return std::filesystem::path("/nonexistent"); },
                    .log = Log(descriptor_sink(-1), Level::off),
                    .owner = name,
                    .guard = std::make_shared<engine::ToolGuard>(false)});
    host = std::make_unique<engine::Host>(*env, patterns);
    queries = std::make_unique<engine::Queries>(store, host.get());
    commands = std::make_unique<engine::Commands>(*host, *queries);
}

Worker::~Worker() = default;

Worker& Simulation::start_worker(bool new_version)
{
    workers_.push_back(std::make_unique<Worker>(*this, fmt::format("w{}", ++started_), new_version));
    Worker& worker = *workers_.back();
    if (new_version) {
        for (const Subject& subject : subjects_) {
            const Stored* stored = disk_.find(subject.id);
            const std::string path = first_call(plan_of(subject.plan));
            if (!stored || path.empty() || subject.parent) continue;
            const bool recorded = std::ranges::any_of(stored->records, [&](const Record& record) {
                return record.kind == RecordKind::outcome && record.path == path;
            });
            if (recorded && !engine::fold(stored->records).finished()) {
                worker.left_out.insert(subject.id);
                misfits_.insert(subject.id);
            }
        }
    }
    worker.store.on_stopped([this, name = worker.name](const std::exception_ptr&) { clients_.spawn(kill_soon(name)); });
    count("worker started");
    return worker;
}

Worker* Simulation::current()
{
    return workers_.empty() || workers_.back()->dead ? nullptr : workers_.back().get();
}

void Simulation::kill(Worker& worker)
{
    worker.dead = true;
}

/// A process whose store has stopped says so and ends.
Async<> Simulation::kill_soon(std::string name)
{
    co_await sleep_for(client_chance_.between(0ms, 1s));
    for (const auto& worker : workers_)
        if (worker->name == name) kill(*worker);
}

void Simulation::freeze(Worker& worker)
{
    worker.freezing = worker.was_frozen = true;
    // when it goes on, answers and timeouts are due at once, and either may win
    for (Subject& subject : subjects_) subject.comparable = false;
}

void Simulation::bury_the_dead()
{
    for (auto place = workers_.begin(); place != workers_.end();) {
        Worker& worker = **place;
        if (worker.freezing) worker.frozen = true;
        if (!worker.dead && !worker.doomed && worker.host->store_failure()) {
            worker.doomed = true;
            clients_.spawn(kill_soon(worker.name));
        }
        if (!worker.dead) {
            ++place;
            continue;
        }
        worker.store.crash();
        place = workers_.erase(place);
    }
}

// ---- turns ----

bool Simulation::step()
{
    constexpr std::size_t kMost = 16;
    Worker* ready[kMost];
    std::size_t count = 0;
    for (const auto& worker : workers_)
        if (!worker->frozen && worker->loop.ready() && count < kMost) ready[count++] = worker.get();
    const bool world_ready = world_.ready();
    if (count == 0 && !world_ready) {
        Instant next = world_.next_timer();
        for (const auto& worker : workers_)
            if (!worker->frozen) next = std::min(next, worker->loop.next_timer());
        if (next == kNever) return false;
        clock_.advance(next - clock_.instant());
        return true;
    }
    ++turns_;
    const std::size_t chosen = scheduling_.below(count + (world_ready ? 1 : 0));
    if (chosen == count) {
        world_.turn();
    } else {
        running_ = ready[chosen];
        running_->loop.turn();
        running_ = nullptr;
    }
    bury_the_dead();
    return true;
}

void Simulation::at_crash_point(const char* point)
{
    if (!running_ || running_->dead) return;
    count(std::string("at ") + point);
    for (auto trap = traps_.begin(); trap != traps_.end(); ++trap) {
        if (trap->point != point || --trap->countdown > 0) continue;
        if (trap->freezes) freeze(*running_);
        else kill(*running_);
        count(std::string(trap->freezes ? "froze " : "died ") + point);
        traps_.erase(trap);
        return;
    }
}

void Simulation::run()
{
    t_running = this;
    static const bool hooked = (crash_hook = hook, true);  // once: simulations run on several threads
    (void)hooked;
    start_worker(false);
    for (std::size_t i = 0; i < subjects_.size(); ++i) clients_.spawn(live(i));
    clients_.spawn(supervise());
    clients_.spawn(direct());
    while (!over_) {
        if (violations_.size() > 10) break;
        if (turns_ > kMaxTurns) {
            report("I29 it goes on and on without coming to rest");
            break;
        }
        if (!step()) {
            report("I29 nothing can ever happen again, and it is not over");
            break;
        }
    }
    for (const auto& worker : workers_) worker->dead = true;
    bury_the_dead();
    t_running = nullptr;
    if (over_) check_history(*this);
    count("zombie fenced", disk_.fenced);
    count("ambiguous commit", store_counts_.ambiguous_commits);
    count("fsync error", store_counts_.fsync_errors);
    count("append refused", store_counts_.refusals);
    count("read failed", store_counts_.read_errors);
    count("unacknowledged record kept", store_counts_.unacknowledged_kept);
    count("unacknowledged record lost", store_counts_.unacknowledged_lost);
    count("turns", turns_);
}

Simulation::Simulation(std::uint64_t seed, SimOptions options)
    : seed_(seed),
      options_(options),
      scheduling_(seed, "scheduling"),
      world_chance_(seed, "world"),
      store_chance_(seed, "store"),
      client_chance_(seed, "clients"),
      nemesis_(seed, "nemesis"),
      order_(static_cast<Order>(scheduling_.below(3))),
      faults_(faults_of(store_chance_, options.calm)),
      disk_(clock_, [this](const std::string& text) { report(text); }),
      world_(clock_, scheduling_, Order::shuffled),
      clients_(world_)
{
    Chance chance(seed, "subjects");
    const std::uint64_t tasks = 1 + chance.below(3);
    for (std::uint64_t i = 0; i < tasks; ++i) {
        Subject subject;
        subject.id = new_id(chance.random());
        subject.plan = chance.below(kPlans);
        subjects_.push_back(std::move(subject));
    }
    Chance tenancy(seed, "tenants");
    for (Subject& subject : subjects_) {
        subject.tenant = kTenants[tenancy.below(2)];
        subject.pending = tenancy.one_in(4);
        const auto is_taken = [&](const Subject& one) { return one.tenant == subject.tenant && !one.session.empty(); };
        if (tenancy.one_in(2) && std::ranges::none_of(subjects_, is_taken)) subject.session = kSession;
    }
}

Simulation::~Simulation() = default;

void Simulation::report(std::string text, std::optional<Id> task)
{
    violations_.push_back({fmt::format("{} (at {})", text, to_iso(now())), task});
}

void Simulation::count(std::string_view what, std::uint64_t times)
{
    if (times == 0) return;
    const auto place = counts_.find(what);
    if (place == counts_.end()) counts_.emplace(what, times);
    else place->second += times;
}

std::uint64_t Simulation::trace() const
{
    std::uint64_t trace = hash_of(disk_.trace, fmt::format("{} {}", turns_, to_iso(now())));
    for (const Dispatch& dispatch : ledger_.dispatches)
        trace = hash_of(trace, dispatch.key + dispatch.worker + to_iso(dispatch.at));
    return trace;
}

// ---- what leaves the workers ----

void Simulation::dispatched(Dispatch dispatch, Worker& worker)
{
    check_dispatch(*this, dispatch, worker);
    if (worker.was_frozen && &worker != current()) count("zombie dispatched");
    ledger_.add(std::move(dispatch));
}

// ---- clients ----

Async<std::shared_ptr<Simulation::Said>> Simulation::ask(Act act, std::function<void()> on_done)
{
    auto said = std::make_shared<Said>();
    Worker* worker = current();
    if (!worker) {
        said->lost = true;
        co_return said;
    }
    auto request = std::make_shared<LostWith<Said>>(said);
    worker->loop.deliver(
        [worker, request = std::move(request), act = std::move(act), on_done = std::move(on_done)]() mutable {
            worker->sessions.spawn(serve<Said>(*worker, std::move(request), std::move(act), std::move(on_done)));
        });
    try {
        co_await with_timeout(until_said(said), 40s, "a worker");
    } catch (const Error&) {
        // the client stops waiting; the worker may still do it
    }
    co_return said;
}

std::string Simulation::token()
{
    return fmt::format("x{}x", ++tokens_);
}

const engine::TaskState& Simulation::look(std::size_t index)
{
    Subject& subject = subjects_[index];
    if (const Stored* stored = disk_.find(subject.id))
        for (std::size_t i = subject.state.end.seq; i < stored->records.size(); ++i) {
            engine::apply(subject.state, stored->records[i]);
            subject.changed_at = now();
        }
    for (const auto& [path, child] : subject.state.children) adopt(index, child);
    return subject.state;
}

/// What was acknowledged is on the disk at that moment, and for ever.
void Simulation::expect_recorded(std::size_t index, RecordKind kind, const std::string& token)
{
    const Subject& subject = subjects_[index];
    const Stored* stored = disk_.find(subject.id);
    const auto is_it = [&](const Record& record) {
        return record.kind == kind && record.body.find(token) != record.body.npos;
    };
    if (!stored || std::ranges::none_of(stored->records, is_it))
        report(fmt::format("I4 {} {} was acknowledged and is not on the disk", storage::name_of(kind), token),
               subject.id);
    count("acknowledged " + storage::name_of(kind));
}

Async<> Simulation::live(std::size_t index)
{
    Chance chance(seed_, fmt::format("client {}", index));
    engine::CreateTask request{.id = subjects_[index].id,
                               .team = team_of_the_simulation(),
                               .description = prompt_of(subjects_[index].plan),
                               .pattern = "plan@1",
                               .session = subjects_[index].session,
                               .start = !subjects_[index].pending};
    if (chance.one_in(6)) {
        request.budget.tokens = 60 + static_cast<std::int64_t>(chance.below(200));
        subjects_[index].comparable = false;
    }
    if (chance.one_in(10)) {
        request.budget.steps = static_cast<int>(1 + chance.below(4));
        subjects_[index].comparable = false;
    }
    kin_[subjects_[index].id] = {.tokens = request.budget.tokens, .steps = request.budget.steps};
    if (chance.one_in(6)) request.mode = model::ExecutionMode::step;
    if (chance.one_in(6)) request.breakpoints = {chance.one_in(2) ? "tool:pay" : "node:part1"};
    bool cancels = chance.one_in(5);
    if (cancels) subjects_[index].comparable = false;

    co_await sleep_for(chance.between(0ms, 2s));
    while (!subjects_[index].accepted) {
        const auto on_done = [this, index] {
            subjects_[index].accepted = true;
            expect_recorded(index, RecordKind::created, "plan@1");
        };
        const auto said = co_await ask(
            [request, by = person(index)](Worker& worker) -> Async<> {
                // captures would die with the lambda: the coroutine is another function
                return [](engine::Commands& to, engine::Principal who, engine::CreateTask what) -> Async<> {
                    co_await to.create(std::move(who), std::move(what));
                }(*worker.commands, by, request);
            },
            on_done);
        if (!said->ok()) co_await sleep_for(chance.between(100ms, 2s));
    }
    clients_.spawn(spy(index));
    if (cancels && subjects_[index].pending && chance.one_in(2)) {
        clients_.spawn(cancel(index, chance.between(0ms, 2s)));
        cancels = false;
    }
    if (subjects_[index].pending) co_await start(index);

    for (std::uint64_t i = 0, count = 1 + chance.below(2); i < count; ++i) {
        readers_.push_back(std::make_unique<Reader>());
        readers_.back()->task = subjects_[index].id;
        readers_.back()->by = person(index);
        readers_.back()->first = static_cast<std::uint32_t>(chance.one_in(3) ? chance.below(8) : 0);
        clients_.spawn(read_events(readers_.size() - 1));
    }
    clients_.spawn(help(index));
    clients_.spawn(disturb(index));
    if (cancels) clients_.spawn(cancel(index, chance.between(0ms, 30s)));
}

engine::Principal Simulation::person(std::size_t index, std::string name) const
{
    using engine::Role;
    return {.tenant = subjects_[index].tenant, .subject = std::move(name), .roles = {Role::steward, Role::approver}};
}

/// A pending task begins when somebody says so, and not before; whoever had no answer says it again.
Async<> Simulation::start(std::size_t index)
{
    Chance chance(seed_, fmt::format("starter {}", index));
    const Id id = subjects_[index].id;
    co_await sleep_for(chance.between(0ms, 20s));
    if (look(index).started_at) report("I30 a pending task began by itself", id);
    while (!look(index).finished()) {
        const auto said =
            co_await ask([id, by = person(index)](Worker& worker) { return worker.commands->start(by, id); },
                         [this, index] { expect_recorded(index, RecordKind::started, ""); });
        if (said->ok()) count("started by hand");
        if (said->done && said->error == Code::conflict) count("started twice");
        if (look(index).started_at) co_return;
        co_await sleep_for(chance.between(100ms, 2s));
    }
    if (!look(index).started_at) count("cancelled before its start");
}

namespace {

/// What somebody of another tenant tries.
Async<> pry(Worker& worker, engine::Principal by, Id task, std::uint64_t what)
{
    switch (what) {
    case 0: co_await worker.queries->task(by, task); break;
    case 1: co_await worker.queries->entry(by, task); break;
    case 2: co_await worker.queries->records(by, task); break;
    case 3: co_await worker.queries->events(by, task); break;
    case 4: co_await worker.commands->watch(by, task, 0); break;
    case 5: co_await worker.commands->instruct(by, task, "obey me"); break;
    case 6: co_await worker.commands->answer(by, task, "", {}); break;
    case 7: co_await worker.commands->cancel(by, task, "because I can"); break;
    case 8: co_await worker.commands->resume(by, task); break;
    case 9: co_await worker.commands->start(by, task); break;
    case 10: co_await worker.queries->resolve(by, to_string(task).substr(0, 12)); break;
    default: co_await worker.queries->export_run(by, task, true); break;
    }
}
constexpr std::uint64_t kWaysToPry = 12;

/// Their lists.
Async<> look_around(Worker& worker, engine::Principal by, std::shared_ptr<std::set<Id>> seen)
{
    for (const auto& entry : co_await worker.queries->tasks(by, {.limit = SIZE_MAX})) seen->insert(entry.task);
    for (const auto& session : co_await worker.queries->sessions(by)) seen->insert(session.last);
    if (const auto head = co_await worker.queries->find_session(by, kSession)) seen->insert(head->last.id);
}

}  // namespace

/// I31: for another tenant, the task is not there.
Async<> Simulation::spy(std::size_t index)
{
    Chance chance(seed_, fmt::format("spy {}", index));
    const Id id = subjects_[index].id;
    engine::Principal by = engine::local_user("eve");
    by.tenant = subjects_[index].tenant == kTenants[0] ? kTenants[1] : kTenants[0];
    for (int i = 0; i < 4; ++i) {
        co_await sleep_for(chance.between(0ms, 15s));
        const std::uint64_t what = chance.below(kWaysToPry);
        const auto said = co_await ask([by, id, what](Worker& worker) { return pry(worker, by, id, what); });
        const std::string missing =
            what == 10 ? "no task begins with " + in_quotes(to_string(id).substr(0, 12)) : engine::missing_task(id);
        const bool hidden = said->error == Code::not_found && said->text == missing;
        if (said->done && !hidden && said->error != Code::unavailable)
            report(fmt::format("I31 another tenant was told {} ({})", said->error ? said->text : "everything", what),
                   id);
        if (hidden) count("another tenant saw nothing");

        const auto seen = std::make_shared<std::set<Id>>();
        co_await ask([by, seen](Worker& worker) { return look_around(worker, by, seen); });
        for (const Subject& subject : subjects_)
            if (subject.tenant != by.tenant && seen->contains(subject.id))
                report("I31 the task is in a list of another tenant", subject.id);
    }
}

Async<> Simulation::cancel(std::size_t index, Millis after)
{
    co_await sleep_for(after);
    while (true) {
        const std::string by = token();
        const Id id = subjects_[index].id;
        auto accepted = std::make_shared<bool>(false);
        const auto on_done = [this, index, accepted] {
            if (*accepted) expect_recorded(index, RecordKind::cancel, "");
        };
        const auto said = co_await ask(
            [id, by = person(index, by), accepted](Worker& worker) -> Async<> {
                return
                    [](engine::Commands& to, Id task, engine::Principal who, std::shared_ptr<bool> result) -> Async<> {
                        *result = co_await to.cancel(who, task, "enough");
                    }(*worker.commands, id, by, accepted);
            },
            on_done);
        if (said->ok()) break;
        co_await sleep_for(client_chance_.between(500ms, 3s));
    }
    count("cancelled");
}

/// Pauses, instructions, looks inside: whatever people do to a task that runs.
Async<> Simulation::disturb(std::size_t index)
{
    Chance chance(seed_, fmt::format("disturber {}", index));
    const Id id = subjects_[index].id;
    for (std::uint64_t i = 0, times = chance.below(5); i < times; ++i) {
        co_await sleep_for(chance.between(0ms, 12s));
        if (look(index).finished() || healed_) co_return;
        switch (const std::uint64_t what = chance.below(10)) {
        case 0:
        case 1: co_await pause_and_resume(index); break;
        case 2: co_await instruct(index); break;
        case 3:
        case 4: co_await look_inside(index); break;
        case 5:
            co_await ask([id](Worker& worker) { return worker.host->park(id); });
            count("parked by hand");
            co_await sleep_for(chance.between(0ms, 3s));
            for (bool woken = false; !woken;) {
                const auto said = co_await ask([id](Worker& worker) { return worker.host->wake(id); });
                woken = said->ok();
                if (!woken) co_await sleep_for(1s);
            }
            break;
        default: co_await change_plan(index, what); break;
        }
    }
}

Async<> Simulation::instruct(std::size_t index)
{
    const std::string text = std::string(kNote) + " " + token();
    co_await ask([id = subjects_[index].id, text,
                  by = person(index)](Worker& worker) { return worker.commands->instruct(by, id, text); },
                 [this, index, text] { expect_recorded(index, RecordKind::instruction, text); });
}

Async<> Simulation::pause_and_resume(std::size_t index)
{
    const Id id = subjects_[index].id;
    const std::string by = token();
    co_await ask([id, by = person(index, by)](Worker& worker) { return worker.commands->pause(by, id); },
                 [this, index, by] { expect_recorded(index, RecordKind::pause, by); });
    // help() resumes it
}

/// I6: what the run believes of itself is what its journal says.
Async<> Simulation::look_inside(std::size_t index)
{
    const Id id = subjects_[index].id;
    co_await ask([this, id](Worker& worker) -> Async<> {
        return [](Simulation& simulation, engine::Host& host, Id task) -> Async<> {
            co_await host.input(task, [&simulation, task](engine::RunState& run) {
                const Stored* stored = simulation.disk_.find(task);
                if (run.journal().all_durable() && stored && run.journal().seq() == stored->records.size())
                    check_live_state(simulation, run.view(), stored->records);
                return run.journal().durable_seq();
            });
        }(*this, *worker.host, id);
    });
}

/// The people behind a task: they answer, resume, raise budgets.
Async<> Simulation::help(std::size_t index)
{
    Chance chance(seed_, fmt::format("helper {}", index));
    const Id id = subjects_[index].id;
    while (true) {
        co_await sleep_for(chance.between(500ms, 4s));
        const engine::TaskState state = look(index);
        if (state.finished()) co_return;
        if (subjects_[index].parent && state.spec.budget.tokens) blur(index);
        co_await answer_late(index);
        Subject& subject = subjects_[index];
        if (state.questions.size() >= 2) count("several questions open");
        for (const engine::OpenQuestion& question : state.questions) {
            const std::string& request = question.request.id;
            if (subject.answered.contains(request) || subject.given_up.contains(request)) continue;
            const std::uint64_t salt = hash_of(seed_, question.path);
            const bool given_up = question.request.context.contains(kNobody) || salt % 12 == 0;
            if (question.request.type != model::HumanRequestType::outcome_unknown && given_up) {
                subject.given_up.insert(request);
                continue;
            }
            if (question.due) blur(index);
            co_await answer(index, question);
        }
        if (!state.pause_reason) continue;
        if (*state.pause_reason == model::PauseReason::diverged && (!current() || current()->new_version)) continue;
        if (*state.pause_reason == model::PauseReason::budget) {
            const std::int64_t more =
                kin_of(id).tokens.value_or(0) + 100 + static_cast<std::int64_t>(chance.below(100));
            kin_of(id).tokens = more;  // from now on it may be that much, whether or not we hear of it
            const engine::Budget budget{.tokens = more, .steps = state.budget.steps};
            co_await ask([id, budget,
                          by = person(index)](Worker& worker) { return worker.commands->raise_budget(by, id, budget); },
                         [this, index, more] { expect_recorded(index, RecordKind::setting, std::to_string(more)); });
            count("budget raised");
        }
        const std::string by = token();
        const int steps = static_cast<int>(1 + chance.below(3));
        co_await ask(
            [id, by = person(index, by), steps](Worker& worker) { return worker.commands->resume(by, id, steps); });
        count("resumed from " + model::to_json_text(*state.pause_reason));
    }
}

/// Somebody answers; often two at once, and one of them is told so.
Async<> Simulation::answer(std::size_t index, engine::OpenQuestion question)
{
    const std::uint64_t salt = hash_of(seed_, question.path);
    const std::string request = question.request.id;
    model::HumanAnswer answer;
    switch (question.request.type) {
    case model::HumanRequestType::outcome_unknown: {
        // they look what really happened, once nothing is on its way any more
        const std::string key(question.request.context.at("key").as_string());
        const Dispatch* effect = ledger_.effect_of(key);
        if (effect && *effect->effect_at > now()) co_return;
        answer.verb = effect ? model::HumanVerb::happened : model::HumanVerb::not_happened;
        if (effect) answer.updates["result"] = effect->result;
        if (salt % 10 == 0) {
            answer = {.verb = model::HumanVerb::reject};
            blur(index);
        }
        count("outcome unknown");
        break;
    }
    case model::HumanRequestType::approval:
        answer.verb = salt % 3 == 0 ? model::HumanVerb::reject : model::HumanVerb::approve;
        if (salt % 7 == 1) {
            answer.verb = model::HumanVerb::modify;
            answer.updates["arguments"] = boost::json::object{{"n", salt % 1'000}};
        }
        break;
    default: answer.verb = salt % 3 == 0 ? model::HumanVerb::reject : model::HumanVerb::approve; break;
    }
    if (!model::suits(question.request.type, answer.verb)) answer.verb = model::HumanVerb::approve;
    if (client_chance_.one_in(3)) clients_.spawn(say(index, request, answer));
    co_await say(index, request, answer);
}

Async<> Simulation::say(std::size_t index, std::string request, model::HumanAnswer answer)
{
    const Id id = subjects_[index].id;
    const std::string by = token();
    const auto said = co_await ask([id, request, answer, by = person(index, by)](
                                       Worker& worker) { return worker.commands->answer(by, id, request, answer); },
                                   [this, index, by] { expect_recorded(index, RecordKind::answer, by); });
    if (said->ok()) subjects_[index].answered.insert(request);
    if (said->done && said->error == Code::conflict) count("answer raced");
    const Stored* stored = disk_.find(id);
    const bool recorded = stored && std::ranges::any_of(stored->records, [&](const Record& record) {
                              return record.kind == RecordKind::answer && record.body.find(request) != record.body.npos;
                          });
    if (said->done && said->error == Code::not_found && recorded)
        report("P6 a second answer is told that there is no such question: " + said->text, id);
}

Async<> Simulation::read_events(std::size_t index)
{
    while (!over_) {
        Reader* reader = readers_[index].get();
        if (reader->ended) co_return;
        const std::uint64_t patience = 1 + client_chance_.below(30);
        const int session = ++reader->session;  // one that nobody waits for any more must not go on reading
        co_await ask([this, reader, patience, session](Worker& worker) -> Async<> {
            return [](Simulation& simulation, Reader& to, engine::Commands& from, std::uint64_t most,
                      int ours) -> Async<> {
                const auto subscription = co_await from.watch(to.by, to.task, to.last());
                for (std::uint64_t i = 0; i < most; ++i) {
                    auto next = co_await subscription->next();
                    if (!simulation.running_ || simulation.running_->dead || to.session != ours) co_return;
                    if (!next) {
                        to.ended = true;
                        co_return;
                    }
                    if (auto* event = std::get_if<engine::EventPtr>(&*next)) {
                        check_event(simulation, to, **event);
                        to.seen.push_back(std::move(*event));
                    }
                }
            }(*this, *reader, *worker.commands, patience, session);
        });
        co_await sleep_for(client_chance_.between(100ms, 3s));
    }
}

// ---- what goes wrong ----

struct Simulation::Fault {
    enum class Kind { crash, crash_at_point, freeze, freeze_at_point, rolling_restart, new_version };
    Kind kind = Kind::crash;
    Millis at{};
    std::string point{};
    int nth = 1;
    Millis lasts{};
};

/// Keeps a worker alive, and has a new one look for work.
Async<> Simulation::supervise()
{
    std::string known;
    Instant since{};
    while (true) {
        Worker* worker = current();
        if (!worker || worker->frozen) {
            if (worker && faults_.exclusive) {  // it holds the lock
                co_await sleep_for(1s);
                continue;
            }
            co_await sleep_for(client_chance_.between(10ms, 3s));
            if (const Worker* again = current(); !again || again->frozen) start_worker(want_new_version_);
        }
        worker = current();
        if (worker && std::exchange(known, worker->name) != worker->name) since = clock_.instant();
        // until the leases of the one before have run out; from then on everything must go on by itself
        if (clock_.instant() < later(since, 15s))
            co_await ask([](Worker& one) -> Async<> {
                return [](engine::Host& host) -> Async<> { co_await host.wake_all(); }(*one.host);
            });
        co_await sleep_for(client_chance_.between(1s, 4s));
    }
}

Async<> Simulation::be_nasty()
{
    if (options_.calm) co_return;
    static constexpr const char* kPoints[] = {"after_intent", "before_dispatch", "after_dispatch", "after_outcome"};
    std::vector<Fault> faults;
    for (std::uint64_t i = 0, count = nemesis_.below(6); i < count; ++i) {
        Fault fault{.at = nemesis_.between(0ms, 40s), .lasts = nemesis_.between(500ms, 25s)};
        if (nemesis_.one_in(2))
            fault.lasts = nemesis_.between(9s, 15s);  // it comes back when another has just taken its tasks
        const std::uint64_t dice = nemesis_.below(100);
        fault.point = kPoints[nemesis_.below(std::size(kPoints))];
        fault.nth = static_cast<int>(1 + nemesis_.below(6));
        if (dice < 30) fault.kind = Fault::Kind::crash;
        else if (dice < 60) fault.kind = Fault::Kind::crash_at_point;
        else if (dice < 75) fault.kind = Fault::Kind::freeze;
        else if (dice < 85) fault.kind = Fault::Kind::freeze_at_point;
        else if (dice < 93) fault.kind = Fault::Kind::rolling_restart;
        else fault.kind = Fault::Kind::new_version;
        faults.push_back(std::move(fault));
    }
    std::ranges::sort(faults, {}, &Fault::at);
    Millis passed{};
    for (Fault& fault : faults) {
        co_await sleep_for(fault.at - passed);
        passed = fault.at;
        clients_.spawn(strike(std::move(fault)));
    }
    co_await sleep_for(30s);
}

Async<> Simulation::strike(Fault fault)
{
    Worker* worker = current();
    switch (fault.kind) {
    case Fault::Kind::crash:
        if (worker) kill(*worker);
        count("crash");
        break;
    case Fault::Kind::crash_at_point: traps_.push_back({fault.point, fault.nth}); break;
    case Fault::Kind::freeze: {
        if (!worker) break;
        freeze(*worker);
        const std::string name = worker->name;
        count("freeze");
        for (std::size_t i = 0; i < subjects_.size(); ++i)
            clients_.spawn(instruct(i));  // it hears that when it goes on
        co_await sleep_for(fault.lasts);
        for (const auto& one : workers_)
            if (one->name == name) one->freezing = one->frozen = false;
        break;
    }
    case Fault::Kind::freeze_at_point: {
        traps_.push_back({fault.point, fault.nth, true});
        co_await sleep_for(fault.lasts);
        std::erase_if(traps_, [](const Trap& trap) { return trap.freezes; });
        for (const auto& one : workers_) one->freezing = one->frozen = false;
        break;
    }
    case Fault::Kind::rolling_restart: {
        if (!worker) break;
        const std::string name = worker->name;
        const auto said = co_await ask([](Worker& one) { return one.host->drain(); });
        if (said->ok()) count("drained");
        for (const auto& one : workers_)
            if (one->name == name) kill(*one);
        break;
    }
    case Fault::Kind::new_version:
        if (worker) kill(*worker);
        want_new_version_ = true;
        co_await sleep_for(fault.lasts);
        want_new_version_ = false;
        for (const auto& one : workers_)
            if (one->new_version) kill(*one);
        break;
    }
}

/// Whether it has a journal, and not only somebody who may write it.
bool Simulation::is_begun(const Id& task) const
{
    const Stored* stored = disk_.find(task);
    return stored && !stored->records.empty();
}

bool Simulation::settled(std::size_t index)
{
    const engine::TaskState& state = look(index);
    const Subject& subject = subjects_[index];
    if (state.finished()) return true;
    if (subject.parent && !is_begun(subject.id)) return true;  // it has not begun, which is the parent's business
    if (state.questions.empty() && state.children.empty()) return false;
    if (state.pause_reason || !state.timers.empty()) return false;
    if (now() - subject.changed_at < kQuiet) return false;  // another branch may be at work
    for (const auto& [path, child] : state.children)
        for (std::size_t i = 0; i < subjects_.size(); ++i)
            if (subjects_[i].id == child && (!settled(i) || !is_begun(child) || look(i).finished())) return false;
    return std::ranges::all_of(state.questions, [&](const engine::OpenQuestion& question) {
        return subject.given_up.contains(question.request.id) && !question.due;
    });
}

Async<> Simulation::direct()
{
    co_await be_nasty();
    healed_ = true;
    traps_.clear();
    want_new_version_ = false;
    faults_.read_error = faults_.refusal = faults_.ambiguous_commit = faults_.fsync_error = faults_.slow_commit = 0;
    // what failed meanwhile, or belongs to another by now, is looked for by a new worker; without that it must go on by itself
    const bool renew =
        store_counts_.read_errors + store_counts_.refusals + disk_.fenced > 0 || client_chance_.one_in(2);
    for (const auto& worker : workers_) {
        worker->store.heal();
        if (renew || worker->was_frozen || worker->new_version || worker.get() != current()) kill(*worker);
    }
    const Instant limit = later(clock_.instant(), kPatience);
    const auto all_settled = [&] {
        for (std::size_t i = 0; i < subjects_.size(); ++i)
            if (!settled(i)) return false;
        return true;
    };
    while (clock_.instant() < limit && !all_settled()) co_await sleep_for(2s);
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
        if (settled(i)) continue;
        const engine::TaskState& state = look(i);
        report(fmt::format("I29 {} s after the last fault the task is {}{}{}", kPatience.count() / 1000,
                           model::to_json_text(state.status),
                           state.pause_reason ? ", " + model::to_json_text(*state.pause_reason) : "",
                           state.pause_text.empty() ? "" : ": " + state.pause_text),
               subjects_[i].id);
    }
    co_await final_checks();
    over_ = true;
}

Async<> Simulation::final_checks()
{
    // readers catch up, waiting tasks leave the memory
    const auto behind = [&](const std::unique_ptr<Reader>& reader) {
        const Stored* stored = disk_.find(reader->task);
        return stored && !stored->records.empty() && reader->last() < stored->records.back().event_seq;
    };
    for (int i = 0; i < 30 && (i < 3 || std::ranges::any_of(readers_, behind)); ++i) co_await sleep_for(5s);
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
        const Id id = subjects_[i].id;
        if (!is_begun(id)) continue;  // delegated, and never begun
        co_await look_inside(i);
        const auto report_of = std::make_shared<engine::ReplayReport>();
        const auto said = co_await ask([id, by = person(i), report_of](Worker& worker) -> Async<> {
            return [](engine::Commands& to, engine::Principal who, Id task,
                      std::shared_ptr<engine::ReplayReport> result) -> Async<> {
                *result = co_await to.replay(std::move(who), task);
            }(*worker.commands, by, id, report_of);
        });
        if (!said->ok()) report("I6 the replay failed: " + said->text, id);
        else if (!report_of->diverged.empty()) report("I6 the replay differs: " + report_of->diverged, id);
    }
    co_await sleep_for(5s);
    if (Worker* worker = current(); worker && worker->host->active() > 0)
        report(fmt::format("P6 {} tasks are in memory although nothing happens", worker->host->active()));
    if (client_chance_.one_in(2)) {
        const auto said = co_await ask([](Worker& one) { return one.host->close(); });
        if (!said->ok()) report("close: " + said->text);
    }
}

std::string Simulation::story(const Id& task) const
{
    std::string text;
    for (const Subject& subject : subjects_)
        if (subject.id == task)
            text += to_text(plan_in(subject.parent ? subject.state.spec.description : prompt_of(subject.plan)));
    const Stored* stored = disk_.find(task);
    if (!stored) return text + "(no journal)\n";
    for (const Record& record : stored->records) {
        std::string body = record.body;
        if (body.size() > 260) body = body.substr(0, 260) + "…";
        text += fmt::format("{:4} e{} {} {:14} {} {}\n", record.seq, record.epoch, to_iso(record.at).substr(11),
                            storage::name_of(record.kind), record.path, body);
    }
    for (const Dispatch& dispatch : ledger_.dispatches)
        if (dispatch.task == task)
            text += fmt::format("     {} dispatched {} {} by {}, attempt {}{}\n", to_iso(dispatch.at).substr(11),
                                dispatch.tool, dispatch.key.substr(0, 8), dispatch.worker, dispatch.attempt,
                                dispatch.effect_at ? ", effect at " + to_iso(*dispatch.effect_at).substr(11) : "");
    return text;
}

}  // namespace cadre::sim
