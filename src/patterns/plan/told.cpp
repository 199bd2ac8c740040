#include "patterns/plan/told.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

using model::PlanItem;
using model::PlanItemStatus;

namespace {

std::string what_came_of(const PlanItem& item, std::string_view said)
{
    const std::string name = "Item " + in_quotes(item.id) + " (" + item.agent + ": " + item.action + ")";
    if (item.status == PlanItemStatus::completed) return name + " came to:\n" + std::string(said);
    if (item.status == PlanItemStatus::failed) return name + " failed: " + std::string(said);
    return name + " was skipped, because something that it depends on failed.";
}

}  // namespace

Floor floor_for(const PlanItem& item, const PlanAtWork& progress, const PlanFlow& flow)
{
    std::string text = "The goal of your team: " + progress.plan.goal + "\n\nYou do one part of it, " +
                       in_quotes(item.id) + ": " + item.action;
    if (!item.params.empty()) text += "\nWith: " + to_text(item.params);
    text += "\n\nOthers do the rest. Answer with the result of your part.";
    Floor floor(std::move(text));
    for (const std::string& id : item.depends_on) {
        PlanItem other = *std::ranges::find(progress.plan.items, id, &PlanItem::id);
        const engine::PlanItemEnd* end = flow.find_end(id);
        if (end) other.status = end->status;
        const auto said = progress.said.find(id);
        floor.note(what_came_of(other, end ? end->text : said == progress.said.end() ? "" : said->second));
    }
    return floor;
}

Floor floor_at_the_end(const engine::Run& run, const PlanAtWork& progress)
{
    Floor floor(run);
    for (const PlanItem& item : progress.plan.items) {
        const auto said = progress.said.find(item.id);
        floor.note(what_came_of(item, said == progress.said.end() ? "" : said->second));
    }
    if (progress.plan.items.empty()) return floor;
    std::string text = "That is what came of the plan. Answer the task now, from these results.";
    if (is_partial(progress.plan)) text += " Say what is missing because an item failed or was skipped.";
    floor.note(std::move(text));
    return floor;
}

bool is_partial(const model::Plan& plan)
{
    return std::ranges::any_of(plan.items,
                               [](const PlanItem& item) { return item.status != PlanItemStatus::completed; });
}

}  // namespace cadre::patterns
