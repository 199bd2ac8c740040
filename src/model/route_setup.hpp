// What a request that is routed to agents is pinned to beside its team (document 002).
#pragma once

#include "model/router_kind.hpp"
#include "model/views/orchestration_options.hpp"

#include <string>
#include <string_view>

namespace cadre::model {

/// How a team is called for in which a router chooses who works: `execution_config.pattern: route`.
inline constexpr std::string_view kRouting = "route";

struct RouteSetup {
    orchestration::AppSettings settings{};
    RouterKind router = RouterKind::model;  // what the settings come to where the request was made
    bool has_model = true;                  // false: the router has none
    std::string router_agent = "router";    // the agent that decides, where a model does

    bool operator==(const RouteSetup&) const = default;
};
const Entity& describe(const RouteSetup*);

}  // namespace cadre::model
