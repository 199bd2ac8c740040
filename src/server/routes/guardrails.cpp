// Guardrails of a team: which hold for whom, what they make of a text, and others in their place.
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "guardrails/policy_set.hpp"
#include "home/home_owner.hpp"
#include "home/team_guards.hpp"
#include "model/describe.hpp"
#include "server/call.hpp"
#include "server/named_teams.hpp"
#include "server/policy_updates.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/streams.hpp"
#include "storage/files.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

// ---- reading ----

struct AgentPolicies {
    std::string agent{};
    std::vector<std::string> policies{};
    std::string version{};
};

const Entity& describe(const AgentPolicies*)
{
    static const Entity entity{
        .name = "agent_policies",
        .doc = "Which policies hold for an agent.",
        .fields = {field("agent", &AgentPolicies::agent, "Whom."),
                   field("policies", &AgentPolicies::policies, "Their names; none: its texts are not looked at."),
                   field("version", &AgentPolicies::version, "Of all of them together: checks are recorded with it.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct TeamPolicies {
    std::vector<model::GuardrailPolicy> policies{};
    std::vector<AgentPolicies> agents{};
    std::vector<std::string> remarks{};
};

const Entity& describe(const TeamPolicies*)
{
    static const Entity entity{.name = "team_policies",
                               .doc = "The guardrails of a team.",
                               .fields = {field("policies", &TeamPolicies::policies, "All of them."),
                                          field("agents", &TeamPolicies::agents, "For whom they hold."),
                                          field("remarks", &TeamPolicies::remarks, "What their author should know.")},
                               .home = {Home::Kind::message}};
    return entity;
}

TeamPolicies policies_in(const model::Team& team, std::span<const model::GuardrailPolicy> of_operator)
{
    TeamPolicies view{.policies = team.guardrail_policies};
    for (const model::Agent& agent : team.agents) {
        const auto set = home::policies_of(team, agent.name, of_operator);
        AgentPolicies one{.agent = agent.name};
        for (const guardrails::Policy& policy : set->policies()) one.policies.push_back(policy.name);
        if (!one.policies.empty()) one.version = set->version();
        view.agents.push_back(std::move(one));
        for (const guardrails::Remark& remark : set->remarks()) {
            std::string text =
                fmt::format("policy {}, rule {}: {}", in_quotes(remark.policy), remark.rule + 1, remark.text);
            if (std::ranges::find(view.remarks, text) == view.remarks.end()) view.remarks.push_back(std::move(text));
        }
    }
    return view;
}

std::vector<model::GuardrailPolicy> operators_of(Call& call)
{
    const auto policies = call.service().home.runtime().guards().of_operator();
    return {policies.begin(), policies.end()};
}

Async<model::Team> named_team(Call& call)
{
    const std::string id = call.path("team_id");
    co_return co_await on(pool_of(call), [project = project_of(call), sent = sent_folder(call), id] {
        return team_in(*project, get_named_team(*project, sent, id));
    });
}

Async<TeamPolicies> policies(Call& call)
{
    const model::Team team = co_await named_team(call);
    call.add_header("ETag", team_tag(team));
    co_return co_await on(pool_of(call),
                          [&team, of_operator = operators_of(call)] { return policies_in(team, of_operator); });
}

// ---- changing ----

struct NewPolicies {
    std::vector<model::GuardrailPolicy> policies{};
};

const Entity& describe(const NewPolicies*)
{
    static const Entity entity{
        .name = "new_policies",
        .doc = "Guardrails in place of those that a team has.",
        .fields = {field("policies", &NewPolicies::policies,
                         "All of them. Those that hold everywhere need not be named by an agent.", {.required = true})},
        .home = {Home::Kind::message}};
    return entity;
}

/// Of a team that a client has sent; the rest of what it says stays.
Async<TeamPolicies> replace_policies(Call& call, NewPolicies body)
{
    const std::string id = call.path("team_id");
    const std::string known(call.header("If-Match"));
    const bool was_cut_off = call.cut_off_at().has_value();
    const auto turn = co_await call.service().teams.lock();
    std::vector<model::GuardrailPolicy> replaced;
    const model::Team team =
        co_await on(pool_of(call), [project = project_of(call), sent = sent_folder(call), id, known,
                                    policies = std::move(body.policies), was_cut_off, &replaced] {
            const Named named = get_named_team(*project, sent, id);
            model::Team before = team_in(*project, named);
            replaced = before.guardrail_policies;
            if (was_cut_off && named.source == "api" && before.guardrail_policies == policies) return before;
            expect_can_change(*project, named, known);
            json::value text = parse_json(storage::find_file(named.file).value_or("{}"));
            text.as_object()["guardrail_policies"] = model::to_json_value(policies);
            return keep_team(*project, sent, id, to_text(text));
        });
    const Time now = call.service().loop.clock().now();
    for (const FeedEventPtr& event : policy_updates(replaced, team.guardrail_policies, call.by().subject, now))
        call.service().streams->feed().tell_all(event, call.by().tenant);
    call.add_header("ETag", team_tag(team));
    co_return co_await on(pool_of(call),
                          [&team, of_operator = operators_of(call)] { return policies_in(team, of_operator); });
}

// ---- trying ----

struct TryPolicies {
    std::string agent{};
    engine::Place place = engine::Place::output;
    std::string text{};
    std::optional<std::vector<model::GuardrailPolicy>> policies{};
};

const Entity& describe(const TryPolicies*)
{
    static const Entity entity{
        .name = "try_policies",
        .doc =
            "A text, to see what the guardrails of a team make of it. Nothing is sent to anybody, and nothing is kept.",
        .fields = {field("agent", &TryPolicies::agent, "Whose text it would be; empty: only what holds everywhere."),
                   field("place", &TryPolicies::place, "What it would be."),
                   field("text", &TryPolicies::text, "The text.", {.required = true, .max_length = 65'536}),
                   field("policies", &TryPolicies::policies, "These in place of the team's; null: the team's.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct TriedPolicies {
    engine::GuardAction action = engine::GuardAction::pass;
    std::vector<model::GuardrailCheck> checks{};
    std::optional<std::string> text{};
    std::string version{};
};

const Entity& describe(const TriedPolicies*)
{
    static const Entity entity{
        .name = "tried_policies",
        .doc = "What guardrails made of a text.",
        .fields = {field("action", &TriedPolicies::action,
                         "What follows; the strictest of all rules that were broken."),
                   field("checks", &TriedPolicies::checks, "Policies that found something."),
                   field("text", &TriedPolicies::text, "With masks, where it is to be rewritten."),
                   field("version", &TriedPolicies::version, "Of the policies; empty: none holds there.")},
        .home = {Home::Kind::message}};
    return entity;
}

/// With the code that tasks go through, and counters of its own.
Async<TriedPolicies> try_policies(Call& call, TryPolicies body)
{
    auto team = std::make_shared<model::Team>(co_await named_team(call));
    if (!body.agent.empty() && std::ranges::find(team->agents, body.agent, &model::Agent::name) == team->agents.end()) {
        model::Problems problems;
        problems.add(model::Path({}, "agent"), "the team has no agent of that name");
        throw BadRequest(std::move(problems));
    }
    if (body.policies) team->guardrail_policies = std::move(*body.policies);
    home::TeamGuards& live = call.service().home.runtime().guards();
    home::TeamGuards guards(call.service().loop.clock(), pool_of(call), live.encoder(), live.operator_file());
    engine::GuardedText text{.team = team,
                             .tenant = call.by().tenant,
                             .agent = body.agent,
                             .place = body.place,
                             .text = std::move(body.text)};
    engine::GuardVerdict verdict = co_await guards.check(std::move(text));
    TriedPolicies tried{
        .action = verdict.action, .checks = std::move(verdict.checks), .version = std::move(verdict.policy)};
    if (verdict.action == engine::GuardAction::rewrite) tried.text = std::move(verdict.text);
    co_return tried;
}

constexpr std::array kReplaceFaults = {Fault{409, "read_only", "The team is a file of the project or the home."},
                                       Fault{412, "changed", "The team is not the one that If-Match names."}};

}  // namespace

std::vector<Route> guardrail_routes()
{
    using engine::Act;
    return {
        typed({.path = "/teams/{team_id}/guardrails",
               .name = "get_guardrails",
               .doc = "The guardrails of a team, and for whom they hold."},
              policies),
        typed({.method = Method::put,
               .path = "/teams/{team_id}/guardrails",
               .name = "replace_guardrails",
               .doc = "Other guardrails for a team that a client has sent; tasks that have begun keep theirs.",
               .act = Act::change,
               .rate = RateClass::write,
               .faults = kReplaceFaults},
              replace_policies),
        typed({.method = Method::post,
               .path = "/teams/{team_id}/guardrails/test",
               .name = "test_guardrails",
               .doc = "What the guardrails of a team make of a text.",
               .act = Act::read,
               .rate = RateClass::write},
              try_policies),
    };
}

}  // namespace cadre::server
