// What is told to whoever works on an item of a plan, and to whoever answers in the end.
#pragma once

#include "patterns/plan/plan_flow.hpp"
#include "patterns/team/floor.hpp"

namespace cadre::patterns {

/// The goal, the item, and what came of those that it depends on, in the order in which it names them.
Floor floor_for(const model::PlanItem& item, const PlanAtWork& progress, const PlanFlow& flow);
/// The task, and what came of every item.
Floor floor_at_the_end(const engine::Run& run, const PlanAtWork& progress);
/// Whether something of the plan could not be done.
bool is_partial(const model::Plan& plan);

}  // namespace cadre::patterns
