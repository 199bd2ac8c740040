#include "config/contents.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "config/interpolate.hpp"
#include "config/project.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "config/secrets.hpp"
#include "model/read.hpp"
#include "model/team_check.hpp"
#include "model/views/conversation_config.hpp"
#include "model/views/framework_retention.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cadre::config {

namespace {

namespace framework = model::framework;

/// The names of the objects in a list; what has none is passed over.
void add_names(const File& file, std::string_view list, std::vector<Name>& names)
{
    const auto* array = file.document->value.as_object().if_contains(list);
    if (!array || !array->is_array()) return;
    for (std::size_t i = 0; i < array->get_array().size(); ++i) {
        const auto* object = array->get_array()[i].if_object();
        const auto* name = object ? object->if_contains("name") : nullptr;
        if (name && name->is_string())
            names.push_back({std::string(name->get_string()), &file, joined(element(list, i), "name")});
    }
}

void add_own_name(const File& file, std::vector<Name>& names)
{
    const auto* name = file.document->value.as_object().if_contains("name");
    if (name && name->is_string()) names.push_back({std::string(name->get_string()), &file, "name"});
    else names.push_back({file.path.stem().string(), &file, ""});  // it is meant to have that one
}

/// Reads the whole file as a T.
template <class T>
std::optional<T> whole(File& file, Findings& findings)
{
    T entity{};
    if (read_into(file.document->value, *file.document, &entity, describe(&entity), findings)) return entity;
    return std::nullopt;
}

template <class T>
void add_whole(File& file, std::vector<Placed<T>>& things, Findings& findings)
{
    if (auto entity = whole<T>(file, findings)) things.push_back({std::move(*entity), &file, ""});
}

/// A name that cannot be trusted makes whoever refers to it look wrong.
bool is_about_a_name(const model::Problem& problem)
{
    const std::string& path = problem.path;
    for (const char* list : {"agents", "tools", "collaboration_patterns", "guardrail_policies"})
        if (path.starts_with(list) && (path.find('.') == path.npos || path.ends_with("].name"))) return true;
    return path.empty();
}

/// Of two things with one name, one was meant to have another, so a name that nobody has may be that one.
model::Problems without_consequences(const model::Problems& problems)
{
    const bool twins = std::ranges::any_of(problems.list(), [](const model::Problem& problem) {
        return problem.path.ends_with("].name") && problem.text.ends_with(" is here twice");
    });
    model::Problems rest;
    for (const model::Problem& problem : problems.list())
        if (!twins || !problem.text.starts_with("unknown ")) rest.add(problem.path, problem.text);
    return rest;
}

/// Adds what is about paths that nothing was said of yet.
void add_new(const model::Problems& more, model::Problems& problems)
{
    for (const auto& problem : more.list())
        if (std::ranges::find(problems.list(), problem.path, &model::Problem::path) == problems.list().end())
            problems.add(problem.path, problem.text);
}

void add_team(Contents& contents, File& file, Findings& findings)
{
    add_own_name(file, contents.names.teams);
    add_names(file, "agents", contents.names.team_agents);
    add_names(file, "tools", contents.names.tools);

    Document& document = *file.document;
    convert_references(document.value, document.root, describe(static_cast<const model::Team*>(nullptr)));
    model::Team team;
    model::Problems problems;
    model::read(document.value, &team, describe(&team), {}, problems, {});
    // what must fit together is looked at even when a field is wrong: all problems in one go
    if (!problems.empty() && std::ranges::none_of(problems.list(), is_about_a_name)) {
        model::Problems more;
        check_team(team, {}, more);
        add_new(more, problems);
    }
    report(without_consequences(problems), document, findings);
    if (problems.empty()) contents.teams.push_back({std::move(team), &file, ""});
}

/// agents/x.json has the names of document 000, or those of an agent in a team file.
void add_agent(Contents& contents, File& file, Findings& findings)
{
    add_own_name(file, contents.names.agents);
    if (!file.document->value.as_object().contains("system_prompt")) {
        add_whole(file, contents.agents, findings);
        return;
    }
    if (const auto agent = whole<framework::Agent>(file, findings)) {
        try {
            contents.agents.push_back({framework::from(*agent), &file, ""});
        } catch (const Error& error) {
            findings.error(file.shown, file.document->value_at("ext"), error.what());
        }
    }
}

bool is_about_the_ways(const model::Problem& problem)
{
    return problem.path.empty() || std::ranges::any_of(std::array{"nodes", "edges", "entry_point"},
                                                       [&](const char* f) { return problem.path.starts_with(f); });
}

void add_workflow(Contents& contents, File& file, Findings& findings)
{
    Document& document = *file.document;
    convert_references(document.value, document.root, describe(static_cast<const model::Graph*>(nullptr)));
    model::Graph graph;
    model::Problems problems, others;
    model::read(document.value, &graph, describe(&graph), {}, problems, {});
    // what must fit together is looked at even when a field is wrong, unless we do not know all nodes
    const bool knows_nodes = std::ranges::none_of(
        problems.list(), [](const model::Problem& p) { return p.path.empty() || p.path == "nodes"; });
    if (!problems.empty() && knows_nodes) {
        model::Problems more;
        describe(&graph).check(&graph, {}, more);
        add_new(more, problems);
    }
    for (const auto& problem : problems.list()) {
        // the description knows only that there is a cycle; here the edge that closes it is known too
        const bool about_cycle = problem.path == "edges" && problem.text.find("cycle") != problem.text.npos;
        if (!about_cycle || !report_cycle(graph, document, findings)) others.add(problem.path, problem.text);
    }
    report(others, document, findings);
    if (std::ranges::none_of(problems.list(), is_about_the_ways))
        contents.workflows.push_back({std::move(graph), &file, ""});
    else if (knows_nodes) contents.faulty_workflows.push_back({std::move(graph), &file, ""});
}

void add_domains(Contents& contents, File& file, Findings& findings)
{
    // a bare list is read as well as one under `domains`
    json::value& value = file.document->value;
    const std::string list = value.is_array() ? "" : "domains";
    json::value* items = value.is_array() ? &value : value.as_object().if_contains("domains");
    if (value.is_object())
        for (const auto& member : value.get_object())
            if (member.key() != "domains")
                report(std::string(member.key()), "is not a field of domains, did you mean \"domains\"?",
                       *file.document, findings);
    if (!items || !items->is_array()) {
        report(list, items ? "must be a list" : "is required: a list of domains", *file.document, findings);
        return;
    }
    for (std::size_t i = 0; i < items->get_array().size(); ++i) {
        json::value& item = items->get_array()[i];
        const std::string path = element(list, i);
        const auto* name = item.is_object() ? item.get_object().if_contains("name") : nullptr;
        if (name && name->is_string())
            contents.names.domains.push_back({std::string(name->get_string()), &file, joined(path, "name")});
        model::domains::Domain domain;
        if (read_into(item, *file.document, &domain, describe(&domain), findings, path))
            contents.domains.push_back({std::move(domain), &file, path});
    }
}

void add_kind(Contents& contents, File& file, Findings& findings)
{
    const bool may_be_a_list = file.kind == FileKind::mcp_servers || file.kind == FileKind::domains;
    if (!file.document->value.is_object() && !(may_be_a_list && file.document->value.is_array())) {
        report("", fmt::format("must be {}: fields and their values", name_of(*file.kind)), *file.document, findings);
        contents.complete = false;
        return;
    }
    switch (*file.kind) {
    case FileKind::project: add_whole(file, contents.settings, findings); break;
    case FileKind::team: add_team(contents, file, findings); break;
    case FileKind::agent: add_agent(contents, file, findings); break;
    case FileKind::workflow:
        add_own_name(file, contents.names.workflows);
        add_workflow(contents, file, findings);
        break;
    case FileKind::mcp_servers: add_servers(contents, file, findings); break;
    case FileKind::retention: whole<framework::RetentionPolicy>(file, findings); break;
    case FileKind::channels: whole<model::conversation::Channels>(file, findings); break;
    case FileKind::style_guide: whole<model::conversation::StyleGuide>(file, findings); break;
    case FileKind::domains: add_domains(contents, file, findings); break;
    case FileKind::appsettings: add_whole(file, contents.appsettings, findings); break;
    }
}

/// `"$schema"` at the top tells editors what the file is; it is no field of anything.
void forget_schema(Document& document)
{
    auto* object = document.value.if_object();
    const auto found = object ? object->find("$schema") : json::object::iterator();
    if (!object || found == object->end() || !found->value().is_string()) return;
    document.root.items.erase(document.root.items.begin() + (found - object->begin()));
    object->stable_erase(found);
}

}  // namespace

