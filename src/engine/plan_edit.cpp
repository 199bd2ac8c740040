#include "engine/plan_edit.hpp"

#include "base/error.hpp"
#include "base/mutant.hpp"
#include "engine/node_visits.hpp"
#include "engine/task_state.hpp"
#include "model/problem.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <set>

namespace cadre::engine {

using model::PlanItem;
using model::PlanItemStatus;

namespace {

const PlanItem* find_item(const model::Plan& plan, std::string_view id)
{
    const auto item = std::ranges::find(plan.items, id, &PlanItem::id);
    return item == plan.items.end() ? nullptr : &*item;
}

std::string list_of(std::span<const std::string> names)
{
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

void check_item(const PlanItem& item, const model::Path& path, std::span<const std::string> agents,
                model::Problems& problems)
{
    const model::Path id(path, "id"), agent(path, "agent");
    if (!is_node_name(item.id))
        problems.add(id, in_quotes(item.id) +
                             " cannot be an id: use a letter or _, then at most 63 letters, digits, _ . -");
    else if (item.id == kPlanNode || item.id == kConcludeNode)
        problems.add(id, in_quotes(item.id) + " is the name of a part of every plan; choose another");
    if (std::ranges::find(agents, item.agent) == agents.end())
        problems.add(agent, model::ProblemKind::unknown_name,
                     "the team has no agent " + in_quotes(item.agent) + "; it has: " + list_of(agents));
}

std::string_view text_in(const boost::json::value& object, std::string_view name)
{
    const auto* member = object.is_object() ? object.get_object().if_contains(name) : nullptr;
    return member && member->is_string() ? std::string_view(member->get_string()) : std::string_view();
}

const boost::json::array& list_in(const boost::json::value& object, std::string_view name)
{
    static const boost::json::array none;
    const auto* member = object.is_object() ? object.get_object().if_contains(name) : nullptr;
    return member && member->is_array() ? member->get_array() : none;
}

/// Before the plan is read: a general complaint about an unknown id would not say that it has begun.
void expect_needed_items(const boost::json::value& edit, const model::Plan& now)
{
    std::set<std::string_view> kept;
    for (const auto& item : list_in(edit, "tasks")) kept.insert(text_in(item, "id"));
    for (const auto& item : list_in(edit, "tasks"))
        for (const auto& other : list_in(item, "depends_on")) {
            if (!other.is_string() || kept.contains(other.get_string())) continue;
            const PlanItem* lost = find_item(now, other.get_string());
            if (!lost || !was_begun(*lost)) continue;
            throw Error(Code::invalid, in_quotes(text_in(item, "id")) + " depends on " + in_quotes(lost->id) +
                                           ", which the plan leaves out although it is " +
                                           (lost->status == PlanItemStatus::running ? "running" : "finished") +
                                           "; keep " + in_quotes(lost->id) + " in the plan");
        }
}

}  // namespace

bool is_planned(const TaskSpec& spec)
{
    return spec.pattern.starts_with("plan@");
}

bool was_begun(const PlanItem& item)
{
    return item.status == PlanItemStatus::running || item.status == PlanItemStatus::completed ||
           item.status == PlanItemStatus::failed;
}

model::Plan read_plan(const boost::json::value& value, std::span<const std::string> agents)
{
    auto plan = model::from_json<model::Plan>(value);
    model::Problems problems;
    const model::Path root, tasks(root, "tasks");
    if (plan.items.size() > kMostPlanItems)
        problems.add(tasks, "are " + std::to_string(plan.items.size()) + "; a plan has at most " +
                                std::to_string(kMostPlanItems));
    for (std::size_t i = 0; i < plan.items.size(); ++i)
        check_item(plan.items[i], model::Path(tasks, i), agents, problems);
    problems.raise();
    for (PlanItem& item : plan.items) item.status = PlanItemStatus::pending;
    return plan;
}

model::Plan read_edit(const boost::json::value& value, const model::Plan& now, std::span<const std::string> agents)
{
    expect_needed_items(value, now);
    model::Plan edit = read_plan(value, agents);
    if (const std::size_t size = edited(now, edit).items.size(); size > kMostPlanItems)
        throw Error(Code::invalid, "with the items that have begun, the plan has " + std::to_string(size) +
                                       " items; a plan has at most " + std::to_string(kMostPlanItems));
    return edit;
}

model::Plan edited(const model::Plan& now, model::Plan edit)
{
    model::Plan plan{.id = now.id, .goal = std::move(edit.goal), .scorecard = std::move(edit.scorecard)};
    for (const PlanItem& item : now.items)
        if (was_begun(item) && !find_item(edit, item.id) && !is_mutant(Mutant::running_item_removed))
            plan.items.push_back(item);
    for (PlanItem& item : edit.items) {
        const PlanItem* before = find_item(now, item.id);
        plan.items.push_back(before && was_begun(*before) ? *before : std::move(item));
        if (!before || !was_begun(*before)) plan.items.back().status = PlanItemStatus::pending;
    }
    skip_what_cannot_be(plan);
    return plan;
}

void skip_what_cannot_be(model::Plan& plan)
{
    std::set<std::string_view> lost;
    for (PlanItem& item : plan.items) {
        if (item.status == PlanItemStatus::skipped) item.status = PlanItemStatus::pending;
        if (item.status == PlanItemStatus::failed) lost.insert(item.id);
    }
    for (bool changed = true; changed;) {  // an item may stand before what it depends on
        changed = false;
        for (PlanItem& item : plan.items) {
            const auto is_lost = [&](const std::string& id) { return lost.contains(id); };
            if (item.status != PlanItemStatus::pending || std::ranges::none_of(item.depends_on, is_lost)) continue;
            item.status = PlanItemStatus::skipped;
            changed = lost.insert(item.id).second;
        }
    }
}

}  // namespace cadre::engine
