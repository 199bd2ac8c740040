// What a task's journal says of what it has spent.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/budget.hpp"
#include "engine/task_state.hpp"
#include "storage/record.hpp"

#include <vector>

namespace cadre::engine {

/// What model calls have cost this task so far, and all below it of whom its journal says what they have spent. Of a call whose outcome
/// does not say, all that was reserved for it: it may have cost that.
Spending spent_in(const std::vector<storage::Record>& records, const TaskState& state);

/// What a task and all below it have spent.
struct TreeSpending {
    Spending spent{};
    bool is_final = true;  // all of them have ended
};
/// Reads the journals of tasks below of whom its own does not say it.
Async<TreeSpending> spent_below(storage::Store& store, const std::vector<storage::Record>& records,
                                const TaskState& state);

}  // namespace cadre::engine
