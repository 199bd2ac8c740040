// The acts of plans in which parts of a run wait for each other, race, or share seats. Where who was first decides something, it
// decides the arguments of a call and not the answer: a replay that decides otherwise diverges.
#pragma once

#include "base/async_fwd.hpp"
#include "sim/chance.hpp"
#include "sim/plan.hpp"

#include <string>

namespace cadre::sim {

/// Something that hangs on time: told to the world, and not part of the answer.
Async<> tell_world(engine::Run& run, const PlanStep& step, std::string what);

/// One of these acts, whose branches lie at `depth` + 1.
PlanStep some_structure(Chance& chance, int depth);
Async<std::string> play_structure(engine::Run& run, const PlanStep& step, const Watch& watch);

}  // namespace cadre::sim
