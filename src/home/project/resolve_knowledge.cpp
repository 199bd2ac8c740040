#include "home/project/resolve_knowledge.hpp"

#include "base/error.hpp"
#include "config/read_into.hpp"
#include "home/project/project.hpp"
#include "tools/knowledge/knowledge_files.hpp"
#include "tools/knowledge/knowledge_tool.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::home {
namespace {

constexpr std::string_view kSearchTool = "search_knowledge";

/// Agents that know the same share a tool. The first has the plain name; another one is called after its first agent.
std::string tool_for(model::Team& team, const model::Agent& agent)
{
    for (const model::Tool& tool : team.tools)
        if (tools::knowledge_paths(tool) == agent.knowledge) return tool.name;
    const auto is_taken = [&](const std::string& name) {
        return std::ranges::find(team.tools, name, &model::Tool::name) != team.tools.end();
    };
    std::string name(kSearchTool);
    if (is_taken(name)) name += "_" + agent.name;
    while (is_taken(name)) name += '_';
    team.tools.push_back(tools::knowledge_definition(name, agent.knowledge));
    return name;
}

config::PathSteps place_of(const config::File& file, std::size_t agent, std::size_t path)
{
    const bool is_agent = file.kind == config::FileKind::agent;
    const config::PathSteps base = is_agent ? config::PathSteps{} : config::PathSteps{"agents", agent};
    const config::PathSteps here = config::joined(base, {"knowledge", path});
    // an agent with the names of document 000 has it there
    return config::find(file.document->value, file.document->root, here).exact
               ? here
               : config::joined(base, {"ext", "knowledge", path});
}

}  // namespace

void add_knowledge(model::Team& team, const config::File& file, const Project& project, config::Findings& findings)
{
    for (std::size_t i = 0; i < team.agents.size(); ++i) {
        model::Agent& agent = team.agents[i];
        if (agent.knowledge.empty()) continue;
        for (std::size_t k = 0; k < agent.knowledge.size(); ++k)
            if (const std::string fault = tools::knowledge_fault(project.folder(), agent.knowledge[k]); !fault.empty())
                config::report(place_of(file, i, k),
                               fmt::format("the knowledge {} {}", in_quotes(agent.knowledge[k]), fault), *file.document,
                               findings);
        const std::string name = tool_for(team, agent);
        if (std::ranges::find(agent.tools, name) == agent.tools.end()) agent.tools.push_back(name);
    }
}

}  // namespace cadre::home
