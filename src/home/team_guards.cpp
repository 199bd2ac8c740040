#include "home/team_guards.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "guardrails/stream_guard.hpp"
#include "model/team.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cadre::home {

using engine::GuardAction;
using engine::GuardVerdict;
using guardrails::PolicySet;

namespace {

/// Teams that are known at once; those whose tasks are over go first.
constexpr std::size_t kMostTeams = 256;

guardrails::Place place_of(engine::Place place)
{
    switch (place) {
    case engine::Place::input: return guardrails::Place::input;
    case engine::Place::output: return guardrails::Place::output;
    case engine::Place::tool_call: return guardrails::Place::tool_call;
    case engine::Place::tool_result: break;
    }
    return guardrails::Place::tool_result;
}

GuardAction action_of(guardrails::Action action)
{
    switch (action) {
    case guardrails::Action::pass: return GuardAction::pass;
    case guardrails::Action::log: return GuardAction::log;
    case guardrails::Action::warn: return GuardAction::warn;
    case guardrails::Action::rewrite: return GuardAction::rewrite;
    case guardrails::Action::ask: return GuardAction::ask;
    case guardrails::Action::block: break;
    }
    return GuardAction::block;
}

/// Checks that found nothing are not kept.
GuardVerdict verdict_from(guardrails::Verdict verdict)
{
    std::erase_if(verdict.checks, [](const model::GuardrailCheck& check) { return !check.policy_violated; });
    return {.action = action_of(verdict.action),
            .checks = std::move(verdict.checks),
            .policy = std::move(verdict.version),
            .text = std::move(verdict.text).value_or("")};
}

class Streaming final : public engine::StreamCheck {
public:
    explicit Streaming(std::shared_ptr<const PolicySet> set) : guard_(std::move(set), guardrails::Place::output) {}

    std::string feed(std::string_view chunk) override { return guard_.feed(chunk); }
    std::string finish() override { return guard_.finish(); }
    GuardVerdict verdict() const override { return verdict_from(guard_.verdict()); }

private:
    guardrails::StreamGuard guard_;
};

/// A call of a model is counted when it is asked.
std::vector<guardrails::RateRule> rates_at(const PolicySet& set, engine::Place place)
{
    if (place == engine::Place::tool_call) return set.rates(guardrails::Place::tool_call);
    if (place == engine::Place::input) return set.rates(guardrails::Place::input);
    return {};
}

/// Every text in it, one in a line.
std::string strings_in(const json::value& value)
{
    if (const auto* text = value.if_string()) return std::string(*text) + "\n";
    std::string all;
    if (const auto* list = value.if_array())
        for (const json::value& one : *list) all += strings_in(one);
    if (const auto* object = value.if_object())
        for (const auto& [name, one] : *object) all += std::string(name) + "\n" + strings_in(one);
    return all;
}

/// Arguments as a tool reads them: what JSON escapes may be a word again. It cannot be masked there.
GuardVerdict verdict_on_strings(const PolicySet& set, const std::string& arguments)
{
    json::value value;
    try {
        value = parse_json(arguments);
    } catch (const Error&) {
        return {};
    }
    GuardVerdict verdict = verdict_from(guardrails::check(set, guardrails::Place::tool_call, strings_in(value)));
    if (verdict.action == GuardAction::rewrite) verdict.action = GuardAction::block;
    verdict.text.clear();
    return verdict;
}

bool holds_for(const model::GuardrailPolicy& policy, const model::Agent* agent)
{
    return policy.everywhere ||
           (agent && std::ranges::find(agent->guardrail_policies, policy.name) != agent->guardrail_policies.end());
}

}  // namespace

std::shared_ptr<const PolicySet> policies_of(const model::Team& team, std::string_view agent)
{
    const auto named = std::ranges::find(team.agents, agent, &model::Agent::name);
    const model::Agent* const who = named == team.agents.end() ? nullptr : &*named;
    std::vector<guardrails::Policy> policies;
    for (const model::GuardrailPolicy& policy : team.guardrail_policies)
        if (holds_for(policy, who)) policies.push_back(guardrails::policy_of(policy));
    return PolicySet::compile(std::move(policies));
}

TeamGuards::TeamGuards(const Clock& clock) : clock_(clock)
{}

TeamGuards::~TeamGuards() = default;

const TeamGuards::Set& TeamGuards::find(const std::shared_ptr<const model::Team>& team, std::string_view agent)
{
    if (teams_.size() > kMostTeams) std::erase_if(teams_, [](const auto& one) { return one.second.team.expired(); });
    Compiled& compiled = teams_[team.get()];
    if (compiled.team.lock() != team) compiled = {.team = team};  // another one lies where one was
    const auto found = compiled.agents.find(agent);
    if (found != compiled.agents.end()) return found->second;
    return compiled.agents.emplace(std::string(agent), policies_of(*team, agent)).first->second;
}

bool TeamGuards::watches(const std::shared_ptr<const model::Team>& team, std::string_view agent, engine::Place place)
{
    if (!team || team->guardrail_policies.empty()) return false;
    const Set& set = find(team, agent);
    return !set->at(place_of(place)).rules.empty() || !rates_at(*set, place).empty();
}

Async<GuardVerdict> TeamGuards::check(engine::GuardedText text)
{
    if (!text.team) co_return GuardVerdict{};
    const Set set = find(text.team, text.agent);
    GuardVerdict verdict;
    if (!text.text.empty()) verdict = verdict_from(guardrails::check(*set, place_of(text.place), text.text));
    if (text.place == engine::Place::tool_call && verdict.found_nothing())
        verdict = verdict_on_strings(*set, text.text);
    if (text.is_call && verdict.action < GuardAction::ask) count(*set, text, verdict);
    co_return verdict;
}

void TeamGuards::count(const PolicySet& set, const engine::GuardedText& text, GuardVerdict& verdict)
{
    const Time now = clock_.now();
    for (const guardrails::RateRule& rule : rates_at(set, text.place)) {
        auto& times = calls_[{text.tenant, text.agent, text.place, rule.policy}];
        while (!times.empty() && rule.limit.window != Millis::max() && now - times.front() >= rule.limit.window)
            times.pop_front();
        const std::vector<Time> recent(times.begin(), times.end());
        const guardrails::RateDecision decision = guardrails::decide_rate(recent, now, rule.limit);
        const bool stays = !decision.allowed && rule.action >= guardrails::Action::rewrite;  // there is nothing to mask
        if (!stays) times.push_back(now);
        if (decision.allowed) continue;
        const GuardAction action = stays ? GuardAction::block : action_of(rule.action);
        verdict.action = std::max(verdict.action, action);
        verdict.policy = set.version();
        verdict.checks.push_back(
            {.check_id = rule.policy + "/calls",
             .check_type = model::CheckType::rate_limit,
             .status = guardrails::status_of(stays ? guardrails::Action::block : rule.action),
             .message = fmt::format("max_calls: {} are allowed, and there were {}", rule.limit.calls, decision.counted),
             .policy_violated = rule.policy,
             .severity = rule.severity});
    }
}

std::unique_ptr<engine::StreamCheck> TeamGuards::stream(const engine::GuardedText& text)
{
    const Set& set = find(text.team, text.agent);
    return std::make_unique<Streaming>(set);
}

}  // namespace cadre::home
