#include "home/team_guards.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "guardrails/stream_guard.hpp"
#include "home/project/guardrails.hpp"
#include "model/team.hpp"
#include "text/embed/hashed_encoder.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cadre::home {

using engine::GuardAction;
using engine::GuardVerdict;
using guardrails::PolicySet;
using Set = std::shared_ptr<const PolicySet>;

namespace {

/// Teams that are known at once; those whose tasks are over go first.
constexpr std::size_t kMostTeams = 256;

guardrails::Place place_of(engine::Place place)
{
    switch (place) {
    case engine::Place::input: return guardrails::Place::input;
    case engine::Place::output: return guardrails::Place::output;
    case engine::Place::tool_call: return guardrails::Place::tool_call;
    case engine::Place::handoff: return guardrails::Place::handoff;
    case engine::Place::delegate: return guardrails::Place::delegate;
    case engine::Place::send: return guardrails::Place::send;
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

/// A call is counted when it is made.
std::vector<guardrails::RateRule> rates_at(const PolicySet& set, engine::Place place)
{
    if (place == engine::Place::output || place == engine::Place::tool_result) return {};
    return set.rates(place_of(place));
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
GuardVerdict verdict_on_strings(const PolicySet& set, guardrails::Place place, const std::string& arguments)
{
    json::value value;
    try {
        value = parse_json(arguments);
    } catch (const Error&) {
        return {};
    }
    GuardVerdict verdict = verdict_from(guardrails::check(set, place, strings_in(value)));
    if (verdict.action == GuardAction::rewrite) verdict.action = GuardAction::block;
    verdict.text.clear();
    return verdict;
}

bool holds_for(const model::GuardrailPolicy& policy, const model::Agent* agent)
{
    return policy.everywhere ||
           (agent && std::ranges::find(agent->guardrail_policies, policy.name) != agent->guardrail_policies.end());
}

/// In place of policies that cannot be used.
Set nothing_passes()
{
    guardrails::Policy policy{.name = "operator"};
    policy.rules.push_back({.kind = guardrails::Kind::max_length, .value = 0});
    policy.action = guardrails::Action::block;
    return PolicySet::compile({std::move(policy)});
}

bool needs_encoder(const guardrails::Policy& policy)
{
    return std::ranges::any_of(policy.rules, [](const auto& rule) { return rule.kind == guardrails::Kind::similar; });
}

const text::Encoder* words()
{
    static const text::embed::HashedEncoder encoder;
    return &encoder;
}

}  // namespace

class TeamGuards::Streaming final : public engine::StreamCheck {
public:
    Streaming(TeamGuards& guards, const engine::GuardedText& text)
        : guards_(guards),
          team_(text.team),
          agent_(text.agent),
          version_(guards.version_),
          guard_(guards.find(team_, agent_), guardrails::Place::output)
    {}

    std::string feed(std::string_view chunk) override
    {
        std::string out = follow();
        return out.empty() ? guard_.feed(chunk) : out + guard_.feed(chunk);
    }
    std::string finish() override
    {
        std::string out = follow();
        return out + guard_.finish();
    }
    GuardVerdict verdict() const override { return verdict_from(guard_.verdict()); }

private:
    /// What has not left yet is judged by the policies that hold now.
    std::string follow()
    {
        guards_.refresh();
        if (version_ == guards_.version_) return {};
        version_ = guards_.version_;
        try {
            return guard_.swap(guards_.find(team_, agent_));
        } catch (const Error&) {
            return guard_.swap(nothing_passes());
        }
    }

    TeamGuards& guards_;
    std::shared_ptr<const model::Team> team_;
    std::string agent_;
    std::uint64_t version_;
    guardrails::StreamGuard guard_;
};

std::shared_ptr<const PolicySet> policies_of(const model::Team& team, std::string_view agent,
                                             std::span<const model::GuardrailPolicy> of_operator,
                                             const text::Encoder* encoder)
{
    const auto named = std::ranges::find(team.agents, agent, &model::Agent::name);
    const model::Agent* const who = named == team.agents.end() ? nullptr : &*named;
    std::vector<guardrails::Policy> policies;
    for (const model::GuardrailPolicy& policy : team.guardrail_policies)
        if (holds_for(policy, who)) policies.push_back(guardrails::policy_of(policy));
    for (const model::GuardrailPolicy& policy : of_operator) policies.push_back(guardrails::policy_of(policy));
    return PolicySet::compile(std::move(policies), encoder ? encoder : words());
}

GuardVerdict verdict_on(const PolicySet& set, engine::Place at, const std::string& text)
{
    if (text.empty()) return {};
    const guardrails::Place place = place_of(at);
    GuardVerdict verdict = verdict_from(guardrails::check(set, place, text));
    const bool is_json = at == engine::Place::tool_call || at == engine::Place::handoff;
    return is_json && verdict.found_nothing() ? verdict_on_strings(set, place, text) : verdict;
}

TeamGuards::TeamGuards(const Clock& clock, Pool& pool, EncoderSource encoder, OperatorFile* file)
    : clock_(clock), pool_(pool), encoder_(std::move(encoder)), file_(file)
{}

TeamGuards::~TeamGuards() = default;

const TeamGuards::Set& TeamGuards::find(const std::shared_ptr<const model::Team>& team, std::string_view agent)
{
    if (teams_.size() > kMostTeams) std::erase_if(teams_, [](const auto& one) { return one.second.team.expired(); });
    Compiled& compiled = teams_[team.get()];
    if (compiled.team.lock() != team) compiled = {.team = team};  // another one lies where one was
    const auto found = compiled.agents.find(agent);
    if (found != compiled.agents.end()) return found->second;
    return compiled.agents.emplace(std::string(agent), policies_of(*team, agent, of_operator(), encoder_for(*team)))
        .first->second;
}

/// Weights are loaded when a policy needs them.
const text::Encoder* TeamGuards::encoder_for(const model::Team& team) const
{
    const auto needs = [](const model::GuardrailPolicy& policy) {
        return needs_encoder(guardrails::policy_of(policy));
    };
    if (!encoder_ ||
        (std::ranges::none_of(team.guardrail_policies, needs) && std::ranges::none_of(of_operator(), needs)))
        return nullptr;
    return encoder_().get();  // which keeps it
}

std::span<const model::GuardrailPolicy> TeamGuards::of_operator() const
{
    if (!file_) return {};
    return file_->policies();
}

void TeamGuards::refresh()
{
    if (!file_) return;
    file_->refresh();
    if (file_->version() == version_) return;
    version_ = file_->version();
    teams_.clear();
}

bool TeamGuards::watches(const std::shared_ptr<const model::Team>& team, std::string_view agent, engine::Place place)
{
    refresh();
    if (!team || (team->guardrail_policies.empty() && of_operator().empty())) return false;
    const Set& set = find(team, agent);
    return !set->at(place_of(place)).rules.empty() || !rates_at(*set, place).empty();
}

Async<GuardVerdict> TeamGuards::check(engine::GuardedText text)
{
    if (!text.team) co_return GuardVerdict{};
    const Set set = find(text.team, text.agent);
    GuardVerdict verdict;
    if (set->at(place_of(text.place)).whole)  // that may take a model of its own
        verdict = co_await on(pool_, [&] { return verdict_on(*set, text.place, text.text); });
    else verdict = verdict_on(*set, text.place, text.text);
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
    return std::make_unique<Streaming>(*this, text);
}

}  // namespace cadre::home
