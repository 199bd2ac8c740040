#include "model/views/agentx_workspace.hpp"

#include "model/describe.hpp"

namespace cadre::model::agentx {

const Entity& describe(const StateFile*)
{
    static const Entity entity{
        .name = "state_file",
        .doc = "Where a task stands.",
        .fields =
            {
                field("task_id", &StateFile::task_id, "The task.", {.required = true}),
                field("status", &StateFile::status, "How far it is.", {.required = true}),
                field("execution_mode", &StateFile::execution_mode, "Whether it runs on by itself or step by step."),
                field("reason", &StateFile::reason, "Why it is blocked; null while it is not."),
                field("text", &StateFile::text, "The same in words."),
                field("current_agent", &StateFile::current_agent, "Whose turn it is, or was last.", {.required = true}),
                field("current_step", &StateFile::current_step, "The last step of history.jsonl."),
                field("requests", &StateFile::requests, "What is asked of a person and not answered."),
                field("steps", &StateFile::steps, "Steps in history.jsonl.", {.min = 0}),
                field("events", &StateFile::events, "Number of the last event.", {.min = 0}),
                field("updated_at", &StateFile::updated_at, "When something last happened.", {.fill = Fill::now}),
            },
        .home = {Home::Kind::data, "`.agentx/state.json` in the folder of a task"},
        .example = R"({"task_id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","status":"paused","execution_mode":"step",
"reason":"step_mode","text":"before the next model call","current_agent":"writer",
"current_step":"step_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60","requests":[],"steps":4,"events":9,
"updated_at":"2026-01-12T09:00:05Z"})",
    };
    return entity;
}

const Entity& describe(const BreakpointsFile*)
{
    static const Entity entity{
        .name = "breakpoints_file",
        .doc = "Where a task stops by itself.",
        .fields =
            {
                field("execution_mode", &BreakpointsFile::execution_mode,
                      "In `step` it stops before every model call."),
                field("breakpoints", &BreakpointsFile::breakpoints, "`agent:NAME`, `tool:NAME`, `node:NAME`."),
                field("hits", &BreakpointsFile::hits, "Where one has stopped it already."),
            },
        .home = {Home::Kind::data, "`.agentx/breakpoints.json` in the folder of a task"},
        .example = R"({"execution_mode":"autonomous","breakpoints":["tool:send_mail"],"hits":["use:1.0"]})",
    };
    return entity;
}

const Entity& describe(const GuardrailsFile*)
{
    static const Entity entity{
        .name = "guardrails_file",
        .doc = "What guardrails have found in a task, and what was done about it.",
        .fields =
            {
                field("task_id", &GuardrailsFile::task_id, "The task."),
                field("violations", &GuardrailsFile::violations, "In the order in which they happened."),
                field("updated_at", &GuardrailsFile::updated_at, "When the file was made."),
            },
        .home = {Home::Kind::data, "`.agentx/guardrails.json` in the folder of a task"},
        .example =
            R"({"task_id":"0f8fad5b-d9cb-469f-a165-70867728950e","violations":[{"type":"event_guardrail_violation",
"violation_id":"calm/1","check_type":"content_filter","severity":"high","policy_violated":"calm","agent_name":"writer",
"content_sample":null,"action_taken":"blocked","timestamp":"2026-11-18T10:00:00Z"}],"updated_at":"2026-11-18T10:00:00Z"})",
    };
    return entity;
}

const Entity& describe(const SandboxTool*)
{
    static const Entity entity{
        .name = "sandbox_tool",
        .doc = "What a tool's programs may do and take in their sandbox.",
        .fields =
            {
                field("network", &SandboxTool::network, "Whether they have the machine's network."),
                field("timeout", &SandboxTool::timeout, "Seconds that one call may take.", {.min = 0}),
                field("memory_mb", &SandboxTool::memory_mb, "Memory, all processes together, in MiB.", {.min = 0}),
                field("cpu_seconds", &SandboxTool::cpu_seconds, "CPU time of a process.", {.min = 0}),
                field("processes", &SandboxTool::processes, "How many there may be at once.", {.min = 0}),
                field("file_mb", &SandboxTool::file_mb, "The largest file, in MiB.", {.min = 0}),
                field("scratch_mb", &SandboxTool::scratch_mb, "What fits into /tmp, in MiB.", {.min = 0}),
            },
        .example = R"({"network":false,"timeout":30,"memory_mb":512,"cpu_seconds":60,"processes":64,"file_mb":256,
"scratch_mb":64})",
    };
    return entity;
}

