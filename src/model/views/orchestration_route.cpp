#include "model/views/orchestration_route.hpp"

#include "base/error.hpp"
#include "model/describe.hpp"
#include "model/views/orchestration_options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::model::orchestration {

namespace {

constexpr Rule kNotEmpty{.min_length = 1};

void check_choice(const AgentChoiceResult& choice, const Path& path, Problems& problems)
{
    if (!choice.additional_agents) return;
    const Path list(path, "additionalAgents");
    for (std::size_t i = 0; i < choice.additional_agents->size(); ++i)
        if ((*choice.additional_agents)[i] == choice.agent_id)
            problems.add(Path(list, i), ProblemKind::duplicate, "is the primary agent already");
}

}  // namespace

const Entity& describe(const AgentChoiceResult*)
{
    static const Entity entity{
        .name = "agent_choice_result",
        .doc = "Which agents the router chose.",
        .fields =
            {
                field("agentId", &AgentChoiceResult::agent_id, "The agent that answers; a registered one.",
                      {.required = true, .min_length = 1}),
                field("confidence", &AgentChoiceResult::confidence, "How sure the router is.",
                      {.required = true, .min = 0, .max = 1}),
                field("reasoning", &AgentChoiceResult::reasoning, "Why this one."),
                field("additionalAgents", &AgentChoiceResult::additional_agents, "Agents that run after it.",
                      {.items = &kNotEmpty, .unique = true}),
            },
        .home = {Home::Kind::message, "from the router to what calls the agents, inside a run"},
        .dialect = kA2a,
        .checks = {check<AgentChoiceResult>({"agentId", "additionalAgents"},
                                            "`agentId` is not among `additionalAgents`.", check_choice)},
        .example = R"({"agentId":"light-agent","confidence":0.88,
            "reasoning":"Request requires both lighting adjustment and music playback.",
            "additionalAgents":["music-agent"]})",
    };
    return entity;
}

const Entity& describe(const AgentReplyView*)
{
    static const Entity entity{
        .name = "agent_response",
        .doc = "What one agent answered.",
        .fields =
            {
                field("agentId", &AgentReplyView::agent_id, "The agent.", {.required = true, .min_length = 1}),
                field("content", &AgentReplyView::content, "Its answer."),
                field("success", &AgentReplyView::success, "Whether it succeeded.", {.required = true}),
                field("errorMessage", &AgentReplyView::error_message, "Why it did not; only then."),
                field("executionTimeMs", &AgentReplyView::execution_time_ms, "How long it took.",
                      {.required = true, .min = 0}),
            },
        .home = {Home::Kind::message, "from an agent to what joins the answers, inside a run"},
        .dialect = kA2a,
        .demands = {{.when = {is("success", {"false"})},
                     .then = filled("errorMessage"),
                     .says = "is required when success is false"},
                    {.when = {is("success", {"true"})},
                     .then = !given("errorMessage"),
                     .says = "must be null when success is true"}},
        .example = R"json({"agentId":"music-agent","content":"","success":false,
            "errorMessage":"Music Assistant service is unavailable (HTTP 503)","executionTimeMs":5000})json",
    };
    return entity;
}

const Entity& describe(const WorkflowState*)
{
    static const Entity entity{
        .name = "a2a_workflow_state",
        .doc = "Where a routed request is, for debugging.",
        .fields = {field("currentExecutor", &WorkflowState::current_executor, "The node that runs."),
                   field("pendingOperations", &WorkflowState::pending_operations, "What waits for it."),
                   field("startTime", &WorkflowState::start_time, "When the request came.", {.fill = Fill::now}),
                   field("metadata", &WorkflowState::metadata, "Correlation ids and telemetry.")},
        .home = {Home::Kind::inside, "never stored, never shown"},
        .dialect = kA2a,
        .example = R"({"currentExecutor":"router","startTime":"2025-10-13T10:29:45Z"})",
    };
    return entity;
}

void check_known(const AgentChoiceResult& choice, std::span<const std::string> registered,
                 const RouterExecutorOptions& options, Problems& problems)
{
    const std::string special[] = {clarification_agent(options), fallback_agent(options)};
    auto check_one = [&](const std::string& id, const Path& path) {
        if (std::ranges::find(special, id) != std::end(special)) return;
        if (std::ranges::find(registered, id) != registered.end()) return;
        problems.add(path, ProblemKind::unknown_name,
                     fmt::format("{} is not a registered agent{}", in_quotes(id), problems.suggestion(id, registered)));
    };
    const Path root, list(root, "additionalAgents");
    check_one(choice.agent_id, Path(root, "agentId"));
    if (!choice.additional_agents) return;
    for (std::size_t i = 0; i < choice.additional_agents->size(); ++i)
        check_one((*choice.additional_agents)[i], Path(list, i));
}

}  // namespace cadre::model::orchestration
