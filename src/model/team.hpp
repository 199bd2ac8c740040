// A team: agents, their tools, and the rules by which they work together. The whole of it is one file.
#pragma once

#include "base/json.hpp"
#include "model/agent.hpp"
#include "model/part.hpp"
#include "model/permissions.hpp"
#include "model/task.hpp"
#include "model/tool.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

enum class HandoffType : std::uint8_t { sequential, parallel, hierarchical };
enum class PatternType : std::uint8_t { parallel, hierarchical, consensus };
enum class PolicyType : std::uint8_t { input_validation, content_filter, rate_limit, compliance };
enum class PolicyAction : std::uint8_t { block, warn, log, rewrite, ask };
enum class RuleKind : std::uint8_t {
    max_length,
    min_length,
    regex,
    keywords,
    pii,
    max_calls,
    schema,
    injection,
    similar,
    urls
};
/// `tool`: both of the next two.
enum class RulePlace : std::uint8_t { input, output, tool, tool_call, tool_result, handoff, delegate, send };

struct HandoffRule {
    std::string from_agent{};
    std::string to_agent{};
    std::optional<std::string> condition{};
    HandoffType handoff_type = HandoffType::sequential;

    bool operator==(const HandoffRule&) const = default;
};

struct CollaborationPattern {
    std::string name{};
    PatternType type = PatternType::parallel;
    std::vector<std::string> agents{};
    std::optional<std::string> coordination_agent{};
    boost::json::object config{};

    bool operator==(const CollaborationPattern&) const = default;
};

/// One rule of a policy (S-06).
struct GuardrailRule {
    RuleKind kind = RuleKind::max_length;
    std::optional<boost::json::value> value{};
    std::optional<int> window_s{};  // max_calls
    std::optional<RulePlace> on{};  // null: everywhere

    bool operator==(const GuardrailRule&) const = default;
};

struct GuardrailPolicy {
    std::string name{};
    PolicyType type = PolicyType::content_filter;
    std::vector<GuardrailRule> rules{};
    Severity severity = Severity::medium;
    PolicyAction action = PolicyAction::warn;
    bool everywhere = false;  // it holds for every agent of the team, whether it names it or not

    bool operator==(const GuardrailPolicy&) const = default;
};

/// `config/guardrails.yaml` of a home: what whoever runs it has the texts of all its teams checked for.
struct OperatorPolicies {
    std::vector<GuardrailPolicy> policies{};

    bool operator==(const OperatorPolicies&) const = default;
};

/// The pattern of tasks that are planned first; it belongs to no team.
inline constexpr std::string_view kPlanning = "plan";

struct ExecutionConfig {
    ExecutionMode mode = ExecutionMode::autonomous;
    std::optional<int> timeout{};  // seconds
    std::optional<int> max_steps{};
    std::vector<std::string> breakpoints{};
    std::vector<std::string> human_intervention_points{};
    std::vector<std::string> success_criteria{};
    std::vector<std::string> failure_criteria{};

    std::optional<std::string>
        pattern{};  // how a task begins: a collaboration pattern or kPlanning; null: with one agent

    bool operator==(const ExecutionConfig&) const = default;
};

/// Of a team's text with the descriptions of all its tools: servers have thousands.
inline constexpr JsonLimits kTeamLimits{.bytes = std::size_t{64} << 20, .depth = 128, .nodes = 10'000'000};

struct Team {
    std::string name{};
    std::string description{};
    std::string version = "1.0.0";
    LlmConfig default_llm{};
    std::vector<Agent> agents{};
    std::vector<Tool> tools{};
    std::vector<HandoffRule> handoff_rules{};
    std::vector<CollaborationPattern> collaboration_patterns{};
    std::vector<GuardrailPolicy> guardrail_policies{};
    MemoryConfig memory_config{};
    ExecutionConfig execution_config{};
    boost::json::object deployment_config{};

    Permissions permissions{};
    std::optional<std::string> id{};  // null: made from the name
    boost::json::object templates{};  // texts by path: what agents name, and what these include

    bool operator==(const Team&) const = default;
};

std::span<const EnumName> names_of(const HandoffType*);
std::span<const EnumName> names_of(const PatternType*);
std::span<const EnumName> names_of(const PolicyType*);
std::span<const EnumName> names_of(const PolicyAction*);
std::span<const EnumName> names_of(const RuleKind*);
std::span<const EnumName> names_of(const RulePlace*);

const Entity& describe(const HandoffRule*);
const Entity& describe(const CollaborationPattern*);
const Entity& describe(const GuardrailRule*);
const Entity& describe(const GuardrailPolicy*);
const Entity& describe(const OperatorPolicies*);
const Entity& describe(const ExecutionConfig*);
const Entity& describe(const Team*);

}  // namespace cadre::model
