// The tools and the model of the simulation: what they answer hangs on what they are asked, how long they take on chance,
// and what they did is in the ledger.
#pragma once

#include "base/id.hpp"
#include "llm/model.hpp"
#include "model/team.hpp"
#include "tools/tool.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cadre::sim {

class Simulation;
struct Worker;

/// The tools of one worker, and the model that it asks for that task.
std::vector<std::shared_ptr<tools::Tool>> tools_of(Simulation& simulation, Worker& worker);
std::shared_ptr<llm::Model> model_for(Simulation& simulation, Worker& worker, const Id& task);

/// One agent that has all of them.
model::Team team_of_the_simulation();

/// Tokens that one answer of the model may have.
inline constexpr std::int64_t kMaxTokens = 40;

}  // namespace cadre::sim
