// What must hold. The names are those of the invariants in docs; what is not an invariant of its own says what it is about.
#pragma once

#include "engine/task_state.hpp"
#include "sim/ledger.hpp"
#include "sim/simulation.hpp"
#include "storage/record.hpp"

#include <span>

namespace cadre::sim {

/// At the moment when a request leaves a worker. Finds the task that it belongs to.
void check_dispatch(Simulation& simulation, Dispatch& dispatch, const Worker& worker);
/// At the moment when a reader gets an event.
void check_event(Simulation& simulation, const Reader& reader, const engine::NumberedEvent& event);
/// What a run in memory believes, against all that it has written.
void check_live_state(Simulation& simulation, const engine::TaskState& live, std::span<const storage::Record> records);
/// When all is over: journals, ledger and clients' logs against each other.
void check_history(Simulation& simulation);

}  // namespace cadre::sim
