// What there is to run: teams, agents, workflows and models of the project and the home.
#include "home/project/project.hpp"
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "home/home_owner.hpp"
#include "home/project/provider_status.hpp"
#include "home/project/resolve.hpp"
#include "model/describe.hpp"
#include "model/format.hpp"
#include "server/call.hpp"
#include "server/named_teams.hpp"
#include "server/routes/routes.hpp"
#include "server/sent_teams.hpp"
#include "server/service.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

namespace cadre::server {
namespace {

namespace fs = std::filesystem;
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
                   field("source", &TeamSummary::source, "project, home, or api: a client has sent it."),
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

TeamSummary summary_of(const home::Project& project, const Named& named)
{
    TeamSummary view{.id = named.id, .name = named.id, .source = std::string(named.source)};
    const home::Resolution found = home::resolve(project, named.file);
    view.valid =
        found.findings.errors() == 0 && (!found.no_model || found.no_model->severity != config::Severity::error);
    if (!found.team.name.empty()) view.name = found.team.name;
    view.description = found.team.description;
    view.version = found.team.version;
    for (const model::Agent& agent : found.team.agents) view.agents.push_back(agent.name);
    view.etag = team_tag(found.team);
    return view;
}

/// Reading files blocks, so it is done elsewhere.
Async<TeamList> list_of(Call& call, std::string folder)
{
    const fs::path sent = sent_folder(call);
    co_return co_await on(pool_of(call), [project = project_of(call), sent, folder] {
        TeamList list;
        for (const Named& named : all_named(*project, sent, folder)) list.teams.push_back(summary_of(*project, named));
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
    const fs::path sent = sent_folder(call);
    model::Team team = co_await on(pool_of(call), [project = project_of(call), sent, id] {
        return team_in(*project, get_named_team(*project, sent, id));
    });
    call.add_header("ETag", team_tag(team));
    co_return public_team(std::move(team));
}

// ---- teams that clients send ----

void expect_team_id(const std::string& id)
{
    if (model::matches(model::Format::file_name, id)) return;
    model::Problems problems;
    problems.add(model::Path({}, "name"), "is not a name that a team can be found by: letters, digits, - and _");
    throw BadRequest(std::move(problems));
}

/// What was sent, as it was sent: what it leaves out is the project's to say.
struct SentTeam {
    std::string text{};
    std::string id{};
};

Async<SentTeam> sent_team(Call& call)
{
    const boost::json::value body = co_await call.json();
    model::Team team;
    model::Problems problems;
    model::read_value(body, &team, model::type_of<model::Team>(), {}, problems, {});
    if (!problems.empty()) throw BadRequest(std::move(problems));
    expect_harmless(body);
    co_return SentTeam{to_text(body), team.id.value_or(team.name)};
}

Async<model::Team> create_team(Call& call)
{
    const SentTeam body = co_await sent_team(call);
    expect_team_id(body.id);
    const fs::path sent = sent_folder(call);
    const bool was_cut_off = call.cut_off_at().has_value();
    const auto turn = co_await call.service().teams.lock();
    model::Team team = co_await on(pool_of(call), [project = project_of(call), sent, body, was_cut_off] {
        const auto named = find_named_team(*project, sent, body.id);
        if (named && was_cut_off && named->source == "api" && says(named->file, body.text))
            return team_in(*project, *named);
        if (named)
            throw Refusal(409, Code::conflict, "exists", "there is a team called " + in_quotes(body.id) + " already");
        return keep_team(*project, sent, body.id, body.text);
    });
    call.add_header("Location", "/teams/" + body.id);
    call.add_header("ETag", team_tag(team));
    co_return public_team(std::move(team));
}

Async<model::Team> replace_team(Call& call)
{
    const SentTeam body = co_await sent_team(call);
    const std::string id = call.path("team_id");
    const fs::path sent = sent_folder(call);
    const std::string known(call.header("If-Match"));
    const bool was_cut_off = call.cut_off_at().has_value();
    const auto turn = co_await call.service().teams.lock();
    model::Team team = co_await on(pool_of(call), [project = project_of(call), sent, id, known, body, was_cut_off] {
        const Named named = get_named_team(*project, sent, id);
        if (was_cut_off && named.source == "api" && says(named.file, body.text)) return team_in(*project, named);
        expect_can_change(*project, named, known);
        return keep_team(*project, sent, id, body.text);
    });
    call.add_header("ETag", team_tag(team));
    co_return public_team(std::move(team));
}

constexpr Fault kOperatorOnly{403, "operator_only",
                              "Names a program, an address, a file, a key or a variable: `fields` says where."};
constexpr std::array kCreateTeamFaults = {kOperatorOnly, Fault{409, "exists", "There is such a team."}};
constexpr std::array kReplaceTeamFaults = {kOperatorOnly,
                                           Fault{409, "read_only", "It is a file of the project or the home."},
                                           Fault{412, "changed", "It is not the one that If-Match names."}};

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
        typed({.method = Method::post,
               .path = "/teams",
               .name = "create_team",
               .doc = "Keeps a team, which tasks can name from then on.",
               .act = engine::Act::change,
               .rate = RateClass::write,
               .request = &describe(static_cast<const model::Team*>(nullptr)),
               .success = 201,
               .faults = kCreateTeamFaults,
               .requirements = "API-27"},
              create_team),
        typed({.method = Method::put,
               .path = "/teams/{team_id}",
               .name = "replace_team",
               .doc = "Replaces a team that a client has sent; tasks that have begun keep theirs.",
               .act = engine::Act::change,
               .rate = RateClass::write,
               .request = &describe(static_cast<const model::Team*>(nullptr)),
               .faults = kReplaceTeamFaults,
               .requirements = "API-29"},
              replace_team),
        typed({.path = "/agents", .name = "list_agents", .doc = "Agents that can be run by themselves."}, agents),
        typed({.path = "/workflows", .name = "list_workflows", .doc = "Workflows that can be run."}, workflows),
        typed(
            {.path = "/models", .name = "list_models", .doc = "Models that are known, and whether they can be asked."},
            models),
    };
}

}  // namespace cadre::server
