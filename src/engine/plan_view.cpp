#include "engine/plan_view.hpp"

#include "engine/body.hpp"
#include "engine/plan_edit.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"

#include <algorithm>

namespace cadre::engine {

using model::PlanItem;
using model::PlanItemStatus;
using storage::Record;

namespace {

/// Whether the path is that of a visit of a node of the whole run: `draft`, `draft/2`.
bool is_outermost(std::string_view path)
{
    const std::size_t slash = path.find('/');
    return slash == path.npos || path.find_first_not_of("0123456789", slash + 1) == path.npos;
}

}  // namespace

const model::Entity& describe(const PlanItemEnd*)
{
    static const model::Entity entity{
        .name = "plan_item_end",
        .doc = "What an item of a plan came to.",
        .fields = {model::field("status", &PlanItemEnd::status, "How it ended; pending: it was put off.",
                                {.required = true}),
                   model::field("text", &PlanItemEnd::text, "Its answer, or why it failed.")},
        .example = R"({"status":"completed","text":"Tides follow the moon."})"};
    return entity;
}

struct PlanView::Take {
    PlanView& view;
    const Record& record;

    void operator()(const IntentBody&) const
    {
        if (PlanItem* item = find(); item && item->status == PlanItemStatus::pending)
            item->status = PlanItemStatus::running;
    }
    void operator()(const OutcomeBody& outcome) const
    {
        const auto* announced = std::get_if<AnnounceOutcome>(&outcome.of);
        if (!announced || announced->what.str() != kPlanFact || record.path.find('/') != record.path.npos) return;
        view.plan_ = model::from_text<model::Plan>(announced->fact.text, {.limits = kBodyLimits});
    }
    void operator()(const NodeDoneBody& done) const
    {
        PlanItem* item = is_outermost(record.path) ? find() : nullptr;
        if (!item) return;
        item->status = model::from_text<PlanItemEnd>(done.result, {.limits = kBodyLimits}).status;
        skip_what_cannot_be(*view.plan_);
    }
    void operator()(const FailedBody&) const { end(PlanItemStatus::failed); }
    void operator()(const CancelledBody&) const { end(PlanItemStatus::skipped); }
    template <
        AnyOf<CreatedBody, StartedBody, UnknownBody, AnswerBody, InstructionBody, CancelBody, PauseBody, ResumeBody,
              SettingBody, LateResultBody, NoteBody, CompletedBody, AttemptFailedBody, UpkeepBody, NewerBody>
            Other>
    void operator()(const Other&) const
    {}

    PlanItem* find() const { return const_cast<PlanItem*>(view.item_at(record.path)); }
    void end(PlanItemStatus how) const
    {
        if (!view.plan_) return;
        for (PlanItem& item : view.plan_->items)
            if (item.status == PlanItemStatus::running) item.status = how;
    }
};

void PlanView::take(const Record& record, const Body& body)
{
    body.visit(Take{*this, record});
}

const PlanItem* PlanView::item_at(std::string_view path) const
{
    if (!plan_) return nullptr;
    const auto item = std::ranges::find(plan_->items, path.substr(0, path.find('/')), &PlanItem::id);
    return item == plan_->items.end() ? nullptr : &*item;
}

model::Plan plan_in(std::span<const Record> records)
{
    PlanView view;
    for (const Record& record : records) view.take(record, Body(record));
    return view.plan().value_or(model::Plan{});
}

}  // namespace cadre::engine
