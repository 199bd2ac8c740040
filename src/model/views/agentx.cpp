#include "model/views/agentx.hpp"

#include "model/chunk.hpp"
#include "model/describe.hpp"
#include "model/event.hpp"
#include "model/providers.hpp"
#include "model/read.hpp"
#include "model/unshown.hpp"
#include "model/views/agentx_interop.hpp"
#include "model/views/agentx_requests.hpp"
#include "model/views/agentx_workspace.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::model::agentx {

namespace json = boost::json;

namespace {

template <class... T>
void add_all(std::vector<const Entity*>& list, const std::variant<T...>*)
{
    (list.push_back(&describe(static_cast<const T*>(nullptr))), ...);
}

template <class... T>
void add(std::vector<const Entity*>& list)
{
    (list.push_back(&describe(static_cast<const T*>(nullptr))), ...);
}

Role role_of(const TaskStep& step)
{
    auto is_result = [](const Part& part) { return std::holds_alternative<ToolResultPart>(part); };
    if (std::ranges::any_of(step.parts, is_result)) return Role::tool;
    if (step.agent_name == "user") return Role::user;
    return step.agent_name == "system" ? Role::system : Role::assistant;
}

Level level_of(const Part& part)
{
    if (const auto* result = std::get_if<ToolResultPart>(&part); result && result->tool_result.error)
        return Level::error;
    const auto* guardrail = std::get_if<GuardrailPart>(&part);
    if (!guardrail || guardrail->overall_status == CheckStatus::passed) return Level::info;
    return guardrail->overall_status == CheckStatus::failed ? Level::error : Level::warning;
}

Level level_of(const TaskStep& step)
{
    Level level = Level::info;
    for (const Part& part : step.parts) level = std::max(level, level_of(part));
    return level;
}

/// What a step has, the document's step has no field for, and does not follow from its fields.
struct Rest {
    std::optional<Role> role{};
    std::optional<Level> level{};
    std::optional<std::int64_t> duration{};
};
constexpr std::string_view kRest = "cadre";

const Entity& describe(const Rest*)
{
    static const Entity entity{.name = "rest",
                               .doc = "What only we say of a step.",
                               .fields = {field("role", &Rest::role, "As whom."),
                                          field("level", &Rest::level, "How it ended."),
                                          field("duration", &Rest::duration, "Milliseconds.", {.min = 0})}};
    return entity;
}

/// All of it is understood, or it is not ours.
bool find_rest(const json::object& metadata, Rest& rest)
{
    const json::value* said = metadata.if_contains(kRest);
    if (!said) return false;
    Problems problems;
    read(*said, &rest, describe(&rest), {}, problems, {});
    return problems.empty();
}

}  // namespace

const Entity& describe(const TaskStep*)
{
    static const Entity entity{
        .name = "task_step",
        .doc = "One complete turn of an agent, a tool or a person.",
        .fields = {field("step_id", &TaskStep::step_id,
                         "`step_` and 32 hex digits; an id that another program made is kept as it came.",
                         {.min_length = 1, .fill = Fill::step_id}),
                   field("timestamp", &TaskStep::timestamp, "When it was complete.", {.fill = Fill::now}),
                   field("agent_name", &TaskStep::agent_name, "The agent or part of the system whose turn it was.",
                         {.required = true, .min_length = 1}),
                   field("task_id", &TaskStep::task_id, "The item of plan.json that it works on; not the task itself."),
                   field("parent_step_id", &TaskStep::parent_step_id, "The step that delegated this one."),
                   field("execution_mode", &TaskStep::execution_mode, "autonomous, step, hitl or another."),
                   field("memory_context", &TaskStep::memory_context, "The memory that it was given."),
                   field("parts", &TaskStep::parts, "What it is made of.", {.required = true, .min_length = 1}),
                   field("metadata", &TaskStep::metadata, "Anything else.")},
        .home = {Home::Kind::data, "one line of `history.jsonl`; also an element of `GET /tasks/{task_id}/history`"},
        .example = R"({"step_id":"step_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60","timestamp":"2025-11-02T10:30:00.250Z",
"agent_name":"writer","task_id":"outline","parent_step_id":"step_1a2b3c4d5e6f4a7b8c9d0e1f2a3b4c5d",
"execution_mode":"hitl","memory_context":{"memories":["mem_1"]},"parts":[{"type":"text",
"text":"The report is done.","language":"en","confidence":0.93}],"metadata":{"anything":{"goes":[1,
null]}}})"};
    return entity;
}

TaskStep to_task_step(const Step& step)
{
    TaskStep shown{.step_id = step.id,
                   .timestamp = step.at,
                   .agent_name = step.agent,
                   .task_id = step.plan_item,
                   .parent_step_id = step.parent,
                   .execution_mode = step.mode,
                   .memory_context = step.memory_context,
                   .parts = step.parts,
                   .metadata = step.metadata};
    Rest rest{.duration = step.duration};
    if (step.role != role_of(shown)) rest.role = step.role;
    if (step.level != level_of(shown)) rest.level = step.level;
    if (rest.role || rest.level) shown.metadata[kRest] = unshown(rest, {});
    else if (rest.duration) shown.metadata[kRest] = {{"duration", *rest.duration}};  // nearly always, and much cheaper
    return shown;
}

Step from_task_step(const TaskStep& step, std::string task, std::int64_t seq)
{
    Step kernel{.id = step.step_id,
                .task = std::move(task),
                .seq = seq,
                .agent = step.agent_name,
                .role = role_of(step),
                .parent = step.parent_step_id,
                .plan_item = step.task_id,
                .mode = step.execution_mode,
                .level = level_of(step),
                .parts = step.parts,
                .memory_context = step.memory_context,
                .metadata = step.metadata,
                .at = step.timestamp};
    Rest rest;
    if (!find_rest(step.metadata, rest)) return kernel;
    kernel.metadata.stable_erase(kRest);
    kernel.role = rest.role.value_or(kernel.role);
    kernel.level = rest.level.value_or(kernel.level);
    kernel.duration = rest.duration;
    return kernel;
}

std::vector<const Entity*> entities()
{
    std::vector<const Entity*> list;
    add<Step, TaskStep, ToolCall, ToolResult, Artifact, MemoryReference, GuardrailCheck>(list);
    add_all(list, static_cast<const Part*>(nullptr));
    add<StreamChunk>(list);
    add_all(list, static_cast<const Event*>(nullptr));
    add<LlmConfig, Providers, Provider, ProviderModel, Tool, HandoffRule, CollaborationPattern, GuardrailRule,
        GuardrailPolicy, OperatorPolicies, MemoryConfig, AgentSkill, AgentCard, Agent, ExecutionConfig, Permissions,
        Team>(list);
    add<CreateTask, Respond, Intervene, PlanFile>(list);
    add<StateFile, BreakpointsFile, GuardrailsFile, Activity, PerformanceFile, SandboxTool, SandboxFile>(list);
    add<LangChainImport, LangChainExport, AutoGenImport, AutoGenExport, CrewAIImport, CrewAIExport>(list);
    return list;
}

}  // namespace cadre::model::agentx
