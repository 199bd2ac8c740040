#include "patterns/plan/plan_flow.hpp"

#include "engine/plan_edit.hpp"

#include <algorithm>

namespace cadre::patterns {

using model::PlanItem;
using model::PlanItemStatus;

PlanFlow::PlanFlow(const model::Plan& plan, const Ends& ends) : ends_(ends)
{
    std::ranges::copy_if(plan.items, std::back_inserter(items_),
                         [](const PlanItem& item) { return item.status == PlanItemStatus::pending; });
    for (const PlanItem& item : items_) {
        auto& inputs = inputs_.emplace_back();
        for (const std::string& id : item.depends_on)  // the others are completed, or it would be skipped
            if (const auto other = std::ranges::find(items_, id, &PlanItem::id); other != items_.end())
                inputs.push_back(static_cast<std::size_t>(other - items_.begin()));
    }
}

const engine::PlanItemEnd* PlanFlow::find_end(std::string_view id) const
{
    const auto item = std::ranges::find(items_, id, &PlanItem::id);
    const auto part = static_cast<std::size_t>(item - items_.begin());
    return part < ends_.size() && ends_[part].value ? &*ends_[part].value : nullptr;
}

/// One that depends on an item which failed is skipped; on one that was put off, it is put off too.
engine::Entry PlanFlow::enter(std::size_t part, std::span<const engine::Fate>) const
{
    const bool can_go = std::ranges::all_of(inputs_[part], [&](std::size_t input) {
        return ends_[input].value && ends_[input].value->status == PlanItemStatus::completed;
    });
    if (!can_go) return {.what = engine::Entry::What::skip};
    return {.what = engine::Entry::What::go, .counted = inputs_[part]};
}

void PlanFlow::add_to(PlanAtWork& progress) const
{
    for (PlanItem& item : progress.plan.items)
        if (const engine::PlanItemEnd* end = item.status == PlanItemStatus::pending ? find_end(item.id) : nullptr) {
            item.status = end->status;
            progress.said[item.id] = end->text;
        }
    engine::skip_what_cannot_be(progress.plan);
}

}  // namespace cadre::patterns