std::string joined(std::string_view path, std::string_view rest)
{
    if (path.empty() || rest.empty()) return std::string(path.empty() ? rest : path);
    return fmt::format("{}{}{}", path, rest.starts_with('[') ? "" : ".", rest);
}

std::string element(std::string_view list, std::size_t index)
{
    return fmt::format("{}[{}]", list, index);
}

void add_file(Contents& contents, const std::filesystem::path& path, std::string shown, Variables& variables,
              Findings& findings)
{
    File& file = contents.files.emplace_back(File{.path = path, .shown = std::move(shown), .kind = kind_by_name(path)});
    const auto text = read_file(path, file.shown, findings);
    if (text) file.document = load(file.shown, *text, findings);
    if (!file.document) {
        contents.complete = false;
        return;
    }
    forget_schema(*file.document);
    if (const auto content = kind_by_content(file.document->value);
        content && (!file.kind || content == FileKind::mcp_servers))
        file.kind = content;
    if (!file.kind) {
        findings.error(file.shown, {},
                       "cannot tell what this is; put it into teams/, agents/ or workflows/, or give it a name that is "
                       "known, like mcp_servers.yaml");
        return;
    }
    find_secrets(*file.document, findings);
    interpolate(*file.document, variables, findings);
    add_kind(contents, file, findings);
}

}  // namespace cadre::config
