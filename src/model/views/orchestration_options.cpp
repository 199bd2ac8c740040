#include "model/views/orchestration_options.hpp"

#include "model/describe.hpp"

namespace cadre::model::orchestration {

const Entity& describe(const RouterExecutorOptions*)
{
    using Options = RouterExecutorOptions;
    static const Entity entity{
        .name = "router_executor_options",
        .doc = "Section `RouterExecutor`: how the agents that answer are chosen.",
        .fields =
            {
                field("ChatClientKey", &Options::chat_client_key, "The model client that decides.", {.min_length = 1}),
                field("ConfidenceThreshold", &Options::confidence_threshold,
                      "Below this the user is asked what is meant.", {.min = 0, .max = 1}),
                field("MaxAttempts", &Options::max_attempts, "Model calls before the fallback agent answers.",
                      {.min = 1}),
                field("Temperature", &Options::temperature, "Of the model.", {.min = 0, .max = 1}),
                field("MaxOutputTokens", &Options::max_output_tokens, "How long its decision may be.",
                      {.min = 1, .omit_default = true}),
                field("SystemPrompt", &Options::system_prompt, "Instead of the built-in one."),
                field("UserPromptTemplate", &Options::user_prompt_template,
                      "Instead of the built-in one; {0} is the request, {1} the list of agents."),
                field("AgentCatalogHeader", &Options::agent_catalog_header, "Stands above the list of agents."),
                field("IncludeAgentCapabilities", &Options::include_agent_capabilities,
                      "Whether the list shows the agents' tags."),
                field("IncludeSkillExamples", &Options::include_skill_examples,
                      "Whether the list shows examples of their skills."),
                field("ClarificationAgentId", &Options::clarification_agent_id,
                      "The agent that asks back; null for `clarification-agent`.", {.min_length = 1}),
                field("ClarificationPromptTemplate", &Options::clarification_prompt_template, "How it asks."),
                field("FallbackAgentId", &Options::fallback_agent_id,
                      "The agent for what no other agent can do; null for `fallback-agent`.", {.min_length = 1}),
                field("FallbackReasonTemplate", &Options::fallback_reason_template, "How it says why."),
            },
        .dialect = kA2a,
        .example = R"({"ChatClientKey":"ollama-phi3-mini","ConfidenceThreshold":0.7,"MaxAttempts":3,"Temperature":0.3,
            "MaxOutputTokens":300,"IncludeAgentCapabilities":true,"IncludeSkillExamples":true})",
    };
    return entity;
}

std::string clarification_agent(const RouterExecutorOptions& options)
{
    return options.clarification_agent_id.value_or(std::string(kDefaultClarificationAgentId));
}

std::string fallback_agent(const RouterExecutorOptions& options)
{
    return options.fallback_agent_id.value_or(std::string(kDefaultFallbackAgentId));
}

const Entity& describe(const AgentExecutorWrapperOptions*)
{
    using Options = AgentExecutorWrapperOptions;
    static const Entity entity{
        .name = "agent_executor_wrapper_options",
        .doc = "Section `AgentExecutorWrapper`: how one agent is called.",
        .fields = {field("DefaultTimeoutMs", &Options::default_timeout_ms, "Longest time of one attempt.", {.min = 1}),
                   field("MaxRetries", &Options::max_retries, "Further attempts after passing failures.", {.min = 0}),
                   field("RetryDelayMs", &Options::retry_delay_ms, "Pause between attempts.", {.min = 0}),
                   field("EnableTelemetry", &Options::enable_telemetry, "Whether calls are measured.")},
        .dialect = kA2a,
        .example = R"({"DefaultTimeoutMs":30000,"MaxRetries":2,"RetryDelayMs":1000,"EnableTelemetry":true})",
    };
    return entity;
}

const Entity& describe(const ResultAggregatorOptions*)
{
    using Options = ResultAggregatorOptions;
    static const Entity entity{
        .name = "result_aggregator_options",
        .doc = "Section `ResultAggregator`: how the agents' answers become one.",
        .fields = {field("DefaultFallbackMessage", &Options::default_fallback_message, "The answer when all failed."),
                   field("PartialFailureTemplate", &Options::partial_failure_template,
                         "The answer when some failed; {successMessage} and {failureMessage} are filled in."),
                   field("EnableNaturalLanguageJoining", &Options::enable_natural_language_joining,
                         "Whether answers are joined with words; else with a space.")},
        .dialect = kA2a,
        .example = R"({"DefaultFallbackMessage":"I encountered an issue processing your request. Please try again.",
            "PartialFailureTemplate":"{successMessage} However, {failureMessage}",
            "EnableNaturalLanguageJoining":true})",
    };
    return entity;
}

std::span<const EnumName> names_of(const Dispatch*)
{
    static constexpr EnumName names[] = {{int(Dispatch::sequential), "sequential"},
                                         {int(Dispatch::parallel), "parallel"}};
    return names;
}

const Entity& describe(const OrchestrationOptions*)
{
    using Options = OrchestrationOptions;
    constexpr double kTenYears = 10 * 365 * 24;
    static const Entity entity{
        .name = "orchestration_options",
        .doc = "Section `OrchestrationOptions`: what is kept, and in which order agents run.",
        .fields = {field("TaskContextTTL", &Options::task_context_ttl,
                         "Hours that a stored context lives; one that waits for a person lives longer.",
                         {.max = kTenYears, .above = 0}),
                   field("Dispatch", &Options::dispatch, "Whether the chosen agents run one after the other.",
                         {.extension = true}),
                   field("Router", &Options::router,
                         "Who chooses: a `model`, `local` comparison without one, or `auto`, which asks a model where "
                         "the comparison is not sure; null: a model where one can be asked, else local.",
                         {.extension = true})},
        .dialect = kA2a,
        .example = R"({"TaskContextTTL":24.0})",
    };
    return entity;
}

Millis context_lifetime(const OrchestrationOptions& options)
{
    return std::chrono::duration_cast<Millis>(
        std::chrono::duration<double, std::ratio<3600>>(options.task_context_ttl));
}

const Entity& describe(const AppSettings*)
{
    static const Entity entity{
        .name = "app_settings",
        .doc = "Options for routing requests to agents.",
        .fields = {field("RouterExecutor", &AppSettings::router_executor, "How agents are chosen."),
                   field("AgentExecutorWrapper", &AppSettings::agent_executor_wrapper, "How they are called.",
                         {.omit_default = true}),
                   field("ResultAggregator", &AppSettings::result_aggregator, "How their answers become one.",
                         {.omit_default = true}),
                   field("OrchestrationOptions", &AppSettings::orchestration, "What is kept, and their order.",
                         {.omit_default = true})},
        .home = {Home::Kind::json_file, "`config/appsettings.json`"},
        .dialect = kA2a,
        .example = R"({"RouterExecutor":{"ChatClientKey":"ollama-phi3-mini","ConfidenceThreshold":0.7,"MaxAttempts":3,
            "Temperature":0.3,"MaxOutputTokens":300,"IncludeAgentCapabilities":true,"IncludeSkillExamples":true},
            "AgentExecutorWrapper":{"DefaultTimeoutMs":20000,"MaxRetries":2,"RetryDelayMs":1000,"EnableTelemetry":true},
            "ResultAggregator":{"DefaultFallbackMessage":"That did not work. Please try again.",
            "PartialFailureTemplate":"{successMessage} However, {failureMessage}","EnableNaturalLanguageJoining":true},
            "OrchestrationOptions":{"TaskContextTTL":48.0}})",
    };
    return entity;
}

}  // namespace cadre::model::orchestration
