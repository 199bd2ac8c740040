#include "home/project/default_agent.hpp"

#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "home/project/usual_model.hpp"

#include <fmt/format.h>

namespace cadre::home {
namespace {

UsualModel chosen_model(const Project& project, const std::string& wins)
{
    if (!wins.empty()) return {wins, ""};
    if (const auto& spec = project.settings().model) return {whole_spec(*spec, project.folder()), ""};
    return usual_model(project);
}

}  // namespace

DefaultAgent default_agent(const Project& project, const std::string& model)
{
    const UsualModel chosen = chosen_model(project, model);
    model::Agent agent{.name = "assistant",
                       .role = "A helpful assistant.",
                       .tools = {"calculator", "clock", "read_file", "write_file", "list_files"},
                       .prompt = "Do what the user asks. Be brief, and say so when you do not know something."};
    model::Team team{.name = "assistant", .description = "The built-in assistant, for folders without a team."};
    team.default_llm = engine::llm_from_spec(chosen.spec);
    agent.temperature = team.default_llm.temperature;
    team.agents.push_back(std::move(agent));
    std::string note =
        fmt::format("no team or agent is named here, so the built-in assistant works, with {}", chosen.spec);
    if (!chosen.why.empty()) note += fmt::format(" ({})", chosen.why);
    return {std::move(team), std::move(note)};
}

}  // namespace cadre::home
