// What there is to run: teams, agents, workflows and models of the project and the home.
#include "config/project.hpp"
#include "base/async.hpp"
#include "base/pool.hpp"
#include "base/sha256.hpp"
#include "config/document.hpp"
#include "home/home_owner.hpp"
#include "home/project/project.hpp"
#include "home/project/provider_status.hpp"
#include "home/project/resolve.hpp"
#include "model/describe.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"

#include <filesystem>
#include <memory>
#include <set>

namespace cadre::server {
namespace {

namespace fs = std::filesystem;
using config::FileKind;
using model::Entity;
using model::field;
using model::Home;

struct TeamSummary {
    std::string id{};
    std::string name{};
    std::string description{};
    std::string version{};
    std::vector<std::string> agents{};
    std::string source{};
    std::string etag{};
    bool valid = false;
};

const Entity& describe(const TeamSummary*)
{
    static const Entity entity{
        .name = "team_summary",
        .doc = "A team, an agent or a workflow that can be run.",
        .fields = {field("id", &TeamSummary::id, "What `team`, `agent` or `workflow` of a new task names."),
                   field("name", &TeamSummary::name, "For people."),
                   field("description", &TeamSummary::description, "What it is for."),
                   field("version", &TeamSummary::version, "Of its file."),
                   field("agents", &TeamSummary::agents, "Who is in it."),
                   field("source", &TeamSummary::source, "project or home."),
                   field("etag", &TeamSummary::etag, "Changes when what it says changes."),
                   field("valid", &TeamSummary::valid, "Whether `check` finds no error in it.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct TeamList {
    std::vector<TeamSummary> teams{};
};

const Entity& describe(const TeamList*)
{
    static const Entity entity{.name = "team_list",
                               .doc = "What can be run.",
                               .fields = {field("teams", &TeamList::teams, "By name.")},
                               .home = {Home::Kind::message}};
    return entity;
}

/// A file of the kind, by the name that tasks know it by.
struct Named {
    std::string id{};
    fs::path file{};
    bool in_project = true;
};

/// Those of the project win over the home's.
std::vector<Named> all_named(const home::Project& project, std::string_view folder)
{
    std::vector<Named> all;
    std::set<std::string> known;
    for (const fs::path& root : {project.folder(), project.home()})
        for (const fs::path& file : config::files_of(root)) {
            if (file.parent_path().filename() != folder || config::kind_by_name(file) == FileKind::test) continue;
            if (known.insert(file.stem().string()).second)
                all.push_back({file.stem().string(), file, root == project.folder()});
        }
    std::ranges::sort(all, {}, &Named::id);
    return all;
}

std::string team_tag(const model::Team& team)
{
    std::string tag = "\"";
    append_hex(tag, sha256(model::to_json_text(team)));
    return tag.substr(0, 33) + "\"";
}

TeamSummary summary_of(const home::Project& project, const Named& named)
{
    TeamSummary view{.id = named.id, .name = named.id, .source = named.in_project ? "project" : "home"};
    const home::Resolution found = home::resolve(project, named.file);
    view.valid = found.findings.errors() == 0 && !found.no_model;
    if (!found.team.name.empty()) view.name = found.team.name;
    view.description = found.team.description;
    view.version = found.team.version;
    for (const model::Agent& agent : found.team.agents) view.agents.push_back(agent.name);
    view.etag = team_tag(found.team);
    return view;
}

std::shared_ptr<const home::Project> project_of(Call& call)
{
    home::Runtime& home = call.service().home.runtime();
    return home.projects().open(home.place().folder);
}

/// Reading files blocks, so it is done elsewhere.
Async<TeamList> list_of(Call& call, std::string folder)
{
    co_return co_await on(call.service().home.runtime().host().env().pool, [project = project_of(call), folder] {
        TeamList list;
        for (const Named& named : all_named(*project, folder)) list.teams.push_back(summary_of(*project, named));
        return list;
    });
}

Async<TeamList> teams(Call& call)
{
    co_return co_await list_of(call, "teams");
}

Async<TeamList> agents(Call& call)
{
    co_return co_await list_of(call, "agents");
}

Async<TeamList> workflows(Call& call)
{
    co_return co_await list_of(call, "workflows");
}

/// As it would run, secrets left out.
Async<model::Team> team(Call& call)
{
    const std::string id = call.path("team_id");
    const auto project = project_of(call);
    model::Team team = co_await on(call.service().home.runtime().host().env().pool, [project, id] {
        for (const Named& named : all_named(*project, "teams"))
            if (named.id == id) {
                home::Resolution found = home::resolve(*project, named.file);
                found.findings.raise();
                return found.team;
            }
        throw Error(Code::not_found, "there is no team called " + in_quotes(id) + "; /teams lists them");
    });
    call.add_header("ETag", team_tag(team));
    co_return team;
}

// ---- models ----

struct ModelView {
    std::string provider{};
    std::string model{};
    bool has_key = false;
    std::string problem{};
};

const Entity& describe(const ModelView*)
{
    static const Entity entity{
        .name = "model_view",
        .doc = "A model that is known.",
        .fields = {field("provider", &ModelView::provider, "Whose."),
                   field("model", &ModelView::model, "Which: provider/model names it."),
                   field("has_key", &ModelView::has_key, "Whether the server has a key for it."),
                   field("problem", &ModelView::problem, "Why it cannot be asked; empty: it can.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct ModelList {
    std::vector<ModelView> models{};
};

const Entity& describe(const ModelList*)
{
    static const Entity entity{.name = "model_list",
                               .doc = "Models that are known.",
                               .fields = {field("models", &ModelList::models, "By provider.")},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<ModelList> models(Call& call)
{
    ModelList list;
    for (const home::ProviderStatus& provider : home::all_providers(*project_of(call)))
        for (const home::ModelStatus& model : provider.models)
            list.models.push_back({provider.name(), model.name, provider.has_key(), provider.problem});
    co_return list;
}

}  // namespace

std::vector<Route> project_routes()
{
    return {
        typed({.path = "/teams", .name = "list_teams", .doc = "Teams that can be run.", .requirements = "API-26"},
              teams),
        typed({.path = "/teams/{team_id}",
               .name = "get_team",
               .doc = "A team as it would run.",
               .requirements = "API-28"},
              team),
        typed({.path = "/agents", .name = "list_agents", .doc = "Agents that can be run by themselves."}, agents),
        typed({.path = "/workflows", .name = "list_workflows", .doc = "Workflows that can be run."}, workflows),
        typed(
            {.path = "/models", .name = "list_models", .doc = "Models that are known, and whether they can be asked."},
            models),
    };
}

}  // namespace cadre::server
