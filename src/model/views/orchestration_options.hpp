// appsettings.json (document 002): how the route door decides, calls and answers. Pascal case, read in any case.
#pragma once

#include "model/router_kind.hpp"
#include "model/type.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model::orchestration {

inline constexpr std::string_view kDefaultClarificationAgentId = "clarification-agent";
inline constexpr std::string_view kDefaultFallbackAgentId = "fallback-agent";

struct RouterExecutorOptions {
    std::string chat_client_key = "ollama-phi3-mini";
    double confidence_threshold = 0.7;
    int max_attempts = 3;
    std::optional<double> temperature = 0.3;
    std::optional<int> max_output_tokens = 500;
    std::optional<std::string> system_prompt{};
    std::optional<std::string> user_prompt_template{};
    std::optional<std::string> agent_catalog_header{};
    bool include_agent_capabilities = true;
    bool include_skill_examples = true;
    std::optional<std::string> clarification_agent_id{};
    std::optional<std::string> clarification_prompt_template{};
    std::optional<std::string> fallback_agent_id{};
    std::optional<std::string> fallback_reason_template{};
    bool operator==(const RouterExecutorOptions&) const = default;
};
const Entity& describe(const RouterExecutorOptions*);

/// The agent that asks back, and the one that answers when nobody else can: the option, or the document's constant.
std::string clarification_agent(const RouterExecutorOptions& options);
std::string fallback_agent(const RouterExecutorOptions& options);

struct AgentExecutorWrapperOptions {
    int default_timeout_ms = 30'000;
    int max_retries = 2;
    int retry_delay_ms = 1'000;
    bool enable_telemetry = true;
    bool operator==(const AgentExecutorWrapperOptions&) const = default;
};
const Entity& describe(const AgentExecutorWrapperOptions*);

struct ResultAggregatorOptions {
    std::string default_fallback_message = "I encountered an issue processing your request. Please try again.";
    std::string partial_failure_template = "{successMessage} However, {failureMessage}";
    bool enable_natural_language_joining = true;
    bool operator==(const ResultAggregatorOptions&) const = default;
};
const Entity& describe(const ResultAggregatorOptions*);

enum class Dispatch : std::uint8_t { sequential, parallel };
std::span<const EnumName> names_of(const Dispatch*);

struct OrchestrationOptions {
    double task_context_ttl = 24;  // hours
    Dispatch dispatch = Dispatch::sequential;
    std::optional<RouterKind> router{};  // null: a model where one can be asked, else local
    bool operator==(const OrchestrationOptions&) const = default;
};
const Entity& describe(const OrchestrationOptions*);

/// How long a stored context lives; one that waits for a person is kept longer (C-18).
Millis context_lifetime(const OrchestrationOptions& options);

/// The whole file. What the document's example leaves out (all sections but the first, MaxOutputTokens) is written only
/// when it says something else than the default.
struct AppSettings {
    RouterExecutorOptions router_executor{};
    AgentExecutorWrapperOptions agent_executor_wrapper{};
    ResultAggregatorOptions result_aggregator{};
    OrchestrationOptions orchestration{};
    bool operator==(const AppSettings&) const = default;
};
const Entity& describe(const AppSettings*);

}  // namespace cadre::model::orchestration
