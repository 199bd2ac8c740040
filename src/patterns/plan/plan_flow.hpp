// PlanFlow: the items of a plan that have not begun, as parts of a flow.
#pragma once

#include "engine/flow.hpp"
#include "engine/plan_view.hpp"
#include "model/plan.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns {

/// A plan at work.
struct PlanAtWork {
    model::Plan plan{};
    std::map<std::string, std::string, std::less<>> said{};  // what finished items came to, by id
};

/// `ends` is where the flow's results will be; both outlive it.
class PlanFlow final : public engine::Flow {
public:
    using Ends = std::vector<engine::Settled<engine::PlanItemEnd>>;

    PlanFlow(const model::Plan& plan, const Ends& ends);

    const model::PlanItem& item(std::size_t part) const { return items_[part]; }
    /// What the item of this flow came to; null: it has not ended, or is not of this flow.
    const engine::PlanItemEnd* find_end(std::string_view id) const;
    /// Once the flow is over.
    void add_to(PlanAtWork& progress) const;

    std::size_t size() const override { return items_.size(); }
    const std::string& name(std::size_t part) const override { return items_[part].id; }
    std::span<const std::size_t> inputs(std::size_t part) const override { return inputs_[part]; }
    engine::Entry enter(std::size_t part, std::span<const engine::Fate> fates) const override;

private:
    const Ends& ends_;
    std::vector<model::PlanItem> items_;
    std::vector<std::vector<std::size_t>> inputs_;
};

}  // namespace cadre::patterns
