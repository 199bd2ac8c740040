// Commands: one function per verb, used by every door: command line, control socket, HTTP.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/signal.hpp"
#include "engine/breakpoint.hpp"
#include "engine/fork.hpp"
#include "engine/session.hpp"
#include "engine/task_state.hpp"
#include "engine/transfer.hpp"
#include "model/human.hpp"
#include "model/team.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

class Host;
class Subscription;

/// What somebody asks for when they ask for a task.
struct CreateTask {
    std::optional<Id> id{};  // the caller's, where a second request with it must not start a second task
    model::Team team{};      // without agents: what the session's last task had, as far as nothing else is said here
    std::string agent{};     // empty: the team's first
    std::string description{};
    std::string model{};  // empty: what the team says
    std::string pattern = "react@1";
    model::ExecutionMode mode = model::ExecutionMode::autonomous;
    Budget budget{};
    std::string created_by{};
    std::string kind{};
    std::string project{};  // folder of the project that the team is of
    std::optional<int> retention_days{};
    std::vector<std::string> breakpoints{};
    boost::json::object metadata{};
    std::string session{};  // the conversation that it goes on with; empty: none
};

/// What checking a run against its own journal found.
struct ReplayReport {
    Id task{};
    std::size_t records = 0;
    std::size_t events = 0;
    bool finished = false;            // the task has ended, and the replay reached the same end
    std::vector<std::string> open{};  // effects that the journal does not know the end of, by path
    std::string diverged{};           // what the code does differently; empty: nothing
};

struct VerifyReport {
    Id task{};
    std::size_t records = 0;
    std::vector<std::string> problems{};  // empty: intact
};

/// Reading works everywhere; writing needs a host. Lives on the host's loop.
class Commands {
public:
    explicit Commands(Host& host);

    /// Accepted and durable when it returns; the task runs. Error(conflict) while the last turn of its session has not ended.
    Async<Id> create(CreateTask request);

    /// The newest first.
    Async<std::vector<SessionEntry>> sessions();
    /// The id that begins with `prefix`, as resolve(); a whole one may be new.
    Async<std::string> resolve_session(std::string prefix);
    Async<std::optional<SessionHead>> find_session(std::string id);
    /// Throws Error(not_found).
    Async<SessionHead> session(std::string id);
    /// All that counts, the oldest first.
    Async<std::vector<TurnMessage>> conversation(std::string session);
    /// Leaves the last turn out of what follows, and the one before it when asked again. Returns its prompt. Error(conflict) when there
    /// is none, or it has not ended.
    Async<std::string> undo(std::string session);

    /// Makes another task of this one: what is not affected by the changes is taken over, with 0 model calls; the rest is done
    /// when the fork is resumed. Accepted and durable when it returns.
    Async<ForkReport> fork(ForkTask request);

    /// The task with everything that belongs to it, redacted unless `full`.
    Async<Transfer> export_run(Id task, bool full);
    /// Keeps a run that happened elsewhere: it can be read, replayed, compared and forked, and never goes on. Error(conflict) when
    /// one of its tasks is here and another one; then nothing is kept.
    Async<ImportReport> import_run(Transfer transfer);

    /// The id that begins with `prefix`: Error(not_found), or Error(invalid) that lists the candidates.
    Async<Id> resolve(std::string prefix);
    Async<TaskState> task(Id task);
    Async<std::vector<storage::TaskEntry>> tasks(storage::TaskQuery query);
    Async<std::vector<storage::Record>> records(Id task);

    /// Answers the open question `request`; empty: the only one. Error(conflict) with the recorded answer when it was answered
    /// before; Error(invalid) when the answer does not suit the question. `held`: a task that nobody drives does not go on.
    Async<> answer(Id task, std::string request, model::HumanAnswer answer, bool held = false);
    Async<> instruct(Id task, std::string text, std::string by);
    Async<> pause(Id task, std::string by);
    /// Goes on: after a crash, a pause, a raised budget.
    Async<> resume(Id task, std::string by, int steps = 0);
    /// Goes on to the next breakpoint, question or the end, also if it went step by step.
    Async<> run_on(Id task, std::string by);
    Async<std::size_t> resume_all();
    Async<> raise_budget(Id task, Budget budget);
    /// Returns all that the task then has. Error(invalid) names what the team's agents and tools are called.
    Async<std::vector<std::string>> change_breakpoints(Id task, BreakpointChange change);
    /// False: it had ended already.
    Async<bool> cancel(Id task, std::string by, std::string reason);

    std::unique_ptr<Subscription> watch(Id task, std::uint32_t after);

    /// Runs the task's pattern against its journal with performing switched off.
    Async<ReplayReport> replay(Id task);
    Async<VerifyReport> verify(Id task);

    Host& host() { return host_; }

private:
    class TurnGate;
    Async<Id> create_turn(Id id, TaskSpec spec, std::optional<model::Team> team);
    Async<> go_on(Id task, std::string by, int steps, bool freely);
    Async<> check_names(Id task, std::vector<std::string> breakpoints);

    Host& host_;
    storage::Store& store_;
    std::set<std::string> beginning_;  // sessions in which a turn is being begun
    Signal begun_;
};

}  // namespace cadre::engine
