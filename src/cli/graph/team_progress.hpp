// How far the agents of a team are, as the trace of their task says.
#pragma once

#include "engine/node_progress.hpp"
#include "engine/trace.hpp"
#include "model/team.hpp"

#include <vector>

namespace cadre::cli {

/// In the order of the team's agents. An agent that has had its turn is done, even if it may have another one; `turns` counts them where
/// there were several. `finished`: the task has ended, so who has not begun never will.
std::vector<engine::NodeState> agent_states(const model::Team& team, const engine::Trace& trace, bool finished);

}  // namespace cadre::cli
