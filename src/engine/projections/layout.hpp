// The names of what lies in the folder of a task (documents 000 and 004, C-17).
#pragma once

#include "artifacts/keeper.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::engine {

namespace layout {

inline constexpr std::string_view kTask = "task.json";
inline constexpr std::string_view kHistory = "history.jsonl";
inline constexpr std::string_view kTrace = "trace.json";
inline constexpr std::string_view kPlan = "plan.json";
inline constexpr std::string_view kTeam = "team.yaml";
inline constexpr std::string_view kState = ".agentx/state.json";
inline constexpr std::string_view kBreakpoints = ".agentx/breakpoints.json";
inline constexpr std::string_view kGuardrails = ".agentx/guardrails.json";
inline constexpr std::string_view kPerformance = ".agentx/performance.json";
inline constexpr std::string_view kShortTerm = "memory/short_term.json";
inline constexpr std::string_view kSandbox = "sandbox/workspace.yaml";
inline constexpr std::string_view kBlobs = artifacts::kContentsFolder;
inline constexpr std::string_view kCursor = ".agentx/cursor.json";
inline constexpr std::array<std::string_view, 4> kLogs = {".agentx/logs/orchestrator.log", ".agentx/logs/agents.log",
                                                          ".agentx/logs/tools.log", ".agentx/logs/errors.log"};

/// `checkpoint_007.json`; more digits where three are not enough (S-20).
std::string checkpoint(int number);
/// `sub_agents/{id}.json`
std::string sub_agent(std::string_view session);

/// Whether a purge removes what has this name in the folder of a task (C-21): the task itself and what it made stay.
bool is_history(std::string_view name);
/// Directly in the folder: whether it is made from the journal, so that it can be made again.
bool is_projected(std::string_view name);

}  // namespace layout

}  // namespace cadre::engine
