#include "patterns/route/catalogue.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using model::orchestration::clarification_agent;
using model::orchestration::fallback_agent;

std::vector<RoutedAgent> routed_agents(const model::Team& team, const model::RouteSetup& setup)
{
    const auto& options = setup.settings.router_executor;
    std::vector<RoutedAgent> agents;
    for (const model::Agent& agent : team.agents) {
        const std::string alias = model::alias_of(agent);
        if (agent.name == setup.router_agent || alias == clarification_agent(options) ||
            alias == fallback_agent(options))
            continue;
        RoutedAgent routed{.name = agent.name,
                           .alias = alias,
                           .description = agent.card.description.empty() ? agent.role : agent.card.description,
                           .tags = agent.card.tags};
        for (const model::AgentSkill& skill : agent.card.skills) {
            if (skill.examples.empty()) routed.tags.push_back(skill.name);  // it says what it is by its name alone
            routed.examples.insert(routed.examples.end(), skill.examples.begin(), skill.examples.end());
        }
        agents.push_back(std::move(routed));
    }
    return agents;
}

std::string fallback_target(const model::orchestration::RouterExecutorOptions& options)
{
    return model::name_of_alias(fallback_agent(options));
}

bool is_fallback(const model::Decision& decision, const model::orchestration::RouterExecutorOptions& options)
{
    return decision.targets.empty() || decision.targets.front() == fallback_target(options);
}

std::string agent_with_alias(const model::Team& team, std::string_view alias)
{
    for (const model::Agent& agent : team.agents)
        if (model::alias_of(agent) == alias || agent.name == alias) return agent.name;
    return "";
}

std::string catalogue_of(std::span<const RoutedAgent> agents,
                         const model::orchestration::RouterExecutorOptions& options)
{
    std::string text = options.agent_catalog_header.value_or("Agents:");
    for (const RoutedAgent& agent : agents) {
        text += fmt::format("\n{}: {}", agent.alias, agent.description);
        if (options.include_agent_capabilities && !agent.tags.empty())
            text += fmt::format(" [{}]", fmt::join(agent.tags, ", "));
        if (!options.include_skill_examples) continue;
        for (const std::string& example : agent.examples)
            text += (&example == &agent.examples.front() ? " e.g. " : ", ") + in_quotes(example);
    }
    return text;
}

std::string filled_in(std::string_view pattern, std::string_view first, std::string_view second)
{
    std::string out;
    const auto take = [&](std::string_view name, std::string_view value) {
        if (!pattern.starts_with(name)) return false;
        out += value;
        pattern.remove_prefix(name.size());
        return true;
    };
    while (!pattern.empty()) {
        if (take("{{", "{") || take("}}", "}") || take("{0}", first) || take("{1}", second)) continue;
        out += pattern.front();
        pattern.remove_prefix(1);
    }
    return out;
}

}  // namespace cadre::patterns
