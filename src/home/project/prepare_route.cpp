#include "home/project/prepare_route.hpp"

#include "base/error.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "model/route_setup.hpp"
#include "model/team.hpp"
#include "model/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using model::orchestration::AppSettings;

constexpr const char* kRouterPrompt = "You decide which agents deal with a request. You never deal with it yourself.";

AppSettings read_appsettings(const Project& project)
{
    std::error_code error;
    for (const fs::path& folder : {project.folder(), project.home()}) {
        const fs::path file = folder / "config/appsettings.json";
        if (fs::is_regular_file(file, error)) return project.read(file).appsettings.back().value;
    }
    return {};
}

/// The model that is called so, of the team or one of its agents; else the team's.
model::LlmConfig client_called(const std::string& key, const model::Team& team)
{
    if (team.default_llm.key == key) return team.default_llm;
    for (const model::Agent& agent : team.agents)
        if (agent.llm_config && agent.llm_config->key == key) return *agent.llm_config;
    return team.default_llm;
}

std::string free_name(const model::Team& team)
{
    std::string name = "router";
    while (std::ranges::find(team.agents, name, &model::Agent::name) != team.agents.end()) name += '_';
    return name;
}

}  // namespace

std::string route_setup(model::Team& team, const Project& project, const std::string& wins,
                        std::vector<std::string>& notes)
{
    using model::RouterKind;
    model::RouteSetup setup{.settings = read_appsettings(project), .router_agent = free_name(team)};
    const auto& options = setup.settings.router_executor;
    const auto& wanted = setup.settings.orchestration.router;
    setup.router = wanted.value_or(RouterKind::model);
    const model::LlmConfig client = client_called(options.chat_client_key, team);
    model::Agent router{.name = setup.router_agent,
                        .role = "Decides which agents deal with a request.",
                        .llm_config = client,
                        .prompt = options.system_prompt.value_or(kRouterPrompt)};
    // comparing is what the local model would do, too
    const bool is_compared =
        wanted != RouterKind::model && is_local(wins.empty() ? client.provider : engine::llm_from_spec(wins).provider);
    if (setup.router == RouterKind::local || is_compared) {
        setup.has_model = false;
        setup.router = RouterKind::local;
        return model::to_json_text(setup);
    }
    try {
        expect_model(project, wins.empty() ? client : engine::llm_from_spec(wins));
        team.agents.push_back(std::move(router));
    } catch (const Error& error) {
        if (wanted == RouterKind::model) throw;
        setup.has_model = false;
        setup.router = RouterKind::local;
        notes.push_back(
            fmt::format("the router's model cannot be asked, so agents are chosen by comparison ({})", error.what()));
    }
    return model::to_json_text(setup);
}

Millis context_lifetime_in(const Project& project)
{
    AppSettings settings;
    try {
        settings = read_appsettings(project);
    } catch (const Error&) {
        // the documents' own time
    }
    return model::orchestration::context_lifetime(settings.orchestration);
}

}  // namespace cadre::home
