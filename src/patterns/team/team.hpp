// team@1: the agents of a team take turns.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// Handoffs between two answers of a team, at most.
inline constexpr int kMaxHandoffs = 20;

/// Begins with the task's agent, or with the collaboration pattern that the task's input or the team names, or that is its only one and no
/// rules say otherwise. Then whoever is next, until there is an answer that meets the team's criteria. Throws engine::Failed when a criterion
/// of failure is met, when those of success are not met after two more rounds, and after kMaxHandoffs.
/// With `below` in its input it is one agent that works for another one, and has only those that it delegates to.
Async<model::Reply> team(engine::Run& run);

}  // namespace cadre::patterns
