#include "home/project/resolve.hpp"

#include "base/error.hpp"
#include "config/contents.hpp"
#include "config/named_files.hpp"
#include "config/prompt_templates.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "home/project/guardrails.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve_knowledge.hpp"
#include "home/project/resolve_models.hpp"
#include "home/project/resolve_workflow.hpp"
#include "home/project/rule_arguments.hpp"
#include "model/built_in_tools.hpp"
#include "model/team.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using config::FileKind;

void place_programs(model::Team& team, const config::File& file)
{
    for (model::Tool& tool : team.tools) {
        if (tool.type != model::ToolType::custom || !tool.path) continue;
        const auto named = config::find_named(*tool.path, file.path, file.root);
        if (named.fault.empty()) tool.path = named.path.string();
    }
}

/// A tool that is listed with its server may be called by its name alone; whoever creates the task asks that server.
void name_servers(model::Team& team, const config::Contents& contents)
{
    const auto is_ours = [&](const std::string& name) {
        return std::ranges::find(model::kBuiltInTools, name) != std::end(model::kBuiltInTools) ||
               std::ranges::find(team.tools, name, &model::Tool::name) != team.tools.end();
    };
    const auto is_server = [&](const std::string& name) {
        return std::ranges::find(contents.names.servers, name, &config::Name::value) != contents.names.servers.end();
    };
    for (model::Agent& agent : team.agents)
        for (std::string& name : agent.tools)
            for (const config::Offer& offer : contents.offers)
                if (offer.tool == name && !is_ours(name) && is_server(offer.server)) {
                    name = offer.server + "." + name;
                    break;
                }
}

std::optional<model::Team> team_in(const config::Contents& contents, const config::File& file)
{
    for (const auto& team : contents.teams)
        if (team.file == &file) return team.value;
    for (const auto& agent : contents.agents)
        if (agent.file == &file)
            return model::Team{.name = agent.value.name, .description = agent.value.role, .agents = {agent.value}};
    return std::nullopt;
}

}  // namespace

namespace {

void check_guardrails(const model::Team& team, const config::File& file, config::Findings& findings)
{
    check_policies(team.guardrail_policies, {"guardrail_policies"}, file, findings);
    for (std::size_t i = 0; i < team.guardrail_policies.size(); ++i) {
        const model::GuardrailPolicy& policy = team.guardrail_policies[i];
        const bool is_named = std::ranges::any_of(team.agents, [&](const model::Agent& agent) {
            return std::ranges::find(agent.guardrail_policies, policy.name) != agent.guardrail_policies.end();
        });
        if (policy.everywhere || is_named) continue;
        // one that holds for nobody protects nobody
        const config::PathSteps path{"guardrail_policies", i};
        const config::Found found = config::find(file.document->value, file.document->root, path);
        findings.warn(file.shown, found.place->key,
                      model::path_text(path) + ": holds for no agent; name it under guardrail_policies of an agent, or "
                                               "write everywhere: true");
    }
}

/// A team of agents that have nothing but the templates that the file names, be the rest of it as it may.
model::Team named_templates(const config::File& file)
{
    model::Team team;
    const auto* root = file.document ? file.document->value.if_object() : nullptr;
    if (!root) return team;
    const auto take = [&](const boost::json::value& agent) {
        const auto* object = agent.if_object();
        const auto* path = object ? object->if_contains("prompt_template") : nullptr;
        if (path && path->is_string()) team.agents.push_back({.prompt_template = std::string(path->get_string())});
    };
    take(file.document->value);
    if (const auto* agents = root->if_contains("agents"); agents && agents->is_array())
        for (const boost::json::value& agent : agents->get_array()) take(agent);
    return team;
}

}  // namespace

std::vector<std::string> provider_names_of(const Project& project)
{
    std::vector<std::string> names;
    for (const auto& [name, provider] : project.providers().providers) names.push_back(name);
    return names;
}

void complete(model::Team& team, const config::File& file, const config::Contents& contents, const Project& project,
              const std::string& model, Resolution& result)
{
    config::take_templates(team, file, result.findings);
    place_programs(team, file);
    name_servers(team, contents);
    add_knowledge(team, file, project, result.findings);
    check_guardrails(team, file, result.findings);
    check_rule_arguments(team, file, result.findings);
    auto lacking = resolve_models(team, file, project, model.empty() ? &result.findings : nullptr);
    if (lacking && !result.no_model) result.no_model = std::move(lacking);
}

Resolution resolve(const Project& project, const fs::path& path, const std::string& model, bool by_itself)
{
    config::Findings all;
    config::Variables variables = project.reading();
    config::Contents contents = project.contents();
    config::add_file(contents, {.path = path, .root = project.root_of(path), .shown = project.shown(path)}, variables,
                     all);
    const config::File& file = *contents.files.back();
    Resolution result{.kind = file.kind};
    contents.open.items = !by_itself;
    if (file.kind == FileKind::workflow) return resolve_workflow(std::move(contents), project, model, std::move(all));
    auto team = team_in(contents, file);
    if (team) {
        contents.open.teams = contents.open.agents = contents.open.aliases = true;  // of which only this one was read
        config::check_meaning(contents, project.place().environment, all);
        if (model.empty())
            config::check_provider_references(contents, provider_names_of(project), project.place().environment, all);
    }
    // what is wrong with other files is told by those who need them
    for (const config::Finding& finding : all.list())
        if (finding.file == file.shown) result.findings.add(finding);
    result.findings.add_left_out(all, file.shown);
    if (!team || result.findings.errors() > 0) {
        model::Team named = named_templates(file);
        config::take_templates(named, file, result.findings);  // what is wrong with these is told in the same go
        return result;
    }
    result.team = std::move(*team);
    complete(result.team, file, contents, project, model, result);
    return result;
}

}  // namespace cadre::home
