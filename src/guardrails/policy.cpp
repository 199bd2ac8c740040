#include "guardrails/policy.hpp"

#include "model/wire_name.hpp"

#include <array>

namespace cadre::guardrails {

std::string_view name_of(Kind kind)
{
    return model::wire_name(kind);
}

std::string_view name_of(Place place)
{
    static constexpr std::array<std::string_view, 7> names{"input",   "output",   "tool_call", "tool_result",
                                                           "handoff", "delegate", "send"};
    return names[static_cast<std::size_t>(place)];
}

std::string_view name_of(Action action)
{
    static constexpr std::array<std::string_view, 6> names{"pass", "log", "warn", "rewrite", "ask", "block"};
    return names[static_cast<std::size_t>(action)];
}

Policy policy_of(const model::GuardrailPolicy& policy)
{
    const auto action_of = [](model::PolicyAction action) {
        switch (action) {
        case model::PolicyAction::block: return Action::block;
        case model::PolicyAction::warn: return Action::warn;
        case model::PolicyAction::rewrite: return Action::rewrite;
        case model::PolicyAction::ask: return Action::ask;
        case model::PolicyAction::log: break;
        }
        return Action::log;
    };
    Policy out{policy.name, policy.type, {}, policy.severity, action_of(policy.action)};
    for (const model::GuardrailRule& rule : policy.rules)
        out.rules.push_back({rule.kind, rule.value.value_or(nullptr), rule.window_s, rule.on});
    return out;
}

bool holds_at(const Rule& rule, Place place)
{
    if (!rule.on) return true;
    switch (*rule.on) {
    case model::RulePlace::input: return place == Place::input;
    case model::RulePlace::output: return place == Place::output;
    case model::RulePlace::tool_call: return place == Place::tool_call;
    case model::RulePlace::tool_result: return place == Place::tool_result;
    case model::RulePlace::handoff: return place == Place::handoff;
    case model::RulePlace::delegate: return place == Place::delegate;
    case model::RulePlace::send: return place == Place::send;
    case model::RulePlace::tool: break;
    }
    return place == Place::tool_call || place == Place::tool_result;
}

model::CheckType check_type_of(model::PolicyType type)
{
    switch (type) {
    case model::PolicyType::input_validation: return model::CheckType::input_validation;
    case model::PolicyType::content_filter: return model::CheckType::content_filter;
    case model::PolicyType::rate_limit: return model::CheckType::rate_limit;
    case model::PolicyType::compliance: break;
    }
    return model::CheckType::policy;
}

model::CheckStatus status_of(Action action, bool approved)
{
    switch (action) {
    case Action::block:
    case Action::rewrite: return model::CheckStatus::failed;
    case Action::ask: return approved ? model::CheckStatus::warning : model::CheckStatus::failed;
    case Action::warn: return model::CheckStatus::warning;
    case Action::log:
    case Action::pass: break;
    }
    return model::CheckStatus::passed;
}

model::ActionTaken taken(Action action, bool approved)
{
    switch (action) {
    case Action::block:
    case Action::rewrite: return model::ActionTaken::blocked;
    case Action::ask: return approved ? model::ActionTaken::warned : model::ActionTaken::blocked;
    case Action::warn: return model::ActionTaken::warned;
    case Action::log:
    case Action::pass: break;
    }
    return model::ActionTaken::logged;
}

}  // namespace cadre::guardrails
