// Two things of one name, and files that are not called what they hold or name files that are not there.
#include "base/error.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/names.hpp"

#include <fmt/core.h>

#include <map>
#include <system_error>

namespace cadre::config {

namespace fs = std::filesystem;

namespace {

std::string shown_place(const Name& name)
{
    const Position at = name.file->document->value_at(name.path);
    return fmt::format("{}:{}:{}", name.file->shown, at.line, at.column);
}

/// Two of one kind with one name; the later one is told about.
void expect_distinct(const std::vector<Name>& names, std::string_view kind, Findings& findings,
                     bool twins_in_a_file_are_known = false)
{
    std::map<std::string, const Name*> seen;
    for (const Name& name : names)
        if (const auto [first, is_new] = seen.emplace(name.value, &name);
            !is_new && !(twins_in_a_file_are_known && first->second->file == name.file))
            report(name.path,
                   fmt::format("{} is already the name of the {} at {}; rename one of them", cadre::quoted(name.value),
                               kind, shown_place(*first->second)),
                   *name.file->document, findings);
}

/// Names are looked up by the file's name (C-17), so a file that is called otherwise would never be found.
void expect_file_name(const Name& name, Findings& findings)
{
    const std::string stem = name.file->path.stem().string();
    const std::string folder = name.file->path.parent_path().filename().string();
    if (name.path.empty() || stem == name.value || (folder != "agents" && folder != "workflows")) return;
    if (findings.has_error_at(name.file->shown, name.file->document->value_at(name.path))) return;
    report(name.path,
           fmt::format("{} is in the file {}, and would not be found by its name; rename the file to {}{}",
                       cadre::quoted(name.value), name.file->path.filename().string(), name.value,
                       name.file->path.extension().string()),
           *name.file->document, findings);
}

void expect_file(const std::string& named, const File& file, const std::string& path, const fs::path& project,
                 std::string_view what, Findings& findings)
{
    std::error_code error;
    const fs::path wanted(named);
    for (const fs::path& folder : {file.path.parent_path(), project})
        if (fs::is_regular_file(folder / wanted, error)) return;
    report(path,
           fmt::format("the {} {} does not exist, neither beside this file nor in the project", what,
                       cadre::quoted(named)),
           *file.document, findings);
}

/// A server that is in two files was told about; its tools are then there twice too.
bool is_same_server_elsewhere(const Placed<model::framework::Tool>& a, const Placed<model::framework::Tool>& b)
{
    return a.value.server == b.value.server && a.file != b.file;
}

}  // namespace

void check_clashes(const Contents& contents, Findings& findings)
{
    expect_distinct(contents.names.agents, "agent", findings);
    expect_distinct(contents.names.workflows, "workflow", findings);
    expect_distinct(contents.names.teams, "team", findings);
    expect_distinct(contents.names.domains, "domain", findings);
    expect_distinct(contents.names.servers, "server", findings, true);
    for (const auto* names : {&contents.names.agents, &contents.names.workflows})
        for (const Name& name : *names) expect_file_name(name, findings);

    // a tool belongs to exactly one server
    std::map<std::string, const Placed<model::framework::Tool>*> owners;
    for (const auto& tool : contents.tools)
        if (const auto [first, is_new] = owners.emplace(tool.value.name, &tool);
            !is_new && !is_same_server_elsewhere(*first->second, tool))
            report(joined(tool.path, "name"),
                   fmt::format("{} already belongs to server {}; a tool has one server", cadre::quoted(tool.value.name),
                               cadre::quoted(first->second->value.server)),
                   *tool.file->document, findings);

    std::map<std::string, const Placed<model::Agent>*> aliases;
    for (const auto& agent : contents.agents) {
        const auto [first, is_new] = aliases.emplace(model::alias_of(agent.value), &agent);
        if (is_new || first->second->value.name == agent.value.name) continue;
        report(agent.value.alias ? "alias" : "name",
               fmt::format("the alias {} is already that of agent {} in {}; give one of them another",
                           cadre::quoted(first->first), cadre::quoted(first->second->value.name),
                           first->second->file->shown),
               *agent.file->document, findings);
    }
}

void check_named_files(const Contents& contents, const fs::path& project, Findings& findings)
{
    const auto agent_files = [&](const model::Agent& agent, const File& file, const std::string& path) {
        if (agent.prompt_template)
            expect_file(*agent.prompt_template, file, joined(path, "prompt_template"), project, "template", findings);
    };
    for (const auto& [agent, file, at] : contents.agents) agent_files(agent, *file, at);
    for (const auto& [team, file, at] : contents.teams) {
        for (std::size_t i = 0; i < team.agents.size(); ++i) agent_files(team.agents[i], *file, element("agents", i));
        for (std::size_t i = 0; i < team.tools.size(); ++i) {
            const model::Tool& tool = team.tools[i];
            // a program without a slash is looked for in PATH, which is not ours to search here
            if (tool.type == model::ToolType::custom && tool.path && tool.path->find('/') != std::string::npos)
                expect_file(*tool.path, *file, joined(element("tools", i), "path"), project, "program", findings);
        }
    }
}

}  // namespace cadre::config
