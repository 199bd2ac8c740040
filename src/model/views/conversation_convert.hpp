// Between the kernel and document 001. What the kernel's plan and task have no field for (channel, context, timesheet data,
// drafts) is kept in the task's metadata under the document's own names.
#pragma once

#include "model/views/conversation.hpp"

namespace cadre::model::conversation {

/// The kernel's plan: each step waits for the one before it.
Plan plan_from(const ExecutionPlan& plan);
/// Makes it the plan of `task`.
void keep(const ExecutionPlan& plan, Task& task);
/// The same, read back from a task that has a plan.
ExecutionPlan plan_view(const Task& task);

/// All that is known of a `message` task.
MultiAgentWorkflowState state_view(const Task& task);

/// The id by which its sender knows a task.
std::string request_id_of(const Task& task);

}  // namespace cadre::model::conversation
