// Document 004 §4.2: the files below `.agentx/` in the folder of a task, for which the document has only the names.
#pragma once

#include "model/human.hpp"
#include "model/task.hpp"
#include "model/type.hpp"
#include "model/work_events.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre::model::agentx {

/// `.agentx/state.json`: where the task stands.
struct StateFile {
    std::string task_id{};
    std::string status{};  // 004's word
    ExecutionMode execution_mode = ExecutionMode::autonomous;
    std::optional<std::string> reason{};  // why it does not go on: 004's word
    std::optional<std::string> text{};    // the same, for people
    std::string current_agent{};
    std::optional<std::string> current_step{};  // the last one that is in history.jsonl
    std::vector<HumanRequest> requests{};       // open ones
    std::int64_t steps = 0;
    std::int64_t events = 0;
    Time updated_at{};

    bool operator==(const StateFile&) const = default;
};
const Entity& describe(const StateFile*);

/// `.agentx/breakpoints.json`: where it stops by itself.
struct BreakpointsFile {
    ExecutionMode execution_mode = ExecutionMode::autonomous;
    std::vector<std::string> breakpoints{};
    std::vector<std::string> hits{};  // where one has stopped it already

    bool operator==(const BreakpointsFile&) const = default;
};
const Entity& describe(const BreakpointsFile*);

/// What a tool's programs may do and take in their sandbox.
struct SandboxTool {
    bool network = false;
    std::int64_t timeout = 0;  // seconds
    std::int64_t memory_mb = 0;
    std::int64_t cpu_seconds = 0;
    std::int64_t processes = 0;
    std::int64_t file_mb = 0;
    std::int64_t scratch_mb = 0;

    bool operator==(const SandboxTool&) const = default;
};
const Entity& describe(const SandboxTool*);

/// `sandbox/workspace.yaml`: where programs that the task's tools run are locked in.
struct SandboxFile {
    std::string id{};         // `sandbox_id` of the task's events
    std::string kind{};       // what locks them in
    std::string workspace{};  // the folder `artifacts/`, as programs see it
    std::string shared{};     // the folder `sandbox/shared/`, as programs see it
    Dict<SandboxTool> tools{};

    bool operator==(const SandboxFile&) const = default;
};
const Entity& describe(const SandboxFile*);

/// What an agent's model calls, or a tool's calls, came to.
struct Activity {
    std::int64_t calls = 0;
    std::int64_t failures = 0;
    std::int64_t total_ms = 0;
    std::int64_t longest_ms = 0;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;

    bool operator==(const Activity&) const = default;
};
const Entity& describe(const Activity*);

/// `.agentx/guardrails.json`: what guardrails have found, and what was done about it.
struct GuardrailsFile {
    std::string task_id{};
    std::vector<GuardrailViolationEvent> violations{};
    Time updated_at{};

    bool operator==(const GuardrailsFile&) const = default;
};
const Entity& describe(const GuardrailsFile*);

/// `.agentx/performance.json`: what it took.
struct PerformanceFile {
    std::string task_id{};
    Dict<Activity> agents{};
    Dict<Activity> tools{};
    std::int64_t retries = 0;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    double cost_usd = 0;
    std::int64_t running_ms = 0;
    std::int64_t waiting_ms = 0;  // for people, or paused
    Time updated_at{};

    bool operator==(const PerformanceFile&) const = default;
};
const Entity& describe(const PerformanceFile*);

}  // namespace cadre::model::agentx
