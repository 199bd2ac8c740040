#include "home/project/team_beginning.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "home/project/run_source.hpp"
#include "model/route_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cadre::home {
namespace {

void expect_pattern(const model::Team& team, const std::string& name)
{
    std::vector<std::string> names;
    for (const model::CollaborationPattern& pattern : team.collaboration_patterns) names.push_back(pattern.name);
    names.emplace_back(model::kPlanning);
    names.emplace_back(model::kRouting);
    if (std::ranges::find(names, name) != names.end()) return;
    throw Error(Code::not_found, fmt::format("the team {} has no collaboration pattern called {}{}", team.name,
                                             in_quotes(name), hint_for(name, names)));
}

}  // namespace

Beginning beginning_of(const model::Team& team, const RunRequest& wanted)
{
    Beginning begin;
    const model::ExecutionConfig& config = team.execution_config;
    if (wanted.pattern) expect_pattern(team, *wanted.pattern);
    const std::string named = wanted.pattern ? *wanted.pattern : wanted.agent ? "" : config.pattern.value_or("");
    if (named == model::kPlanning || named == model::kRouting) {
        expect_pattern(team, named);
        const bool plans = named == model::kPlanning;
        if (!config.success_criteria.empty() || !config.failure_criteria.empty())
            throw Error(Code::invalid,
                        fmt::format("the team {} has success_criteria or failure_criteria, which are not "
                                    "judged in a {} task; leave them out, or do not {} it",
                                    team.name, plans ? "planned" : "routed", named));
        begin.pattern = plans ? "plan@1" : "route@1";
        return begin;
    }
    const bool has_criteria = !config.success_criteria.empty() || !config.failure_criteria.empty();
    if (team.agents.size() == 1 && !has_criteria && named.empty()) return begin;
    begin.pattern = "team@1";
    begin.collaboration = named;
    const auto& patterns = team.collaboration_patterns;
    if (named.empty() && !wanted.agent && patterns.size() == 1 && team.handoff_rules.empty())
        begin.collaboration = patterns.front().name;
    if (wanted.pattern || (wanted.agent && (!patterns.empty() || config.pattern))) begin.chosen = named;
    return begin;
}

std::vector<const model::Agent*> speakers(const model::Team& team, const model::Agent& first, const Beginning& begin)
{
    std::set<std::string> names;
    std::vector<std::string> open{first.name};
    const auto join = [&](const model::CollaborationPattern& pattern) {
        open.insert(open.end(), pattern.agents.begin(), pattern.agents.end());
        if (pattern.coordination_agent) open.push_back(*pattern.coordination_agent);
    };
    if (begin.pattern == "react@1") return {&first};
    for (const model::CollaborationPattern& pattern : team.collaboration_patterns)
        if (pattern.name == begin.collaboration) join(pattern);
    if (begin.pattern != "team@1")
        for (const model::Agent& agent : team.agents) open.push_back(agent.name);
    while (!open.empty()) {
        const std::string name = std::move(open.back());
        open.pop_back();
        if (!names.insert(name).second) continue;
        for (const model::HandoffRule& rule : team.handoff_rules)
            if (rule.from_agent == name) open.push_back(rule.to_agent);
        const auto agent = std::ranges::find(team.agents, name, &model::Agent::name);
        if (agent == team.agents.end()) continue;
        for (const model::CollaborationPattern& pattern : team.collaboration_patterns)
            if (std::ranges::find(agent->collaboration_patterns, pattern.name) != agent->collaboration_patterns.end())
                join(pattern);
    }
    std::vector<const model::Agent*> all;
    for (const model::Agent& agent : team.agents)
        if (names.contains(agent.name)) all.push_back(&agent);
    return all;
}

std::vector<const model::Agent*> speakers(const model::WorkflowSetup& workflow, const model::Team& team)
{
    std::set<std::string> names;
    const auto note_pattern = [&](const std::string& name) {
        for (const model::CollaborationPattern& pattern : team.collaboration_patterns) {
            if (pattern.name != name) continue;
            names.insert(pattern.agents.begin(), pattern.agents.end());
            if (pattern.coordination_agent) names.insert(*pattern.coordination_agent);
        }
    };
    const auto note = [&](const model::Graph& graph) {
        for (const auto& [name, node] : graph.nodes) {
            if (node.agent) names.insert(*node.agent);
            if (node.pattern) note_pattern(*node.pattern);
        }
        if (graph.reflection && graph.reflection->agent) names.insert(*graph.reflection->agent);
    };
    note(workflow.graph);
    for (const auto& [name, graph] : workflow.nested) note(graph);
    std::vector<const model::Agent*> all;
    for (const model::Agent& agent : team.agents)
        if (names.contains(agent.name)) all.push_back(&agent);
    return all;
}

std::vector<const model::LlmConfig*> models_of(const std::vector<const model::Agent*>& speaking,
                                               const model::Team& team, bool is_judged)
{
    std::vector<const model::LlmConfig*> models;
    const auto add = [&](const model::LlmConfig* one) {
        if (std::ranges::none_of(models, [&](const model::LlmConfig* other) { return *other == *one; }))
            models.push_back(one);
    };
    for (const model::Agent* agent : speaking) add(agent->llm_config ? &*agent->llm_config : &team.default_llm);
    if (!is_judged) return models;
    const auto judge = std::ranges::find(team.agents, "judge", &model::Agent::name);
    add(judge != team.agents.end() && judge->llm_config ? &*judge->llm_config : &team.default_llm);
    return models;
}

}  // namespace cadre::home
