// Plans of tasks that are planned first: what they must obey, and what becomes of one that a person changes.
#pragma once

#include "model/plan.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cadre::engine {

struct TaskSpec;

inline constexpr std::size_t kMostPlanItems = 64;
/// The nodes around the items, so no item has their names.
inline constexpr std::string_view kPlanNode = "plan";
inline constexpr std::string_view kConcludeNode = "conclude";

/// Whether the task makes a plan, and works it through.
bool is_planned(const TaskSpec& spec);

/// A plan for a team of these agents, nothing of it begun. Throws Error(invalid) that names everything that is wrong with it.
model::Plan read_plan(const boost::json::value& value, std::span<const std::string> agents);
/// The same for one that is to replace `now`: it needs nothing that it leaves out.
model::Plan read_edit(const boost::json::value& value, const model::Plan& now, std::span<const std::string> agents);
/// What counts from then on: all that has begun stays as it is, the rest is the edit's.
model::Plan edited(const model::Plan& now, model::Plan edit);

bool was_begun(const model::PlanItem& item);
/// Items that have not begun are skipped where something that they depend on failed or is skipped, else pending.
void skip_what_cannot_be(model::Plan& plan);

}  // namespace cadre::engine
