// Processes: what they are made of, how clients reach them, and how they end.
#include "base/async.hpp"
#include "base/timeout.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "patterns/patterns.hpp"
#include "sim/rooms.hpp"
#include "sim/simulation.hpp"
#include "sim/world_tools.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

using namespace std::chrono_literals;
using storage::Record;
using storage::RecordKind;

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
    patterns.add({"acts@1", [this, &simulation](engine::Run& run) {
                      const auto leaves_out = [this](const std::string& task) {
                          const auto id = find_id(task);
                          return id && left_out.contains(*id);
                      };
                      const Id task = run.state().view().id;
                      Watch watch{[&simulation, task](std::string text) { simulation.report(std::move(text), task); }};
                      return play_plan(run, leaves_out, std::move(watch));
                  }});
    patterns::add_patterns(patterns);
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
    rooms = rooms_of(simulation, *this);
    rooms->furnish(*env);
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
            if (!stored || path.empty() || subject.parent || subject.team != TeamKind::none) continue;
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

// ---- requests ----

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

}  // namespace cadre::sim
