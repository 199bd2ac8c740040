#include "home/project/default_agent.hpp"

#include "base/error.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "home/project/provider_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace cadre::home {
namespace {

/// Of those whose key is set and who were not told which model: good enough for most things, and not the dearest.
struct UsualModel {
    std::string_view provider, model;
};
constexpr UsualModel kUsual[] = {
    {"deepseek", "deepseek-chat"},  {"openai", "gpt-5-mini"}, {"anthropic", "claude-sonnet-5-5"},
    {"gemini", "gemini-3.5-flash"}, {"xai", "grok-4.6"},      {"groq", "openai/gpt-oss-120b"},
};

struct ChosenModel {
    std::string spec{};
    std::string why{};
};

ChosenModel chosen_model(const Project& project, const std::string& wins)
{
    if (!wins.empty()) return {wins, ""};
    if (const auto& spec = project.settings().model) return {whole_spec(*spec, project.folder()), ""};
    std::string without_model;  // set up, and whoever set it up must say which of its models
    for (const ProviderStatus& provider : all_providers(project)) {
        if (!provider.is_configured() || !provider.problem.empty()) continue;
        const auto usual = std::ranges::find(kUsual, provider.name(), &UsualModel::provider);
        if (usual != std::end(kUsual))
            return {fmt::format("{}/{}", usual->provider, usual->model),
                    provider.has_key() ? provider.setup.key_variable + " is set" : ""};
        if (without_model.empty()) without_model = provider.name();
    }
    if (!without_model.empty())
        throw Error(Code::invalid,
                    fmt::format("no model is configured: {0} is set up, but not which of its models; give one with "
                                "--model {0}/MODEL, or in the variable CADRE_MODEL",
                                without_model),
                    {"to see what it serves", fmt::format("models {} --live", without_model)});
    throw Error(Code::invalid,
                "no model is configured: set the key of a provider, for example OPENAI_API_KEY, or give a model with "
                "--model, for example --model ollama/llama3.2",
                {"to see Cadre at work without one", "demo"});
}

}  // namespace

DefaultAgent default_agent(const Project& project, const std::string& model)
{
    const ChosenModel chosen = chosen_model(project, model);
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
