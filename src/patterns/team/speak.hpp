// speak: one turn of an agent of a team.
#pragma once

#include "base/async_fwd.hpp"
#include "patterns/team/floor.hpp"

namespace cadre::patterns {

/// The agent takes a seat, hears the floor, thinks and uses tools until it has an answer or hands over. `run` is a scope of its own.
/// Throws Error(limit) after `max_iterations` model calls.
Async<Turn> speak(engine::Run& run, const engine::Agent& agent, const Floor& floor);
/// The same in a conversation that has begun: what `run` was told stays, and nothing is told.
Async<Turn> speak_on(engine::Run& run, const engine::Agent& agent);

}  // namespace cadre::patterns