const Entity& describe(const SandboxFile*)
{
    static const Entity entity{
        .name = "sandbox_file",
        .doc = "Where programs that the task's tools run are locked in.",
        .fields =
            {
                field("id", &SandboxFile::id, "`sandbox_id` in the task's events.", {.required = true}),
                field("kind", &SandboxFile::kind, "What locks them in.", {.required = true}),
                field("workspace", &SandboxFile::workspace, "`artifacts/` of the task, as programs see it."),
                field("shared", &SandboxFile::shared, "`sandbox/shared/` of the task, as programs see it."),
                field("tools", &SandboxFile::tools, "The tools that have run there, and their limits."),
            },
        .home = {Home::Kind::data, "`sandbox/workspace.yaml` in the folder of a task"},
        .example = R"({"id":"sbx_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60","kind":"bubblewrap","workspace":"/task/artifacts",
"shared":"/task/sandbox/shared","tools":{"shell":{"network":false,"timeout":30,"memory_mb":512,"cpu_seconds":60,
"processes":64,"file_mb":256,"scratch_mb":64}}})",
    };
    return entity;
}

const Entity& describe(const Activity*)
{
    static const Entity entity{
        .name = "activity",
        .doc = "What the calls of an agent's model, or of a tool, came to.",
        .fields =
            {
                field("calls", &Activity::calls, "How many there were.", {.min = 0}),
                field("failures", &Activity::failures, "How many of them failed.", {.min = 0}),
                field("total_ms", &Activity::total_ms, "How long they took together.", {.min = 0}),
                field("longest_ms", &Activity::longest_ms, "How long the longest took.", {.min = 0}),
                field("input_tokens", &Activity::input_tokens, "Tokens that models read.", {.min = 0}),
                field("output_tokens", &Activity::output_tokens, "Tokens that models wrote.", {.min = 0}),
            },
        .example =
            R"({"calls":3,"failures":0,"total_ms":2710,"longest_ms":1204,"input_tokens":900,"output_tokens":120})",
    };
    return entity;
}

const Entity& describe(const PerformanceFile*)
{
    static const Entity entity{
        .name = "performance_file",
        .doc = "What a task took.",
        .fields =
            {
                field("task_id", &PerformanceFile::task_id, "The task.", {.required = true}),
                field("agents", &PerformanceFile::agents, "Model calls by agent."),
                field("tools", &PerformanceFile::tools, "Tool calls by tool."),
                field("retries", &PerformanceFile::retries, "Attempts that failed and were made again.", {.min = 0}),
                field("input_tokens", &PerformanceFile::input_tokens, "Tokens that models read.", {.min = 0}),
                field("output_tokens", &PerformanceFile::output_tokens, "Tokens that models wrote.", {.min = 0}),
                field("cost_usd", &PerformanceFile::cost_usd, "What models cost, in US dollars.", {.min = 0}),
                field("running_ms", &PerformanceFile::running_ms, "How long it ran.", {.min = 0}),
                field("waiting_ms", &PerformanceFile::waiting_ms, "How long it waited for people or was paused.",
                      {.min = 0}),
                field("updated_at", &PerformanceFile::updated_at, "When something last happened.", {.fill = Fill::now}),
            },
        .home = {Home::Kind::data, "`.agentx/performance.json` in the folder of a task"},
        .example = R"({"task_id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","agents":{"writer":{"calls":2,"failures":0,
"total_ms":1800,"longest_ms":1204,"input_tokens":900,"output_tokens":120}},"tools":{},"retries":0,"input_tokens":900,
"output_tokens":120,"cost_usd":0.004,"running_ms":1911,"waiting_ms":0,"updated_at":"2026-01-12T09:00:05Z"})",
    };
    return entity;
}

}  // namespace cadre::model::agentx
