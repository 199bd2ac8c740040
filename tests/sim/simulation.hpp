// Simulation: one seed's world: a disk, workers that come and go, tools and a model, clients who want things, and a nemesis.
// Everything happens on one thread and on virtual time; one seed, one history.
#pragma once

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/signal.hpp"
#include "base/sim_loop.hpp"
#include "engine/commands.hpp"
#include "engine/env.hpp"
#include "engine/host.hpp"
#include "engine/numbered_event.hpp"
#include "engine/pattern.hpp"
#include "engine/queries.hpp"
#include "sim/chance.hpp"
#include "sim/disk.hpp"
#include "sim/ledger.hpp"
#include "sim/plan.hpp"
#include "sim/rooms.hpp"
#include "sim/sim_store.hpp"
#include "sim/teams.hpp"
#include "sim/turn_loop.hpp"
#include "tools/tool.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::sim {

/// Instructions begin so; the model does not listen to them.
inline constexpr std::string_view kNote = "note";

/// Both have a session of the same id.
inline constexpr const char* kTenants[] = {"local", "acme"};
inline constexpr const char* kSession = "6f1c0a52-1111-4222-8333-444455556666";

/// Something that must never be.
struct Violation {
    std::string text{};  // begins with the name of what is broken: `I12 …`
    std::optional<Id> task{};
};

/// How often something happened, by name; a name that never comes up says that the workload is too weak.
using Counts = std::map<std::string, std::uint64_t, std::less<>>;

/// A process.
struct Worker {
    Worker(class Simulation& simulation, std::string name, bool new_version);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    std::string name;
    bool new_version;         // runs code that does not fit the journals of `left_out`
    std::set<Id> left_out{};  // tasks whose first call its code leaves out
    bool dead = false;        // whatever it does from here on, nobody outside sees
    bool doomed = false;      // it will end soon by itself
    bool frozen = false;
    bool freezing = false;  // frozen before its next turn
    bool was_frozen = false;

    TurnLoop loop;
    LoopPool pool{loop};
    SeededRandom random;
    SimStore store;
    tools::Registry registry;
    engine::Patterns patterns;
    std::unique_ptr<Rooms> rooms;
    std::unique_ptr<engine::Env> env;
    std::unique_ptr<engine::Host> host;
    std::unique_ptr<engine::Queries> queries;
    std::unique_ptr<engine::Commands> commands;
    AsyncScope sessions;  // what clients want of it; last
};

/// What one client wants done and how the simulation treats the task.
struct Subject {
    Id id{};
    std::string tenant{};
    std::string session{};  // empty: none; the same id in both tenants
    std::uint64_t plan = 0;
    TeamKind team = TeamKind::none;       // else several agents do it, as that kind of team does
    bool pending = false;                 // it is to wait for a start
    bool accepted = false;                // its creation was acknowledged
    bool comparable = true;               // its answer does not hang on when things happen
    std::set<std::string> given_up{};     // questions that nobody will ever answer
    std::set<std::string> tried{};        // of these, that somebody answered after all, too late
    std::optional<std::size_t> parent{};  // which subject has delegated it
    engine::TaskState state{};            // as the disk has it
    Time changed_at{};
    std::set<std::string> answered{};  // requests to which somebody has sent an answer
};

/// A task's place in its tree, and what may be spent there: what was asked for, whether or not it was acknowledged.
struct Kin {
    std::optional<Id> parent{};
    std::optional<std::int64_t> tokens{};
    std::optional<int> steps{};
};

/// What one reader has seen.
struct Reader {
    Id task{};
    engine::Principal by{};
    std::uint32_t first = 0;  // saw events after this number
    std::vector<engine::EventPtr> seen{};
    bool ended = false;
    int session = 0;  // which of its connections is the one
    std::uint32_t last() const { return seen.empty() ? first : seen.back()->number; }
};

struct SimOptions {
    bool calm = false;  // no faults: what the answers should be
};

class Simulation {
public:
    Simulation(std::uint64_t seed, SimOptions options);
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    ~Simulation();

    /// To the end, checks included.
    void run();

    const std::vector<Violation>& violations() const { return violations_; }
    const Counts& counts() const { return counts_; }
    /// Those that clients asked for first, in order; then what these have delegated.
    const std::deque<Subject>& subjects() const { return subjects_; }
    std::uint64_t trace() const;
    /// What happened to the task, for people.
    std::string story(const Id& task) const;

