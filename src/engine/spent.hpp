// What a task's journal says of what it has spent.
#pragma once

#include "engine/budget.hpp"
#include "engine/task_state.hpp"
#include "storage/record.hpp"

#include <vector>

namespace cadre::engine {

/// What model calls have cost this task so far. Of one whose outcome does not say, all that was reserved for it: it may have
/// cost that.
Spending spent_in(const std::vector<storage::Record>& records, const TaskState& state);

}  // namespace cadre::engine
