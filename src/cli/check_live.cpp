#include "cli/check_live.hpp"

#include "base/async.hpp"
#include "base/join.hpp"
#include "base/plural.hpp"
#include "base/run.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "engine/agent.hpp"
#include "home/project/project.hpp"
#include "home/project/project_tools.hpp"
#include "home/project/provider_status.hpp"
#include "home/project/resolve_workflow.hpp"
#include "home/project/trust.hpp"
#include "mcp/server.hpp"
#include "net/loop.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <set>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr Millis kModelLimit{3000};

Async<Tried> try_server(std::shared_ptr<mcp::Server> server)
{
    Tried tried{.what = "server " + server->name()};
    try {
        tried.outcome = plural((co_await server->tools())->size(), "tool");
        tried.works = true;
    } catch (const Error& error) {
        tried.outcome = with_hint(error.what(), error.hint());
        const std::string known = "MCP server " + server->name() + ": ";
        if (tried.outcome.starts_with(known)) tried.outcome.erase(0, known.size());
    }
    co_return tried;
}

Async<Tried> try_team(TeamToTry wanted, const fs::path& project, home::ProjectTools& tools)
{
    model::Team& team = wanted.team;
    const std::string kind = wanted.workflow ? "workflow " : wanted.is_agent ? "agent " : "team ";
    Tried tried{.what = kind + (wanted.workflow ? wanted.workflow->graph.name : team.name),
                .outcome = "has its tools",
                .works = true};
    try {
        co_await tools.describe(team, project);
        std::size_t changed = 0;
        for (const model::Tool& tool : team.tools) changed += tool.config.contains(model::kDefinitionChanged) ? 1 : 0;
        if (changed > 0)
            tried.outcome += fmt::format(", {} of which changed since they were first seen ({})", changed,
                                         as_typed("cadre mcp approve"));
        if (!wanted.workflow) co_return tried;
        const auto problems = home::argument_problems(*wanted.workflow, team);
        if (!problems.empty()) tried.outcome = fmt::format("{}", fmt::join(problems, "; "));
        tried.works = problems.empty();
    } catch (const Error& error) {
        tried.outcome = with_hint(error.what(), error.hint());
        tried.works = false;
    }
    co_return tried;
}

Async<std::vector<Tried>> try_tools(home::ProjectTools& tools, const fs::path& project,
                                    const std::vector<TeamToTry>& teams)
{
    std::vector<Async<Tried>> servers;
    for (auto& server : tools.servers(project)) servers.push_back(try_server(std::move(server)));
    std::vector<Tried> tried = co_await all(std::move(servers));
    for (const TeamToTry& team : teams) tried.push_back(co_await try_team(team, project, tools));
    co_await tools.close();
    co_return tried;
}

void try_models(const home::Project& project, const std::set<std::string>& used, std::vector<Tried>& tried)
{
    std::vector<std::string> names;
    std::vector<llm::Endpoint> endpoints;
    for (const home::ProviderStatus& provider : home::all_providers(project)) {
        if (!used.contains(provider.name())) continue;
        if (provider.problem.empty()) {
            home::expect_trusted(project, home::wants_of(project, provider.setup, "config/providers.yaml"));
            names.push_back(provider.name());
            endpoints.push_back(provider.setup);
        } else {
            tried.push_back({.what = "model " + provider.name(), .outcome = provider.problem + "; " + provider.fix});
        }
    }
    const std::vector<home::Reached> reached = home::reach(project.place(), endpoints, kModelLimit);
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const bool works = reached[i].problem.empty();
        tried.push_back({.what = "model " + names[i],
                         .outcome = works ? "answers in " + cadre::to_text(reached[i].took) : reached[i].problem,
                         .works = works});
    }
}

/// Those that the teams' models are of; with CADRE_MODEL, its alone.
std::set<std::string> providers_of(const ProjectToTry& wanted)
{
    std::set<std::string> providers;
    const std::string wins = wanted.project->place().environment("CADRE_MODEL").value_or("");
    for (const TeamToTry& tried : wanted.teams)
        for (const engine::Agent& agent : engine::agents_of(tried.team, wins, tried.team.execution_config.mode))
            for (const model::LlmConfig& llm : agent.models) providers.insert(llm.provider);
    return providers;
}

}  // namespace

std::vector<Tried> try_project(const ProjectToTry& wanted)
{
    home::Projects projects(place_here(), home_here(), wanted.project);
    net::Loop loop;
    home::ProjectTools tools(loop, projects, home_here(), log_here());
    std::vector<Tried> tried = run(loop, try_tools(tools, wanted.project->folder(), wanted.teams));
    try_models(*wanted.project, providers_of(wanted), tried);
    return tried;
}

std::string with_hint(std::string text, const Hint& hint)
{
    if (!hint.verb.empty()) text += fmt::format("; {}: {}", hint.purpose, as_typed("cadre " + hint.verb));
    return text;
}

std::string page_of(const std::vector<Tried>& tried, const Output& output)
{
    std::string text;
    for (const Tried& one : tried) {
        const std::string mark = one.works ? output.out.paint(Tone::green, output.utf8 ? "✓" : "*")
                                           : output.out.paint(Tone::red, output.utf8 ? "✗" : "x");
        text += fmt::format("{} {}: {}\n", mark, printable(one.what), printable(one.outcome));
    }
    return text;
}

void write(JsonWriter& json, const std::vector<Tried>& tried)
{
    json.key("live").begin_array();
    for (const Tried& one : tried)
        json.begin_object()
            .field("what", one.what)
            .field("works", one.works)
            .field("outcome", one.outcome)
            .end_object();
    json.end_array();
}

}  // namespace cadre::cli
