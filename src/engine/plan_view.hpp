// PlanView: the plan of a task that was planned first, and how far each of its items is, from the journal alone.
#pragma once

#include "model/plan.hpp"
#include "storage/record.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cadre::engine {

class Body;

/// What an item came to: the result of its node.
struct PlanItemEnd {
    model::PlanItemStatus status = model::PlanItemStatus::pending;  // then it was put off, because the plan was changed
    std::string text{};                                             // its answer, or why it failed

    bool operator==(const PlanItemEnd&) const = default;
};
const model::Entity& describe(const PlanItemEnd*);

/// A fact of this name is a plan, which replaces the one before it.
inline constexpr std::string_view kPlanFact = "plan";

class PlanView {
public:
    /// The next record.
    void take(const storage::Record& record, const Body& body);

    /// Nothing: it is still being made.
    const std::optional<model::Plan>& plan() const { return plan_; }
    /// The item that a path belongs to; null: none.
    const model::PlanItem* item_at(std::string_view path) const;

private:
    struct Take;

    std::optional<model::Plan> plan_;
};

/// The plan that the journal of such a task tells; empty while it is being made.
model::Plan plan_in(std::span<const storage::Record> records);

}  // namespace cadre::engine
