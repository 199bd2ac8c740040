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
constexpr std::uint64_t kSeedsPerTeam = 4;

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
    Chance teams(seed, "teams");
    if (teams.one_in(kSeedsPerTeam)) {
        subjects_.front().team = static_cast<TeamKind>(1 + teams.below(kTeamKinds));
        subjects_.front().comparable = !team_task(subjects_.front().team, subjects_.front().plan).by_time;
    }
    Chance tenancy(seed, "tenants");
    for (Subject& subject : subjects_) {
        subject.tenant = kTenants[tenancy.below(2)];
        subject.pending = tenancy.one_in(4);
        const auto shares = [&](const Subject& one) { return one.tenant == subject.tenant && !one.session.empty(); };
        const auto other = std::ranges::find_if(subjects_, shares);
        if (!tenancy.one_in(2)) continue;
        subject.session = kSession;
        if (other == subjects_.end()) continue;
        // one of them waits for the other, and hears what was said there
        subject.pending = other->pending = false;
        subject.comparable = other->comparable = false;
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
