// What every task gets, whatever it runs: model, budget, kind and the like.
#pragma once

#include "engine/commands.hpp"
#include "home/project/prepare_task.hpp"

#include <string>
#include <vector>

namespace cadre::home {

/// `--model`, then CADRE_MODEL; empty: what files say.
std::string model_that_wins(const RunRequest& wanted, const Project& project);

/// What the project allows and forbids holds for its teams too.
void add_rules(model::Permissions& rules, const model::Permissions& permissions);

/// All that is not its pattern, from what was asked for, the team and the project's settings. `models`: those that it speaks with, whose
/// prices must be known where dollars are bounded; they may be the team's own, which is taken last.
void complete_task(engine::CreateTask& task, const Project& project, const RunRequest& wanted, model::Team&& team,
                   const std::vector<const model::LlmConfig*>& models);

}  // namespace cadre::home
