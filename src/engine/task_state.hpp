// What a journal says about its task: status, open questions, spending, answer. A pure fold over the records; running tasks
// keep one too, and both must agree.
#pragma once

#include "base/id.hpp"
#include "engine/artifact_port.hpp"
#include "engine/budget.hpp"
#include "engine/conversation.hpp"
#include "engine/journal.hpp"
#include "llm/model.hpp"
#include "model/human.hpp"
#include "model/task.hpp"
#include "storage/store.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

class Body;
struct TeamAgents;

/// Where a fork comes from. Behind its own first two records, its journal begins with records of that task.
struct ForkedFrom {
    std::string task{};
    int seq = 0;                              // up to this record of that task, all was taken over that could be
    int records = 0;                          // how many of them its journal begins with
    std::vector<std::string> other_models{};  // agents whose model here is not the one that gave what was taken over
    bool redacted = false;                    // that task is redacted: digests of what was taken over say nothing

    bool operator==(const ForkedFrom&) const = default;
};
const model::Entity& describe(const ForkedFrom*);

/// The task ran elsewhere. Here it is read and forked, and never goes on.
struct Imported {
    std::string hash{};        // of its last record at home
    bool redacted = false;     // what it said has been masked in places, so its digests say nothing
    std::optional<Time> at{};  // when: from then on it is kept as long as others from their end on

    bool operator==(const Imported&) const = default;
};
const model::Entity& describe(const Imported*);

/// What a task is to do and on what configuration: the body of its first record.
struct TaskSpec {
    std::string description{};
    std::string agent{};    // whose turn it is first
    std::string pattern{};  // `react@1`
    std::string config{};   // key of the pinned team in the store; empty for patterns that need none
    std::string model{};    // overrides what the team says; empty: it does not
    model::ExecutionMode mode = model::ExecutionMode::autonomous;
    Budget budget{};
    std::string created_by{};
    std::string kind{};
    std::string project{};  // the folder whose programs and servers are its tools; empty: none
    std::string source{};   // the file that its team, agent or workflow was read from; empty: not known
    std::optional<std::string> session{};
    int turn = 0;                          // of the session, from 1 on
    std::optional<std::string> history{};  // key of what was said before: see engine/conversation.hpp
    std::optional<std::string> parent{};
    std::optional<std::string> parent_step{};  // the step of it that wanted this
    int depth = 0;                             // of delegation
    std::optional<int> retention_days{};
    std::vector<std::string> breakpoints{};  // from the first step on
    bool pending = false;                    // it does not begin when it is created, but when somebody says so
    std::optional<std::string> after{};      // or when all turns of its session up to this task have ended
    std::optional<std::string> setup{};      // key of a document beside the team
    boost::json::object overrides{};         // of a fork of a workflow: {"after": node, "update": {field: value}}
    boost::json::object input{};             // for patterns of one's own
    boost::json::object metadata{};
    std::optional<ForkedFrom> forked_from{};
    std::optional<Imported> imported{};

    bool operator==(const TaskSpec&) const = default;
};
const model::Entity& describe(const TaskSpec*);

/// A person must act.
struct OpenQuestion {
    std::string path{};
    model::HumanRequest request{};
    std::optional<Time> due{};
    Time asked_at{};

    bool operator==(const OpenQuestion&) const = default;
};

/// Something due at a time, although nobody does anything: a sleep.
struct OpenTimer {
    std::string path{};
    Time due{};
    Time since{};

    bool operator==(const OpenTimer&) const = default;
};

/// What model and tool calls came to.
struct Work {
    int steps = 0;  // model calls that were started
    int calls = 0;  // tool calls that were started
    llm::Usage usage{};
};

/// Deeper than this, tasks do not delegate unless their budget says so.
inline constexpr int kMaxDepth = 5;
/// So many tasks below one are at work at once; others wait for their turn.
inline constexpr std::size_t kMaxChildren = 32;

/// `created` and `started`: what every journal begins with.
inline constexpr std::uint32_t kOwnRecords = 2;

