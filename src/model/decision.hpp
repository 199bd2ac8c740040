// Decision: which agents or domains should deal with a query.
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

enum class TargetKind : std::uint8_t { agent, domain };
std::span<const EnumName> names_of(const TargetKind*);

struct Decision {
    std::string query{};
    TargetKind target_kind = TargetKind::agent;
    std::vector<std::string> targets{};
    double confidence = 0;
    std::string reasoning{};
    bool ambiguous = false;
    bool clarify = false;

    bool operator==(const Decision&) const = default;
};
const Entity& describe(const Decision*);

inline constexpr double kConfidenceThreshold = 0.7;

/// Whether the person is asked back instead (C-34): the router said so, or it is not sure enough.
bool needs_clarification(const Decision& decision, double threshold = kConfidenceThreshold);

}  // namespace cadre::model
