// Two things of one name, and files that are not called what they hold.
#include "base/error.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/names.hpp"

#include <fmt/core.h>

#include <map>

namespace cadre::config {

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
    const Place& place = *find(name.file->document->value, name.file->document->root, name.path).place;
    if (findings.has_error_at(name.file->shown, place.at)) return;
    const bool may_be_told = place.written.empty();  // what a variable holds may not
    const std::string fix =
        may_be_told ? fmt::format("the file to {}{}", name.value, name.file->path.extension().string()) : "one of them";
    report(name.path,
           fmt::format("{} is in the file {}, and would not be found by its name; rename {}", cadre::quoted(name.value),
                       name.file->path.filename().string(), fix),
           *name.file->document, findings);
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
    for (const auto& tool : contents.tools) {
        if (tool.value.name.empty()) continue;
        const auto [first, is_new] = owners.emplace(tool.value.name, &tool);
        if (is_new || is_same_server_elsewhere(*first->second, tool)) continue;
        report(joined(tool.path, {"name"}),
               fmt::format("{} already belongs to server {}; a tool has one server", cadre::quoted(tool.value.name),
                           cadre::quoted(first->second->value.server)),
               *tool.file->document, findings);
    }

    std::map<std::string, const Placed<model::Agent>*> aliases;
    for (const auto& agent : contents.agents) {
        if (agent.value.name.empty()) continue;
        const auto [first, is_new] = aliases.emplace(model::alias_of(agent.value), &agent);
        if (is_new || first->second->value.name == agent.value.name) continue;
        report({agent.value.alias ? "alias" : "name"},
               fmt::format("the alias {} is already that of agent {} in {}; give one of them another",
                           cadre::quoted(first->first), cadre::quoted(first->second->value.name),
                           first->second->file->shown),
               *agent.file->document, findings);
    }
}

}  // namespace cadre::config
