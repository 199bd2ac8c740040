// Commands: one function per verb that changes something, used by every door: command line, control socket, HTTP.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/signal.hpp"
#include "engine/breakpoint.hpp"
#include "engine/fork.hpp"
#include "engine/principal.hpp"
#include "engine/session.hpp"
#include "engine/task_state.hpp"
#include "engine/transfer.hpp"
#include "model/event.hpp"
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
class Queries;
class Rehearsal;
struct SentRequest;  // engine/sent_request.hpp
struct Upkeep;       // engine/upkeep.hpp
struct Upkept;
class Subscription;

/// What somebody asks for when they ask for a task.
struct CreateTask {
    std::optional<Id> id{};  // the caller's, where a second request with it must not start a second task
    model::Team team{};      // without agents: what the session's last task had, as far as nothing else is said here
    std::string agent{};     // empty: the team's first
    std::string description{};
    std::string model{};  // empty: what the team says
    std::string pattern = "react@1";
    std::string
        setup{};  // text of a document that the task is pinned to beside its team, a model::WorkflowSetup; empty: none
    model::ExecutionMode mode = model::ExecutionMode::autonomous;
    Budget budget{};
    boost::json::object input{};  // for its pattern; of a workflow, fields of the state that it begins with too
    std::string kind{};
    std::string project{};  // folder of the project that the team is of
    std::string source{};   // the file that all this was read from, for messages; empty: not known
    std::optional<int> retention_days{};
    std::vector<std::string> breakpoints{};
    boost::json::object metadata{};
    std::string session{};  // the conversation that it goes on with; empty: none
    bool start = true;      // false: it is pending until start(), also over restarts
    bool queue = true;      // false: Error(conflict) while a turn of the session has not ended
};
const model::Entity& describe(const CreateTask*);

/// How a task continues, and those below it that are stopped.
struct Onward {
    int steps = 0;  // so many, then it pauses again; where it waits for tasks below, those that are stopped take them
    bool freely = false;  // to the next breakpoint, question or the end, also if it went step by step; it and all below
    bool held = false;    // what was said is recorded, and it continues when somebody wakes it
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

/// A person changes the course of a task.
struct Intervention {
    model::InterventionType type = model::InterventionType::instruction;
    std::string instruction{};      // words for the agent
    boost::json::object details{};  // else `plan`, `next_agent` or `team`
};

/// What changes something, by whom. Each checks first whether `by` may (engine/principal.hpp), and `by.subject` is recorded with it. Lives
/// on the host's loop. Reading: queries.hpp.
class Commands {
public:
    Commands(Host& host, Queries& queries);

    /// Accepted and durable when it returns; the task runs unless it is to wait for start(), or for turns of its session that have not
    /// ended: then it begins after them, over restarts too, and hears what was said till then. Error(rate_limited) when too many wait.
    /// `held`: it begins when somebody wakes it, who may want to listen first.
    Async<Id> create(Principal by, CreateTask request, bool held = false);
    /// Lets a pending task begin. Error(conflict) when it has begun already.
    Async<> start(Principal by, Id task);
    /// Leaves the last turn out of what follows, and the one before it when asked again. Returns its prompt. Error(conflict) when there
    /// is none, or it has not ended.
    Async<std::string> undo(Principal by, std::string session);

    /// Makes another task of this one: what is not affected by the changes is taken over, with 0 model calls; the rest is done
    /// when the fork is resumed. Accepted and durable when it returns.
    Async<ForkReport> fork(Principal by, ForkTask request);
    /// Keeps a run that happened elsewhere: it can be read, replayed, compared and forked, and never goes on. Error(conflict) when
    /// one of its tasks is here and another one; then nothing is kept.
    Async<ImportReport> import_run(Principal by, Transfer transfer);

    /// Answers the open question `request`; empty: the only one. Error(conflict) with the recorded answer when it was answered
    /// before; Error(invalid) when the answer does not suit the question. `held`: a task that nobody drives does not go on.
    Async<> answer(Principal by, Id task, std::string request, model::HumanAnswer answer, bool held = false);
    Async<> instruct(Principal by, Id task, std::string text);
    /// An instruction is heard by the next model call; the rest when the task's pattern asks what was changed. Error(invalid) names what
    /// is missing or unknown.
    Async<> intervene(Principal by, Id task, Intervention intervention);
    Async<> pause(Principal by, Id task);
    /// Goes on: after a crash, a pause, a raised budget.
    Async<> resume(Principal by, Id task, int steps = 0);
    /// Goes on to the next breakpoint, question or the end, also if it went step by step.
    Async<> continue_task(Principal by, Id task);
    /// The one or the other.
    Async<> go_on(Principal by, Id task, Onward how);
    /// `held`: it does nothing about that before somebody wakes it.
    Async<> raise_budget(Principal by, Id task, Budget budget, bool held = false);
    /// Returns all that the task then has. Error(invalid) names what the team's agents and tools are called.
    Async<std::vector<std::string>> change_breakpoints(Principal by, Id task, BreakpointChange change);
    /// False: it had ended already.
    Async<bool> cancel(Principal by, Id task, std::string reason);

    /// Somebody has changed files or memory of the task, which may have ended.
    Async<Upkept> upkeep(Principal by, Id task, Upkeep upkeep);

    /// What happens to the task after event `after`, as it happens.
    /// `children`: also the words that models write in tasks below it, each with its task.
    Async<std::unique_ptr<Subscription>> watch(Principal by, Id task, std::uint32_t after, bool children = false);

    /// Runs the task's pattern against its journal with performing switched off.
    Async<ReplayReport> replay(Principal by, Id task);
    /// What the task's model calls were sent, found out in the same way.
    Async<std::vector<SentRequest>> requests(Principal by, Id task);

private:
    Async<std::unique_ptr<Rehearsal>> rehearse(const TaskState& recorded, const std::vector<storage::Record>& records,
                                               bool with_requests);
    class TurnGate;
    Async<bool> was_made(Principal by, Id id);
    Async<Id> create_turn(Principal by, Id id, TaskSpec spec, std::optional<model::Team> team, bool may_queue,
                          bool held);
    Async<> check_names(const TaskState& state, std::vector<std::string> breakpoints);

    Host& host_;
    Queries& queries_;
    storage::Store& store_;
    std::set<std::string> beginning_;  // sessions in which a turn is being begun
    Signal begun_;
};

}  // namespace cadre::engine
