#include "engine/foreign_team.hpp"

#include "model/providers.hpp"

#include <algorithm>

namespace cadre::engine {

namespace {

/// What can only look, at nothing but the task's own files; and questions to people, which need no other question first.
constexpr std::string_view kHarmless[] = {"calculator", "clock",     "read_file",
                                          "list_files", "ask_human", "search_tools"};

bool is_address(std::string_view model)
{
    return model.find("://") != model.npos;
}

void take_address(model::LlmConfig& llm)
{
    llm.base_url.reset();
    llm.api_key.reset();
    llm.api_key_env.reset();
    if (is_address(llm.model)) llm.model = "default";
    for (std::string& spec : llm.fallback) spec = without_address(spec);
}

}  // namespace

std::string without_address(std::string_view spec)
{
    const model::ModelName name = model::split_model_name(spec);
    return is_address(name.model) ? std::string(name.provider) + "/default" : std::string(spec);
}

model::Team as_foreign(model::Team team)
{
    team.permissions.allow.clear();
    for (const std::string_view name : kHarmless) {
        // a program of that name is not ours
        const bool is_ours = std::ranges::none_of(team.tools, [&](const model::Tool& tool) {
            return tool.name == name && (tool.type == model::ToolType::custom || tool.type == model::ToolType::mcp);
        });
        if (is_ours) team.permissions.allow.emplace_back(name);
    }
    team.permissions.ask = {"*"};
    take_address(team.default_llm);
    for (model::Agent& agent : team.agents)
        if (agent.llm_config) take_address(*agent.llm_config);
    return team;
}

}  // namespace cadre::engine
