#include "patterns/route/choose_agents.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "model/views/orchestration_convert.hpp"
#include "patterns/react.hpp"
#include "patterns/structured.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using model::Decision;
using model::RouterKind;
using model::RouteSetup;
using model::orchestration::AgentChoiceResult;

namespace {

constexpr std::size_t kHistoryHeard = 10;
/// Of more agents the model is told those that compare best.
constexpr std::size_t kMostListed = 40, kListedThen = 20;

constexpr std::string_view kUserPrompt =
    "Which agent should deal with this request? Do not deal with it yourself.\n\nRequest: {0}\n\n{1}\n\n"
    "Answer with JSON alone:\n"
    "{{\"agentId\": \"id\", \"confidence\": 0.0 to 1.0, \"reasoning\": \"why\", \"additionalAgents\": [\"id\"]}}\n"
    "Name additional agents only where the request has parts for them; they work after the first one.";

std::string choice_schema(const std::vector<RoutedAgent>& agents,
                          const model::orchestration::RouterExecutorOptions& options)
{
    boost::json::array some;
    for (const RoutedAgent& agent : agents) {
        some.emplace_back(agent.alias);
        if (agent.name != agent.alias) some.emplace_back(agent.name);
    }
    boost::json::array any = some;
    any.emplace_back(model::orchestration::clarification_agent(options));
    any.emplace_back(model::orchestration::fallback_agent(options));
    return to_text(boost::json::object{
        {"type", "object"},
        {"required", {"agentId", "confidence"}},
        {"properties",
         {{"agentId", {{"type", "string"}, {"enum", std::move(any)}}},
          {"confidence", {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}},
          {"reasoning", {{"type", "string"}}},
          {"additionalAgents", {{"type", "array"}, {"items", {{"type", "string"}, {"enum", std::move(some)}}}}}}}});
}

/// A router may say an agent's name where the document has its alias.
void use_alias(boost::json::value& id, const std::vector<RoutedAgent>& agents)
{
    if (!id.is_string()) return;
    for (const RoutedAgent& agent : agents)
        if (id.get_string() == agent.name) id = agent.alias;
}

/// Throws what a rule of the document has against it.
AgentChoiceResult choice_from(boost::json::value said, const std::vector<RoutedAgent>& agents)
{
    boost::json::object& members = said.as_object();
    if (auto* id = members.if_contains("agentId")) use_alias(*id, agents);
    if (auto* more = members.if_contains("additionalAgents"); more && more->is_array())
        for (boost::json::value& id : more->get_array()) use_alias(id, agents);
    return model::from_json<AgentChoiceResult>(said, {.ignore_unknown = true});
}

Decision decision_of(const AgentChoiceResult& choice, const std::string& query, const std::vector<RoutedAgent>& agents,
                     const RouteSetup& setup)
{
    const auto& options = setup.settings.router_executor;
    std::vector<model::NamedAlias> aliases;
    for (const RoutedAgent& agent : agents) aliases.push_back({.name = agent.name, .alias = agent.alias});
    Decision decision = model::orchestration::from(choice, query, options, aliases);
    if (choice.agent_id == model::orchestration::fallback_agent(options)) decision.targets = {fallback_target(options)};
    return decision;
}

std::string problem_of_choice(const boost::json::value& said, const std::vector<RoutedAgent>& agents)
{
    try {
        choice_from(said, agents);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

void tell_turns(Run& run, const SaidTurns& turns)
{
    const auto& history = run.state().history();
    const std::size_t first = history.size() > kHistoryHeard ? history.size() - kHistoryHeard : 0;
    for (std::size_t i = first; i < history.size(); ++i) run.tell(llm::Message(*history[i]));
    for (std::size_t i = 0; i + 1 < turns.size(); ++i)
        run.tell(llm::Message{.role = i % 2 == 0 ? model::Role::user : model::Role::assistant, .text = turns[i]});
}

Agent router_of(const Run& run, const RouteSetup& setup)
{
    const auto& options = setup.settings.router_executor;
    Agent router = run.agent(setup.router_agent);
    if (options.temperature) router.options.temperature = *options.temperature;
    if (options.max_output_tokens) router.options.max_tokens = *options.max_output_tokens;
    return router;
}

engine::RouteQuery compared(const RouteSetup& setup, const std::vector<RoutedAgent>& agents, const SaidTurns& turns,
                            std::size_t most)
{
    engine::RouteQuery query{.agent = setup.router_agent,
                             .limit = static_cast<int>(most),
                             .threshold = setup.settings.router_executor.confidence_threshold};
    for (std::size_t i = 0; i < turns.size(); i += 2) query.text += (i ? "\n" : "") + turns[i];
    for (const RoutedAgent& agent : agents)
        query.catalogue.push_back({.name = agent.name,
                                   .description = fmt::format("{} {}", agent.description, fmt::join(agent.tags, " ")),
                                   .examples = agent.examples});
    return query;
}

/// Of very many agents those that compare best; all of them where nothing can compare.
Async<std::vector<RoutedAgent>> listed(Run& run, const RouteSetup& setup, std::vector<RoutedAgent> agents,
                                       const SaidTurns& turns)
{
    if (agents.size() <= kMostListed) co_return agents;
    std::vector<std::string> best;
    try {
        engine::RouteQuery query = compared(setup, agents, turns, kListedThen);
        query.ranks = true;
        best = (co_await run.route(std::move(query))).targets;
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
    }
    if (best.empty()) co_return agents;
    std::vector<RoutedAgent> some;
    for (const RoutedAgent& agent : agents)
        if (std::ranges::find(best, agent.name) != best.end()) some.push_back(agent);
    co_return some;
}

/// Sure that no agent is for it, or that none could be found.
Decision nobody_chosen(const std::string& query, std::string why, const RouteSetup& setup)
{
    return {.query = query,
            .targets = {fallback_target(setup.settings.router_executor)},
            .confidence = 1,
            .reasoning = std::move(why)};
}

Async<Decision> ask_model(Run& run, const RouteSetup& setup, std::vector<RoutedAgent> agents, SaidTurns turns)
{
    const auto& options = setup.settings.router_executor;
    agents = co_await listed(run, setup, std::move(agents), turns);
    tell_turns(run, turns);
    const std::string pattern = options.user_prompt_template.value_or(std::string(kUserPrompt));
    run.tell(filled_in(pattern, turns.back(), catalogue_of(agents, options)));
    WantedAnswer wanted{.schema = choice_schema(agents, options), .attempts = options.max_attempts};
    wanted.problem = [&agents](const boost::json::value& said) { return problem_of_choice(said, agents); };
    const StructuredAnswer said = co_await structured_answer(run, router_of(run, setup), std::move(wanted));
    if (said.value) co_return decision_of(choice_from(*said.value, agents), turns.front(), agents, setup);
    co_return nobody_chosen(turns.front(), "the router could not decide: " + said.problem, setup);
}

/// Nothing to compare with, or no agent fits: what it says is the reason.
Async<Decision> compare_agents(Run& run, const RouteSetup& setup, const std::vector<RoutedAgent>& agents,
                               const SaidTurns& turns)
{
    constexpr std::size_t kMostChosen = 3;
    try {
        Decision decision = co_await run.route(compared(setup, agents, turns, kMostChosen));
        decision.query = turns.front();
        if (decision.targets.empty() && !decision.clarify)
            decision = nobody_chosen(turns.front(), decision.reasoning, setup);
        co_return decision;
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        co_return nobody_chosen(turns.front(), error.what(), setup);
    }
}

}  // namespace

Async<Decision> choose_agents(Run& run, const RouteSetup& setup, std::vector<RoutedAgent> agents, SaidTurns turns)
{
    if (agents.empty()) co_return nobody_chosen(turns.front(), "the team has no agent that requests can be for", setup);
    if (setup.router == RouterKind::model && setup.has_model)
        co_return co_await ask_model(run, setup, std::move(agents), std::move(turns));
    Decision decision = co_await compare_agents(run, setup, agents, turns);
    const auto& options = setup.settings.router_executor;
    const bool is_sure =
        !model::needs_clarification(decision, options.confidence_threshold) && !is_fallback(decision, options);
    if (is_sure || setup.router == RouterKind::local || !setup.has_model) co_return decision;
    co_return co_await ask_model(run, setup, std::move(agents), std::move(turns));
}

}  // namespace cadre::patterns
