// Plan: what a task means to do, item by item; `plan.json` has these names (S-04).
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

enum class PlanItemStatus : std::uint8_t { pending, running, completed, failed, skipped };
std::span<const EnumName> names_of(const PlanItemStatus*);

struct PlanItem {
    std::string id{};
    std::string agent{};
    std::string action{};
    boost::json::object params{};
    std::vector<std::string> depends_on{};
    PlanItemStatus status = PlanItemStatus::pending;

    bool operator==(const PlanItem&) const = default;
};
const Entity& describe(const PlanItem*);

struct Plan {
    std::string id{};
    std::string goal{};
    std::vector<PlanItem> items{};
    std::optional<boost::json::object> scorecard{};

    bool operator==(const Plan&) const = default;
};
const Entity& describe(const Plan*);

/// Pending items all of whose dependencies are completed, in the order of the plan.
std::vector<std::string> ready_items(const Plan& plan);

struct PlanProgress {
    int total = 0;
    int completed = 0;
    int failed = 0;

    bool operator==(const PlanProgress&) const = default;
};
const Entity& describe(const PlanProgress*);
PlanProgress progress_of(const Plan& plan);

}  // namespace cadre::model
