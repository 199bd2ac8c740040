// The agents that a router chooses from, and what it is told about them. Plain functions.
#pragma once

#include "model/decision.hpp"
#include "model/names.hpp"
#include "model/route_setup.hpp"
#include "model/team.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns {

struct RoutedAgent {
    std::string name{};
    std::string alias{};  // what document 002 knows it by
    std::string description{};
    std::vector<std::string> tags{};
    std::vector<std::string> examples{};
};

/// All agents of the team but the router and those that ask back and answer when no other agent can.
std::vector<RoutedAgent> routed_agents(const model::Team& team, const model::RouteSetup& setup);
/// The agent of the team with that alias; empty: there is none.
std::string agent_with_alias(const model::Team& team, std::string_view alias);

/// Whether no agent was chosen but the one that answers when no other agent can.
bool is_fallback(const model::Decision& decision, const model::orchestration::RouterExecutorOptions& options);
/// What such a decision names.
std::string fallback_target(const model::orchestration::RouterExecutorOptions& options);

/// The header, then `light-agent: lights [kitchen, dimmer] e.g. "Turn on the light"` for each.
std::string catalogue_of(std::span<const RoutedAgent> agents,
                         const model::orchestration::RouterExecutorOptions& options);

/// {0} and {1} filled in, in one pass; {{ and }} are braces.
std::string filled_in(std::string_view pattern, std::string_view first, std::string_view second);

}  // namespace cadre::patterns
