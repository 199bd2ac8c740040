#include "config/contents.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "config/interpolate.hpp"
#include "config/project.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "config/secrets.hpp"
#include "model/file_defaults.hpp"
#include "model/providers.hpp"
#include "model/read.hpp"
#include "model/views/conversation_config.hpp"
#include "model/views/framework_retention.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cadre::config {

namespace {

namespace framework = model::framework;
using model::ProblemKind;

/// Its name, else that of its file, which it is meant to have.
void add_own_name(const File& file, std::vector<Name>& names)
{
    if (!add_name(file.document->value, file, {}, names)) names.push_back({file.path.stem().string(), &file, {}});
}

/// The names of the things in a list. False when one of them has none that could be read.
bool add_names(const File& file, std::string_view list, std::vector<Name>& names)
{
    const auto* member = find_meant(file.document->value.as_object(), list);
    if (!member) return true;
    const auto* things = member->value().if_array();
    bool all = things;
    for (std::size_t i = 0; things && i < things->size(); ++i)
        all &= add_name((*things)[i], file, {std::string(member->key()), i}, names);
    return all;
}

/// Reads the whole file as a T. What could not be read is as in a fresh one; the rest can be checked further.
template <class T>
T whole(File& file, Findings& findings)
{
    T entity{};
    read_into(file.document->value, *file.document, &entity, describe(&entity), findings);
    return entity;
}

template <class T>
void add_whole(File& file, std::vector<Placed<T>>& things, Findings& findings)
{
    things.push_back({whole<T>(file, findings), &file, {}});
}

/// What is left out is put there, so that readers of the document find what the entity holds.
void fill_in(Document& document, std::string_view entity)
{
    json::object* object = document.value.if_object();
    if (!object) return;
    for (const model::FileDefault& one : model::file_defaults())
        if (one.entity == entity && !object->contains(one.field)) {
            object->emplace(one.field, parse_json(one.value));
            document.root.items.push_back({.at = document.root.at, .key = document.root.at});
        }
}

void add_team(Contents& contents, File& file, Findings& findings)
{
    fill_in(*file.document, "team");
    add_own_name(file, contents.names.teams);
    if (!add_names(file, "agents", contents.names.team_agents)) contents.open.agents = true;
    if (!add_names(file, "tools", contents.names.tools)) contents.open.tools = true;
    add_whole(file, contents.teams, findings);
}

template <class T>
std::size_t faults_as(const json::value& value)
{
    T entity{};
    model::Problems problems;
    model::read(value, &entity, describe(&entity), {}, problems, {});
    return without_consequences(problems).count();
}

/// agents/x.json has the names of document 000, or those of an agent in a team file. Whoever mistyped one meant the form in
/// which less is wrong.
bool has_names_of_document_000(const json::value& agent)
{
    return agent.as_object().contains("system_prompt") ||
           faults_as<framework::Agent>(agent) < faults_as<model::Agent>(agent);
}

void add_agent(Contents& contents, File& file, Findings& findings)
{
    add_own_name(file, contents.names.agents);
    if (!has_names_of_document_000(file.document->value)) return add_whole(file, contents.agents, findings);
    framework::Agent agent;
    const bool read = read_into(file.document->value, *file.document, &agent, describe(&agent), findings);
    contents.agents.push_back(
        {read ? framework::from(agent) : model::Agent{.name = agent.name, .tools = agent.tools}, &file, {}});
}

bool is_about(const model::Problem& problem, std::string_view field)
{
    return problem.place.empty() || problem.place[0] == model::PathStep(std::string(field));
}

void add_settings(Contents& contents, File& file, Findings& findings)
{
    add_whole(file, contents.settings, findings);
    // whoever wrote a project is not always who runs it, and only that one has something to lose
    if (contents.settings.back().value.sandbox == model::SandboxMode::none)
        report({"sandbox"},
               "\"none\" cannot be set by a project, only by the person who runs it: leave it out, and set "
               "CADRE_SANDBOX=none",
               *file.document, findings);
}

void add_workflow(Contents& contents, File& file, Findings& findings)
{
    add_own_name(file, contents.names.workflows);
    Document& document = *file.document;
    convert_references(document.value, document.root, describe(static_cast<const model::Graph*>(nullptr)));
    model::Graph graph;
    model::Problems problems;
    model::read(document.value, &graph, describe(&graph), {}, problems, {});
    report_cycles(graph, document, findings);
    report(problems, document, findings);
    const auto any = [&](const auto& test) { return std::ranges::any_of(problems.list(), test); };
    const bool knows_nodes = !any([](const model::Problem& p) { return is_about(p, "nodes") && p.place.size() <= 1; });
    const bool knows_ways = !any([](const model::Problem& p) {
        return is_about(p, "nodes") || is_about(p, "edges") || is_about(p, "entry_point");
    });
    if (knows_ways) contents.workflows.push_back({std::move(graph), &file, {}});
    else if (knows_nodes) contents.faulty_workflows.push_back({std::move(graph), &file, {}});
}

/// What a file of domains has beside them. Returns the name under which they stand; null: it has none.
const json::key_value_pair* members_of_domains(Contents& contents, File& file, Findings& findings)
{
    json::object& object = file.document->value.as_object();
    const auto* member = find_meant(object, "domains");
    model::Problems problems;
    for (const auto& other : object)
        if (other.key() != "domains" && other.key() != "ask")
            problems.add_unknown_field({}, other.key(), "domains",
                                       std::array{std::string("domains"), std::string("ask")});
    if (!member)
        problems.add({.kind = ProblemKind::missing, .place = {"domains"}, .text = "is required: a list of domains"});
    report(problems, *file.document, findings);
    if (json::value* ask = object.if_contains("ask")) {
        model::domains::AskOptions options;
        read_into(*ask, *file.document, &options, describe(&options), findings, {"ask"});
        contents.ask.push_back({options, &file, {"ask"}});
    }
    return member;
}

void add_domains(Contents& contents, File& file, Findings& findings)
{
    json::value* items = &file.document->value;  // a bare list is read as well as one under `domains`
    PathSteps list;
    if (auto* object = items->if_object()) {
        const auto* member = members_of_domains(contents, file, findings);
        if (!member) return;
        list = {std::string(member->key())};
        items = &object->at(member->key());
    }
    if (!items->is_array()) {
        contents.open.domains = true;
        return report(list, "must be a list", *file.document, findings);
    }
    for (std::size_t i = 0; i < items->get_array().size(); ++i) {
        json::value& item = items->get_array()[i];
        const PathSteps path = joined(list, {i});
        if (!add_name(item, file, path, contents.names.domains)) contents.open.domains = true;
        model::domains::Domain domain;
        read_into(item, *file.document, &domain, describe(&domain), findings, path);
        contents.domains.push_back({std::move(domain), &file, path});
    }
}

void add_providers(Contents& contents, File& file, Findings& findings)
{
    const auto* member = find_meant(file.document->value.as_object(), "providers");
    const auto* all = member ? member->value().if_object() : nullptr;
    if (!all) contents.open.providers = true;
    for (std::size_t i = 0; all && i < all->size(); ++i) {
        const std::string name((all->begin() + static_cast<std::ptrdiff_t>(i))->key());
        contents.names.providers.push_back({name, &file, {std::string(member->key()), name}});
    }
    whole<model::Providers>(file, findings);
}

/// What stands in a file that cannot be read may be what others refer to.
void open_names(Contents& contents, const File& file)
{
    auto& open = contents.open;
    // a folder that cannot be read stands for its files; config/ holds all the kinds that have no folder of their own
    const auto kind = file.kind ? file.kind : kind_by_name(file.path / "any");
    if (!kind) {
        open.servers = open.tools = open.domains = open.providers = true;
        return;
    }
    switch (*kind) {
    case FileKind::team: open.teams = open.agents = open.aliases = open.tools = true; break;
    case FileKind::agent:
        open.aliases = true;
        open.agents |= !file.kind;  // a file tells its agent's name by its own
        break;
    case FileKind::mcp_servers: open.servers = open.tools = true; break;
    case FileKind::domains: open.domains = true; break;
    case FileKind::providers: open.providers = true; break;
    case FileKind::workflow: open.workflows = true; break;
    case FileKind::project:
    case FileKind::retention:
    case FileKind::channels:
    case FileKind::accounts:
    case FileKind::style_guide:
    case FileKind::appsettings:
    case FileKind::guardrails:
    case FileKind::test: break;
    }
}

/// Servers in a file that has none are told about by the name of their block, and not by everyone who uses them too.
void open_misplaced_servers(Contents& contents, const File& file)
{
    const auto* object = file.document->value.if_object();
    if (!object || file.kind == FileKind::mcp_servers || !object->contains(kDesktopBlock)) return;
    contents.open.servers = contents.open.tools = true;
}

void add_kind(Contents& contents, File& file, Findings& findings)
{
    const bool may_be_a_list = file.kind == FileKind::mcp_servers || file.kind == FileKind::domains;
    if (!file.document->value.is_object() && !(may_be_a_list && file.document->value.is_array())) {
        open_names(contents, file);
        return report({}, fmt::format("must be {}: fields and their values", name_of(*file.kind)), *file.document,
                      findings);
    }
    open_misplaced_servers(contents, file);
    switch (*file.kind) {
    case FileKind::project: add_settings(contents, file, findings); break;
    case FileKind::team: add_team(contents, file, findings); break;
    case FileKind::agent: add_agent(contents, file, findings); break;
    case FileKind::workflow: add_workflow(contents, file, findings); break;
    case FileKind::mcp_servers: add_servers(contents, file, findings); break;
    case FileKind::retention: add_whole(file, contents.retention, findings); break;
    case FileKind::channels: whole<model::conversation::Channels>(file, findings); break;
    case FileKind::accounts: add_whole(file, contents.accounts, findings); break;
    case FileKind::style_guide: whole<model::conversation::StyleGuide>(file, findings); break;
    case FileKind::domains: add_domains(contents, file, findings); break;
    case FileKind::appsettings: add_whole(file, contents.appsettings, findings); break;
    case FileKind::providers: add_providers(contents, file, findings); break;
    case FileKind::guardrails: add_whole(file, contents.guardrails, findings); break;
    case FileKind::test: add_whole(file, contents.tests, findings); break;
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

/// What a file in the folder of another kind is, told by what stands in it.
std::optional<FileKind> find_misplaced(const File& file)
{
    if (!folder_of(*file.kind) || file.path.parent_path().filename() != *folder_of(*file.kind)) return std::nullopt;
    const auto kind = kind_by_content(file.document->value);
    return kind && kind != file.kind && folder_of(*kind) ? kind : std::nullopt;
}

}  // namespace

const json::key_value_pair* find_meant(const json::object& object, std::string_view field)
{
    if (const auto found = object.find(field); found != object.end()) return &*found;
    const std::vector<std::string> wanted{std::string(field)};
    const auto near =
        std::ranges::find_if(object, [&](const auto& member) { return nearest(member.key(), wanted).has_value(); });
    return near == object.end() ? nullptr : &*near;
}

bool add_name(const json::value& thing, const File& file, const PathSteps& path, std::vector<Name>& names)
{
    const auto* object = thing.if_object();
    const auto* member = object ? find_meant(*object, "name") : nullptr;
    if (!member || !member->value().is_string()) return false;
    names.push_back({std::string(member->value().get_string()), &file, joined(path, {std::string(member->key())})});
    return true;
}

void add_file(Contents& contents, File added, Variables& variables, Findings& findings)
{
    const auto owned = std::make_shared<File>(std::move(added));
    contents.files.push_back(owned);
    File& file = *owned;
    file.kind = kind_by_name(file.path);
    const auto text = read_file(file.path, file.shown, findings);
    if (text) file.document = load(file.shown, *text, findings);
    if (!file.document) return open_names(contents, file);
    forget_schema(*file.document);
    if (!file.kind) file.kind = kind_by_content(file.document->value);
    if (!file.kind) {
        findings.error(file.shown, {},
                       "cannot tell what this is; put it into teams/, agents/ or workflows/, or give it a name that is "
                       "known, like mcp_servers.yaml");
        return;
    }
    find_secrets(*file.document, findings);
    if (const auto meant = find_misplaced(file)) {
        open_names(contents, file);
        file.kind = *meant;
        open_names(contents, file);
        contents.open.agents = true;  // whatever it is called, it is not there
        return findings.error(file.shown, {},
                              fmt::format("this looks like {}; move it to {}/", name_of(*meant), *folder_of(*meant)));
    }
    // a test says the same wherever it runs, and what it quotes of models and people is not ours to change
    if (file.kind != FileKind::test) interpolate(*file.document, variables, findings);
    add_kind(contents, file, findings);
}

}  // namespace cadre::config
