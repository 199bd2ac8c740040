#include "config/advice.hpp"

#include <string>
#include <variant>

namespace cadre::config {

namespace {

struct Advice {
    std::string_view problem;  // how its text begins
    std::string_view field;
    std::string_view says;
};

constexpr std::string_view kNotOfAgent = "is not a field of agent", kNotOfTeam = "is not a field of team";
constexpr std::string_view kNotOfWorkflow = "is not a field of workflow";

constexpr Advice kAdvice[] = {
    {kNotOfAgent, "model", "write `llm_config: {provider: …, model: …}`"},
    {kNotOfAgent, "llm", "write `llm_config: {provider: …, model: …}`"},
    {kNotOfAgent, "instructions", "write it as `prompt`"},
    {kNotOfAgent, "instruction", "write it as `prompt`"},
    {kNotOfAgent, "goal", "write it into `prompt`"},
    {kNotOfAgent, "backstory", "write it into `prompt`"},
    {kNotOfAgent, "handoffs", "write `handoff_rules` in the team"},
    {kNotOfAgent, "sub_agents", "write `handoff_rules` in the team"},
    {kNotOfAgent, "toolsets", "write the names of the tools as `tools`"},
    {kNotOfTeam, "model", "write `default_llm: {provider: …, model: …}`"},
    {kNotOfTeam, "models", "write `default_llm: {provider: …, model: …}`"},
    {kNotOfTeam, "llm", "write `default_llm: {provider: …, model: …}`"},
    {kNotOfTeam, "handoffs", "write `handoff_rules`"},
    {kNotOfTeam, "tasks", "remove it: a task is what a run is given as its prompt"},
    {"is not a field of retention_policy", "by_kind", "write it as `by_task`"},
    {kNotOfAgent, "tasks", "remove it: a task is what a run is given as its prompt"},
    {kNotOfAgent, "description", "write it as `role`"},
    {kNotOfAgent, "system_message", "write it as `prompt`"},
    {kNotOfAgent, "system", "write it as `prompt`"},
    {kNotOfAgent, "mcp_servers", "define them in config/mcp_servers.yaml, and write `tools: [\"SERVER.*\"]`"},
    {kNotOfAgent, "max_iter", "write it as `max_iterations`"},
    {kNotOfAgent, "max_turns", "write it as `max_iterations`"},
    {kNotOfTeam, "members", "write it as `agents`"},
    {kNotOfTeam, "process", "remove it: `handoff_rules` and `collaboration_patterns` say who works when"},
    {"must be a list", "agents", "write each as `- name: …`"},
    {kNotOfWorkflow, "start", "write it as `entry_point`"},
    {kNotOfWorkflow, "entry", "write it as `entry_point`"},
    {kNotOfWorkflow, "steps", "write them as `nodes`, and `edges` between them"},
    {"is not a field of edge_def", "when", "write it as `condition`"},
    {"is not a field of edge_def", "if", "write it as `condition`"},
    {"is not a field of state_field", "type", "write `schema: {type: …}`"},
    {"is not a field of state_field", "default", "write `schema: {default: …}`"},
    {"is not a field of case_file", "tests", "write it as `cases`"},
};

}  // namespace

std::string_view advice_for(const model::Problem& problem)
{
    if (problem.place.empty()) return {};
    const auto* field = std::get_if<std::string>(&problem.place.back());
    for (const Advice& advice : kAdvice)
        if (field && advice.field == *field && problem.meant.empty() && problem.text.starts_with(advice.problem))
            return advice.says;
    return {};
}

}  // namespace cadre::config
