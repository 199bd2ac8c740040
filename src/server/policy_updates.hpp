// What changed from some guardrails to others, as events.
#pragma once

#include "base/time.hpp"
#include "model/team.hpp"
#include "server/feed.hpp"

#include <string>
#include <vector>

namespace cadre::server {

/// Those that have come or changed in the order of `now`, then those that are gone.
std::vector<FeedEventPtr> policy_updates(const std::vector<model::GuardrailPolicy>& before,
                                         const std::vector<model::GuardrailPolicy>& now, const std::string& by,
                                         Time at);

}  // namespace cadre::server
