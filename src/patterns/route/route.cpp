#include "patterns/route/route.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"
#include "model/views/aggregate.hpp"
#include "model/views/orchestration_convert.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "patterns/react.hpp"
#include "patterns/route/dispatch.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Run;
using model::Decision;
using model::RouteSetup;
using model::orchestration::AgentReplyView;

namespace {

/// So often somebody is asked what they mean.
constexpr int kMostClarifications = 2;

constexpr std::string_view kClarification = "I am not sure what you mean. Is it for {1}?";
constexpr std::string_view kFallbackReason = "No agent can deal with this: {1}.";

/// Everything that one request is decided and answered by.
struct Routing {
    RouteSetup setup{};
    std::vector<RoutedAgent> agents{};
    SaidTurns turns{};
    Decision decision{};

    const model::orchestration::RouterExecutorOptions& options() const { return setup.settings.router_executor; }
    bool is_unclear() const { return model::needs_clarification(decision, options().confidence_threshold); }
};

std::string alias_among(const Routing& routing, const std::string& name)
{
    for (const RoutedAgent& agent : routing.agents)
        if (agent.name == name) return agent.alias;
    return model::alias_of(name);
}

/// The two best, in words: those that were named, then the team's first ones.
std::string candidates(const Routing& routing)
{
    std::vector<std::string> names;
    const auto add = [&](const std::string& alias) {
        if (names.size() < 2 && std::ranges::find(names, alias) == names.end()) names.push_back(alias);
    };
    for (const std::string& target : routing.decision.targets) add(alias_among(routing, target));
    for (const RoutedAgent& agent : routing.agents)
        if (routing.decision.reasoning.find(agent.alias) != std::string::npos) add(agent.alias);
    for (const RoutedAgent& agent : routing.agents) add(agent.alias);
    return fmt::format("{}", fmt::join(names, " or "));
}

model::orchestration::AgentChoiceResult choice_of(const Routing& routing)
{
    std::vector<model::NamedAlias> aliases;
    for (const RoutedAgent& agent : routing.agents) aliases.push_back({.name = agent.name, .alias = agent.alias});
    return model::orchestration::view(routing.decision, routing.options(), aliases);
}

Async<> announce_choice(Run& run, const Routing& routing)
{
    engine::Fact fact{.what = "decision", .agent = routing.setup.router_agent};
    fact.fact = parse_json(model::to_json_text(choice_of(routing))).as_object();
    co_await run.announce(std::move(fact));
}

Async<> decide(Run& run, Routing& routing)
{
    const auto choose = [&](Run& node) { return choose_agents(node, routing.setup, routing.agents, routing.turns); };
    routing.decision = co_await run.node("router", choose);
    co_await announce_choice(run, routing);
}

/// In the words of the agent that asks back, where the team has one.
Async<std::string> question_for(Run& run, const Routing& routing)
{
    const auto& options = routing.options();
    const std::string pattern = options.clarification_prompt_template.value_or(std::string(kClarification));
    const std::string plain = filled_in(pattern, routing.turns.back(), candidates(routing));
    const std::string alias = model::orchestration::clarification_agent(options);
    const std::string agent = agent_with_alias(run.team(), alias);
    if (agent.empty()) co_return plain;
    RoutedWork work{.agent = agent, .alias = alias, .turns = routing.turns};
    work.more.push_back("It is not clear which agent this is for. Ask the person one short question. " + plain);
    const AgentReplyView reply =
        co_await execute_agent(run, std::move(work), routing.setup.settings.agent_executor_wrapper);
    co_return reply.success && !reply.content.empty() ? reply.content : plain;
}

/// Until it is clear, or somebody was asked often enough.
Async<> clarify(Run& run, Routing& routing)
{
    for (int asked = 0; routing.is_unclear() && asked < kMostClarifications; ++asked) {
        const std::string text = co_await question_for(run, routing);
        engine::Question question{.type = model::HumanRequestType::feedback, .agent = routing.setup.router_agent};
        question.context["question"] = text;
        const model::HumanAnswer answer = co_await run.ask(std::move(question));
        if (answer.verb == model::HumanVerb::reject) break;
        routing.turns.push_back(text);
        routing.turns.push_back(answer.message);
        co_await decide(run, routing);
    }
}

Async<AgentReplyView> fall_back(Run& run, const Routing& routing, std::string why)
{
    const auto& options = routing.options();
    while (why.ends_with('.')) why.pop_back();
    const std::string pattern = options.fallback_reason_template.value_or(std::string(kFallbackReason));
    std::string reason = filled_in(pattern, routing.turns.front(), why);
    const std::string alias = model::orchestration::fallback_agent(options);
    const std::string agent = agent_with_alias(run.team(), alias);
    if (agent.empty()) co_return AgentReplyView{.agent_id = alias, .content = std::move(reason), .success = true};
    RoutedWork work{.agent = agent, .alias = alias, .turns = routing.turns};
    work.more.push_back(std::move(reason));
    co_return co_await execute_agent(run, std::move(work), routing.setup.settings.agent_executor_wrapper);
}

Async<std::vector<AgentReplyView>> replies_to(Run& run, const Routing& routing)
{
    const bool is_unclear = routing.is_unclear();
    if (is_unclear || is_fallback(routing.decision, routing.options())) {
        const std::string why = is_unclear ? "it is still not clear what is meant" : routing.decision.reasoning;
        std::vector<AgentReplyView> only;
        only.push_back(co_await fall_back(run, routing, why.empty() ? "no agent fits" : why));
        co_return only;
    }
    std::vector<RoutedWork> works;
    for (const std::string& name : routing.decision.targets)
        works.push_back({.agent = name, .alias = alias_among(routing, name), .turns = routing.turns});
    co_return co_await dispatch_all(run, std::move(works), routing.setup.settings);
}

/// What is kept with the answer: the choice, and what each agent said.
boost::json::object details_of(const Routing& routing, const std::vector<AgentReplyView>& replies)
{
    boost::json::array selections, responses;
    for (const AgentReplyView& reply : replies) {
        selections.emplace_back(reply.agent_id);
        responses.push_back(parse_json(model::to_json_text(reply)));
    }
    return {{"agentSelections", std::move(selections)},
            {"routingConfidence", routing.decision.confidence},
            {"choice", parse_json(model::to_json_text(choice_of(routing)))},
            {"responses", std::move(responses)}};
}

/// How it was decided, without anything being done.
model::Reply explained(const Run& run, const Routing& routing)
{
    const auto choice = choice_of(routing);
    const double threshold = routing.options().confidence_threshold;
    boost::json::array agents;
    for (const RoutedAgent& agent : routing.agents) agents.emplace_back(agent.alias);
    std::string text = fmt::format("{}, {:.2f} sure (threshold {:.2f})", choice.agent_id, choice.confidence, threshold);
    if (choice.additional_agents) text += fmt::format(", then {}", fmt::join(*choice.additional_agents, ", "));
    if (routing.is_unclear()) text += fmt::format("\ncandidates: {}", candidates(routing));
    if (choice.reasoning) text += "\nwhy: " + *choice.reasoning;
    model::Reply reply = run.reply(std::move(text));
    reply.formatted = {{"choice", parse_json(model::to_json_text(choice))},
                       {"threshold", threshold},
                       {"router", model::wire_name(routing.setup.router)},
                       {"agents", std::move(agents)}};
    return reply;
}

}  // namespace

Async<model::Reply> route(Run& run)
{
    Routing routing{.setup = run.setup<RouteSetup>(), .turns = {run.prompt()}};
    routing.agents = routed_agents(run.team(), routing.setup);
    co_await decide(run, routing);
    if (run.input().contains("explain")) co_return explained(run, routing);
    co_await clarify(run, routing);
    const std::vector<AgentReplyView> replies = co_await replies_to(run, routing);
    model::Reply reply = run.reply(model::orchestration::aggregate(replies, routing.setup.settings.result_aggregator));
    reply.formatted = details_of(routing, replies);
    const auto failures = std::ranges::count(replies, false, &AgentReplyView::success);
    reply.partial = failures > 0;
    if (static_cast<std::size_t>(failures) < replies.size()) co_return reply;
    const std::string why = replies.front().error_message.value_or("all agents failed");
    reply.ok = false;
    reply.error = why;
    throw engine::Failed(Code::upstream, why, std::move(reply));
}

}  // namespace cadre::patterns
