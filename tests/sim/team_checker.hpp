// What must hold of tasks of teams, as their journals tell it.
#pragma once

#include "sim/simulation.hpp"

#include <span>

namespace cadre::sim {

/// When all is over.
void check_team(Simulation& simulation, const Subject& subject, std::span<const storage::Record> records);

}  // namespace cadre::sim
