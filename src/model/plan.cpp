#include "model/plan.hpp"

#include "base/error.hpp"
#include "model/cycle.hpp"
#include "model/describe.hpp"
#include "model/known_names.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cadre::model {

namespace {

void check_plan(const Plan& plan, const Path& path, Problems& problems)
{
    std::vector<std::string> ids;
    std::vector<Arc> arcs;
    for (const PlanItem& item : plan.items) {
        ids.push_back(item.id);
        for (const std::string& other : item.depends_on) arcs.push_back({item.id, other});
    }
    const Path tasks(path, "tasks");
    check_distinct(ids, tasks, "id", problems);
    const KnownNames known(std::move(ids), tasks, "id", problems);
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        const Path item(tasks, i);
        const Path list(item, "depends_on");
        for (std::size_t k = 0; k < plan.items[i].depends_on.size(); ++k) {
            const std::string& other = plan.items[i].depends_on[k];
            const Path here(list, k);
            if (known.lack(other, here))
                known.report(other, here, in_quotes(other) + " is not in the plan", "add it, or name an item that is");
        }
    }
    if (const auto cycle = find_cycle(arcs))
        problems.add(tasks, ProblemKind::cycle, fmt::format("wait for each other: {}", cycle_text(*cycle)));
}

}  // namespace

std::span<const EnumName> names_of(const PlanItemStatus*)
{
    static constexpr EnumName names[] = {
        {int(PlanItemStatus::pending), "pending"},     {int(PlanItemStatus::running), "running"},
        {int(PlanItemStatus::completed), "completed"}, {int(PlanItemStatus::failed), "failed"},
        {int(PlanItemStatus::skipped), "skipped"},
    };
    return names;
}

const Entity& describe(const PlanItem*)
{
    static const Entity entity{
        .name = "plan_item",
        .doc = "One thing to do in a plan.",
        .fields =
            {
                field("id", &PlanItem::id, "Unique in its plan; steps refer to it.",
                      {.required = true, .min_length = 1}),
                field("agent", &PlanItem::agent, "Who does it.", {.required = true}),
                field("action", &PlanItem::action, "What to do.", {.required = true}),
                field("parameters", &PlanItem::params, "What to do it with."),
                field("depends_on", &PlanItem::depends_on, "Ids of the items that come first.", {.unique = true}),
                field("status", &PlanItem::status, "How far it is."),
            },
        .example = R"({"id":"draft","agent":"writer","action":"write","parameters":{"words":300},
            "depends_on":["research"],"status":"pending"})",
    };
    return entity;
}

const Entity& describe(const Plan*)
{
    static const Entity entity{
        .name = "plan",
        .doc = "What a task means to do, item by item.",
        .fields =
            {
                field("id", &Plan::id, "Who it is; unique in its task."),
                field("goal", &Plan::goal, "What it is all for.", {.required = true}),
                field("tasks", &Plan::items, "What to do, in order.", {.required = true}),
                field("scorecard", &Plan::scorecard, "What the result will be judged by."),
            },
        .checks = {check<Plan>(
            {}, "Ids of items are unique; items depend on others of the plan, and never in a circle.", check_plan)},
        .example = R"({"id":"plan-1","goal":"an article on tides","tasks":[
            {"id":"research","agent":"reader","action":"search","parameters":{},"depends_on":[],"status":"completed"},
            {"id":"draft","agent":"writer","action":"write","parameters":{"words":300},"depends_on":["research"],
             "status":"pending"}],"scorecard":null})",
    };
    return entity;
}

const Entity& describe(const PlanProgress*)
{
    static const Entity entity{
        .name = "plan_progress",
        .doc = "How much of a plan is done.",
        .fields =
            {
                field("total", &PlanProgress::total, "Items in the plan."),
                field("completed", &PlanProgress::completed, "Items that are done or were skipped."),
                field("failed", &PlanProgress::failed, "Items that failed."),
            },
        .home = {Home::Kind::message, "a field of the answer to `GET /tasks/{task_id}`"},
        .example = R"({"total":5,"completed":2,"failed":0})",
    };
    return entity;
}

std::vector<std::string> ready_items(const Plan& plan)
{
    std::map<std::string_view, PlanItemStatus> status;
    for (const PlanItem& item : plan.items) status.emplace(item.id, item.status);
    auto done = [&](const std::string& id) {
        const auto found = status.find(id);
        return found != status.end() &&
               (found->second == PlanItemStatus::completed || found->second == PlanItemStatus::skipped);
    };
    std::vector<std::string> ready;
    for (const PlanItem& item : plan.items)
        if (item.status == PlanItemStatus::pending && std::ranges::all_of(item.depends_on, done))
            ready.push_back(item.id);
    return ready;
}

PlanProgress progress_of(const Plan& plan)
{
    PlanProgress progress{.total = static_cast<int>(plan.items.size())};
    for (const PlanItem& item : plan.items) {
        progress.completed += item.status == PlanItemStatus::completed || item.status == PlanItemStatus::skipped;
        progress.failed += item.status == PlanItemStatus::failed;
    }
    return progress;
}

}  // namespace cadre::model
