// What goes wrong, and whether everything comes to rest afterwards.
#include "base/async.hpp"
#include "base/timeout.hpp"
#include "engine/run_state.hpp"
#include "model/write.hpp"
#include "sim/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

using namespace std::chrono_literals;
using storage::Record;
using storage::RecordKind;

namespace {

constexpr Millis kQuiet = 60s;      // nothing that a task does by itself takes longer, sleeping apart
constexpr Millis kPatience = 600s;  // how long after the last fault everything must have come to rest

}  // namespace

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
    if (engine::is_queued(state)) {                            // then all hangs on a turn before it
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            const bool is_before = subjects_[i].tenant == subject.tenant && !subjects_[i].session.empty() &&
                                   is_begun(subjects_[i].id) && look(i).spec.turn < state.spec.turn;
            if (is_before && !look(i).finished() && settled(i)) return true;
        }
        return false;
    }
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
    // so is what one that was frozen, and came back beside another, has begun since
    const bool renew = store_counts_.read_errors + store_counts_.refusals + disk_.fenced > 0 || workers_.size() > 1 ||
                       client_chance_.one_in(2);
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
        if (engine::is_queued(look(i))) continue;
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

}  // namespace cadre::sim
