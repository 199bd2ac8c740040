// Lists of tasks and sessions, for stores that have their entries at hand: what SQL says for the others.
#pragma once

#include "storage/store.hpp"

#include <vector>

namespace cadre::storage {

/// What the query asks for, in its order.
std::vector<TaskEntry> listed(std::vector<TaskEntry> entries, const TaskQuery& query);
std::vector<SessionSummary> sessions_among(std::vector<TaskEntry> entries, const SessionQuery& query);

}  // namespace cadre::storage
