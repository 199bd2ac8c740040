// Policies as they are compiled: what to look at, where, and what to do about it. Values.
#pragma once

#include "model/team.hpp"
#include "model/work_events.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

using Kind = model::RuleKind;
/// Where a text is: a rule on `tool` holds for a call and for its result.
enum class Place : std::uint8_t { input, output, tool_call, tool_result, handoff, delegate, send };
/// In order of weight: where several rules are broken, the last of these decides.
enum class Action : std::uint8_t { pass, log, warn, rewrite, ask, block };

inline constexpr Place kPlaces[] = {Place::input,   Place::output,   Place::tool_call, Place::tool_result,
                                    Place::handoff, Place::delegate, Place::send};

std::string_view name_of(Kind kind);
std::string_view name_of(Place place);
std::string_view name_of(Action action);

struct Rule {
    Kind kind = Kind::max_length;
    /// A number for lengths, max_calls and injection (0 to 1; default 0.5), a pattern for regex, a list of words for keywords, of
    /// kinds or nothing for pii, of hosts for urls, a JSON Schema for schema, {"phrases": [...], "at": 0.8} for similar.
    boost::json::value value{};
    std::optional<int> window_s{};         // max_calls
    std::optional<model::RulePlace> on{};  // null: everywhere
};

struct Policy {
    std::string name{};
    model::PolicyType type = model::PolicyType::content_filter;
    std::vector<Rule> rules{};
    model::Severity severity = model::Severity::medium;
    Action action = Action::warn;
};

Policy policy_of(const model::GuardrailPolicy& policy);

bool holds_at(const Rule& rule, Place place);

/// compliance is called policy in checks (C-32).
model::CheckType check_type_of(model::PolicyType type);
/// What a broken rule makes of its check (C-32): block and rewrite failed, warn warning, log passed. `ask` is failed until somebody
/// approves, then warning.
model::CheckStatus status_of(Action action, bool approved = false);
model::ActionTaken taken(Action action, bool approved = false);

}  // namespace cadre::guardrails