    // ---- for workers, tools and the checker ----

    std::uint64_t seed() const { return seed_; }
    Time now() const { return clock_.now(); }
    Chance& world_chance() { return world_chance_; }
    Ledger& ledger() { return ledger_; }
    const Disk& disk() const { return disk_; }
    const std::vector<std::unique_ptr<Reader>>& readers() const { return readers_; }
    /// Whether the task was once in the hands of code that does not fit its journal.
    bool expects_divergence(const Id& task) const { return misfits_.contains(task); }
    void dispatched(Dispatch dispatch, Worker& worker);
    Kin& kin_of(const Id& task);
    void asked_model(const Id& task, std::int64_t tokens, std::int64_t at_most);
    void report(std::string text, std::optional<Id> task = {});
    void count(std::string_view what, std::uint64_t times = 1);
    void at_crash_point(const char* point);

private:
    friend struct Worker;
    struct Said;
    struct Fault;
    using Act = std::function<Async<>(Worker&)>;

    // the clock and whose turn it is
    bool step();
    void bury_the_dead();
    Worker& start_worker(bool new_version);
    Worker* current();
    void kill(Worker& worker);
    Async<> kill_soon(std::string name);
    void freeze(Worker& worker);

    // clients, on the world's own loop
    Async<std::shared_ptr<Said>> ask(Act act, std::function<void()> on_done = {});
    Async<> live(std::size_t subject);
    Async<> start(std::size_t subject);
    Async<> spy(std::size_t subject);
    Async<> disturb(std::size_t subject);
    Async<> cancel(std::size_t subject, Millis after);
    Async<> help(std::size_t subject);
    Async<> answer(std::size_t subject, engine::OpenQuestion question);
    Async<> say(std::size_t subject, std::string request, model::HumanAnswer answer);
    Async<> read_events(std::size_t reader);
    Async<> instruct(std::size_t subject);
    Async<> pause_and_resume(std::size_t subject);
    Async<> look_inside(std::size_t subject);
    Async<> change_plan(std::size_t subject, std::uint64_t how);
    Async<> change_team_work(std::size_t subject);
    Async<> edit_plans(std::size_t subject);
    Async<> answer_late(std::size_t subject);
    /// A task that a subject has delegated is helped too.
    void adopt(std::size_t parent, const Id& child);
    /// Null: it is not a subject.
    Subject* find_subject(const Id& task);
    /// From here on its answer may hang on time, and with it that of those above it.
    void blur(std::size_t subject);
    const engine::TaskState& look(std::size_t subject);
    std::string token();
    /// Somebody of the subject's tenant.
    engine::Principal person(std::size_t subject, std::string name = "ann") const;
    void expect_recorded(std::size_t subject, storage::RecordKind kind, const std::string& token);

    // what goes wrong
    Async<> supervise();
    Async<> be_nasty();
    Async<> strike(Fault fault);
    Async<> direct();
    bool is_begun(const Id& task) const;
    bool settled(std::size_t subject);
    Async<> final_checks();

    std::uint64_t seed_;
    SimOptions options_;
    ManualClock clock_;
    Chance scheduling_, world_chance_, store_chance_, client_chance_, nemesis_;
    Order order_;
    StoreFaults faults_;
    StoreCounts store_counts_;
    Disk disk_;
    Ledger ledger_;
    Counts counts_;
    std::vector<Violation> violations_;
    std::deque<Subject> subjects_;  // grows while clients look at one
    std::map<Id, Kin> kin_;
    std::vector<std::unique_ptr<Reader>> readers_;
    std::set<Id> misfits_;
    TurnLoop world_;
    std::vector<std::unique_ptr<Worker>> workers_;  // the last one is the one that clients talk to
    Worker* running_ = nullptr;                     // whose turn it is
    int started_ = 0;
    int tokens_ = 0;
    bool healed_ = false;
    bool over_ = false;
    bool want_new_version_ = false;
    struct Trap {
        std::string point;
        int countdown = 0;
        bool freezes = false;
    };
    std::vector<Trap> traps_;
    std::uint64_t turns_ = 0;
    AsyncScope clients_;  // last
};

/// What became of a request to a worker.
struct Simulation::Said {
    bool done = false;
    bool lost = false;  // nobody will answer: the worker is gone
    std::optional<Code> error{};
    std::string text{};
    Signal changed{};

    bool ok() const { return done && !error; }
};

}  // namespace cadre::sim
