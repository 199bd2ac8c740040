// Writing the whole journal of a task at once: a fork, an import.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "engine/journal.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cadre::engine {

struct TaskState;

/// Appends what is not there yet of `entries` to the journal of `owner.task`, and returns once all of it is on the disk. The
/// task's index entry goes with the last record: until then the task is in no list, and a crash leaves nothing that anybody
/// could see or run. What an earlier crash has left must be the beginning of the same journal, else Error(conflict).
Async<> write_whole_journal(storage::Store& store, storage::Port& port, Time now, Journal::Owner owner,
                            std::vector<JournalEntry> entries);

/// Appends one record behind what `state` was folded from, and returns once it is on the disk. `entry` says when it happened.
Async<> write_behind(storage::Port& port, Journal::Owner owner, TaskState& state, JournalEntry entry);

}  // namespace cadre::engine
