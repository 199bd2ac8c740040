// Two things of one name, and files that are not called what they hold.
#include "base/error.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/names.hpp"

#include <fmt/core.h>

#include <map>
#include <set>

namespace cadre::config {

namespace {

std::string shown_place(const Name& name)
{
    const Position at = name.file->document->value_at(name.path);
    return fmt::format("{}:{}:{}", name.file->shown, at.line, at.column);
}

using Files = std::set<const File*>;

/// Two files of which one holds all there is of its kind; the later one is told about, and nothing that it repeats.
Files expect_single_files(const Contents& contents, Findings& findings)
{
    std::map<std::pair<FileKind, std::string>, const File*> seen;
    Files doubles;
    for (const auto& read : contents.files) {
        using enum FileKind;
        const File& file = *read;
        const bool is_single = file.kind == mcp_servers || file.kind == retention || file.kind == channels ||
                               file.kind == style_guide || file.kind == domains || file.kind == appsettings ||
                               file.kind == providers || file.kind == accounts || file.kind == guardrails;
        if (!is_single || kind_by_name(file.path) != file.kind) continue;
        const auto [first, is_new] = seen.emplace(std::pair(*file.kind, file.path.stem().string()), &file);
        if (is_new) continue;
        doubles.insert(&file);
        findings.error(file.shown, {},
                       fmt::format("is {0}, and {1} is one too, which may say otherwise; put both into {1}",
                                   name_of(*file.kind), first->second->shown));
    }
    return doubles;
}

/// Two of one kind with one name; the later one is told about.
void expect_distinct(const std::vector<Name>& names, std::string_view kind, const Files& doubles, Findings& findings,
                     bool twins_in_a_file_are_known = false)
{
    std::map<std::string, const Name*> seen;
    for (const Name& name : names)
        if (doubles.contains(name.file)) continue;
        else if (const auto [first, is_new] = seen.emplace(name.value, &name);
                 !is_new && !(twins_in_a_file_are_known && first->second->file == name.file))
            report(name.path,
                   fmt::format("{} is already the name of the {} at {}; rename one of them", in_quotes(name.value),
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
           fmt::format("{} is in the file {}, and would not be found by its name; rename {}", in_quotes(name.value),
                       name.file->path.filename().string(), fix),
           *name.file->document, findings);
}

/// A server that is in two files was told about; its tools are then there twice too.
bool is_same_server_elsewhere(const Placed<model::framework::Tool>& a, const Placed<model::framework::Tool>& b)
{
    return a.value.server == b.value.server && a.file != b.file;
}

void expect_distinct_ids(const std::vector<Placed<model::Team>>& teams, Findings& findings)
{
    std::map<std::string, const Placed<model::Team>*> seen;
    for (const auto& team : teams) {
        const std::string id = team.value.id ? *team.value.id : model::slugified(team.value.name);
        const auto [first, is_new] = seen.emplace(id, &team);
        if (is_new || (!team.value.id && !first->second->value.id)) continue;  // of names alone was told
        report({team.value.id ? "id" : "name"},
               fmt::format("the id {} is already that of the team in {}; give one of them another", in_quotes(id),
                           first->second->file->shown),
               *team.file->document, findings);
    }
}

/// Agents that A2A could not tell apart. Two teams may each have a writer; but an alias that somebody chose is for one agent.
class Aliases {
public:
    explicit Aliases(Findings& findings) : findings_(findings) {}

    void add(const model::Agent& agent, const File& file, const PathSteps& path)
    {
        if (agent.name.empty()) return;
        const auto [first, is_new] = seen_.emplace(model::alias_of(agent), Owner{&agent, &file});
        if (is_new || first->second.file == &file) return;
        const model::Agent& other = *first->second.agent;
        const bool is_chosen = agent.alias || other.alias;
        if (agent.name == other.name && (!is_chosen || path.empty())) return;
        report(joined(path, {agent.alias ? "alias" : "name"}),
               fmt::format("the alias {} is already that of agent {} in {}; give one of them another",
                           in_quotes(first->first), in_quotes(other.name), first->second.file->shown),
               *file.document, findings_);
    }

private:
    struct Owner {
        const model::Agent* agent;
        const File* file;
    };
    Findings& findings_;
    std::map<std::string, Owner> seen_;
};

}  // namespace

void check_clashes(const Contents& contents, Findings& findings)
{
    const Files doubles = expect_single_files(contents, findings);
    expect_distinct(contents.names.agents, "agent", doubles, findings);
    expect_distinct(contents.names.workflows, "workflow", doubles, findings);
    expect_distinct(contents.names.teams, "team", doubles, findings);
    expect_distinct(contents.names.domains, "domain", doubles, findings);
    expect_distinct(contents.names.servers, "server", doubles, findings, true);
    expect_distinct_ids(contents.teams, findings);
    for (const auto* names : {&contents.names.agents, &contents.names.workflows})
        for (const Name& name : *names) expect_file_name(name, findings);

    // a tool belongs to exactly one server
    std::map<std::string, const Placed<model::framework::Tool>*> owners;
    for (const auto& tool : contents.tools) {
        if (tool.value.name.empty() || doubles.contains(tool.file)) continue;
        const auto [first, is_new] = owners.emplace(tool.value.name, &tool);
        if (is_new || is_same_server_elsewhere(*first->second, tool)) continue;
        report(joined(tool.path, {"name"}),
               fmt::format("{} already belongs to server {}; a tool has one server: rename or remove one",
                           in_quotes(tool.value.name), in_quotes(first->second->value.server)),
               *tool.file->document, findings);
    }

    Aliases aliases(findings);
    for (const auto& [agent, file, path] : contents.agents) aliases.add(agent, *file, path);
    for (const auto& [team, file, path] : contents.teams)
        for (std::size_t i = 0; i < team.agents.size(); ++i) aliases.add(team.agents[i], *file, {"agents", i});
}

}  // namespace cadre::config
