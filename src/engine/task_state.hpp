// What a journal says about its task: status, open questions, spending, answer. A pure fold over the records; running tasks
// keep one too, and both must agree.
#pragma once

#include "base/id.hpp"
#include "engine/budget.hpp"
#include "engine/journal.hpp"
#include "llm/model.hpp"
#include "model/human.hpp"
#include "model/task.hpp"
#include "storage/store.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

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
    std::optional<std::string> session{};
    std::optional<std::string> parent{};
    int depth = 0;  // of delegation
    std::optional<int> retention_days{};
    std::vector<std::string> breakpoints{};  // from the first step on
    boost::json::object input{};             // for patterns of one's own
    boost::json::object metadata{};

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

    bool operator==(const OpenTimer&) const = default;
};

/// Deeper than this, tasks do not delegate unless their budget says so.
inline constexpr int kMaxDepth = 5;

struct TaskState {
    Id id{};
    std::string tenant{};
    TaskSpec spec{};
    model::TaskStatus status = model::TaskStatus::pending;
    std::optional<model::PauseReason> pause_reason{};
    std::string pause_text{};
    bool cancel_requested = false;
    int steps_allowed = 0;                       // in step mode: how many more may be taken
    std::set<std::string> passed_breakpoints{};  // paths at which a breakpoint has stopped it already
    std::vector<std::string> breakpoints{};      // `agent:writer`, `tool:send_mail`, `node:review`
    std::vector<OpenQuestion> questions{};       // in the order in which they were asked
    std::vector<OpenTimer> timers{};
    std::vector<std::pair<std::string, Id>> children{};  // path and task of what is delegated and has not come back
    std::vector<Id> orphans{};                           // delegated, and nobody waits for them any more
    Budget budget{};
    llm::Usage usage{};
    double dearest_call = 0;  // US dollars; the best guess at what the next one will cost
    int steps = 0;            // model calls that were started
    int calls = 0;            // tool calls that were started
    std::optional<model::Reply> reply{};
    std::string error_code{};
    std::string error{};
    Time created_at{};
    Time updated_at{};
    std::optional<Time> started_at{};
    std::optional<Time> completed_at{};
    Millis rested{0};  // time in which it waited for people or was paused
    std::optional<Time> resting_since{};
    JournalEnd end{};
    std::uint32_t epoch = 0;

    bool finished() const { return model::is_finished(status); }
    /// How long it has been running; waiting for people does not count.
    Millis running_for(Time now) const;
    /// The earliest time at which something must be done without anybody's help.
    std::optional<Time> due() const;
};

/// Takes one more record in. Throws Error(unavailable) when its body cannot be read.
void apply(TaskState& state, const storage::Record& record);
TaskState fold(std::span<const storage::Record> records);

/// One model call more.
void count_usage(TaskState& state, const llm::Usage& usage);

/// The entry in the store's index that goes with it.
storage::TaskEntry index_entry(const TaskState& state);
/// The task as documents see it.
model::Task to_task(const TaskState& state);

}  // namespace cadre::engine