struct TaskState {
    Id id{};
    std::string tenant{};
    TaskSpec spec{};
    model::TaskStatus status = model::TaskStatus::pending;
    std::optional<model::PauseReason> pause_reason{};
    std::string pause_text{};
    bool cancel_requested = false;
    std::string cancel_reason{};                 // what whoever asked for it said
    bool stepping = false;                       // it pauses before each model and tool call that was not allowed
    int steps_allowed = 0;                       // how many more may be taken then
    std::set<std::string> passed_breakpoints{};  // paths, and conditions, at which it has stopped already
    std::vector<std::string> breakpoints{};      // see engine/breakpoint.hpp
    std::vector<OpenQuestion> questions{};       // in the order in which they were asked
    std::vector<OpenTimer> timers{};
    std::vector<std::pair<std::string, Id>> children{};  // path and task of what is delegated and has not come back
    std::vector<Id> orphans{};                           // delegated, and nobody waits for them any more
    Budget budget{};
    llm::Usage usage{};
    double dearest_call = 0;  // US dollars; the best guess at what the next one will cost
    int steps = 0;            // model calls that were started
    int calls = 0;            // tool calls that were started
    Work reused{};            // what of this a fork has taken over, and has not done itself
    std::optional<model::Reply> reply{};
    std::string error_code{};
    std::string error{};
    Time created_at{};
    Time updated_at{};
    std::optional<Time> started_at{};
    std::optional<Time> completed_at{};
    Millis ran{0};     // up to the last record: see passed()
    Millis rested{0};  // time in which it waited for people or was paused
    std::optional<Time> resting_since{};
    std::set<std::string> written{};                  // files that its tools wrote, below its `artifacts/`
    std::map<std::string, SavedVersion> artifacts{};  // the newest version of each, by path
    std::set<std::string> deleted{};                  // of those, the ones that are not in its folder any more
    std::vector<TurnMessage> history_left{};  // of the session before it, once that was too long; empty: all of it
    JournalEnd end{};
    std::uint32_t epoch = 0;
    std::string
        unreadable{};  // why a record could not be taken in: the task can be looked at and ended, and does not run

    bool finished() const { return model::is_finished(status); }
    /// Whether the record with that number was taken over from the task that this one is a fork of.
    bool is_reused(std::uint32_t seq) const
    {
        return spec.forked_from && seq > kOwnRecords &&
               seq - kOwnRecords <= static_cast<std::uint32_t>(spec.forked_from->records);
    }
    /// What it has done itself.
    Work own_work() const;
    /// Whether the digest of that record still says what was asked.
    bool has_digest(std::uint32_t seq) const
    {
        return !(spec.imported && spec.imported->redacted) &&
               !(spec.forked_from && spec.forked_from->redacted && is_reused(seq));
    }
    /// What a record written at `at` adds to `ran`: the time since the one before it, if both are of one process and the task ran
    /// meanwhile. A note says otherwise where the clock was set, or the task was not in memory: see RunState::pass_time().
    Millis passed(Time at, std::uint32_t record_epoch) const
    {
        if (status != model::TaskStatus::running || record_epoch != epoch || at <= updated_at) return Millis{0};
        if (spec.forked_from && (is_reused(end.seq) || is_reused(end.seq + 1))) return Millis{0};  // another task's
        return at - updated_at;
    }
    /// The earliest time at which something must be done without anybody's help.
    std::optional<Time> due() const;
};

/// What it has written, as paths in its folder: `artifacts/report.md`.
std::vector<std::string> artifacts_of(const TaskState& state);

/// Whether it waits for somebody to start it.
inline bool is_pending(const TaskState& state)
{
    return state.spec.pending && !state.started_at && !state.finished();
}

/// Whether it is a turn that waits for those before it.
inline bool is_queued(const TaskState& state)
{
    return is_pending(state) && state.spec.after;
}

/// The body of the record `started`.
/// `history` of a turn that waited for the one before it.
std::string started_body(const TaskSpec& spec, const TeamAgents& agents,
                         const std::optional<std::string>& history = {});

/// Takes one more record in. Throws Error(unavailable) when its body cannot be read.
void apply(TaskState& state, const storage::Record& record);
/// The same for who must go on: the state then says why.
void take_in(TaskState& state, const storage::Record& record);
/// The same for who reads the body too.
void apply(TaskState& state, const storage::Record& record, const Body& body);
/// Of all records that can be read.
TaskState fold(std::span<const storage::Record> records);

/// One model call more.
void count_usage(TaskState& state, const llm::Usage& usage);

/// The entry in the store's index that goes with it.
storage::TaskEntry index_entry(const TaskState& state);
/// The task as documents see it.
model::Task to_task(const TaskState& state);

}  // namespace cadre::engine
