// Breakpoints: where a run stops so that a person can look. Written as text, because that is how people set and read them.
#pragma once

#include "engine/perform.hpp"
#include "engine/task_state.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// `agent:writer` (before each of its model calls), `tool:send_mail` (before each call), `node:review` (once per visit), or
/// `condition:tokens > 1000` (once, at the first effect after it has become true): an expression over tokens, steps, calls and cost.
struct Breakpoint {
    enum class Type { agent, tool, node, condition };

    Type type = Type::agent;
    std::string name{};  // of a condition: the expression
};

/// Throws Error(invalid) that says what can be written.
Breakpoint breakpoint_from(std::string_view text);
/// As it is kept: with spaces in a condition where people put them.
std::string spelling(const Breakpoint& breakpoint);

/// Where `breakpoint` stops the effect, as it is remembered in `passed_breakpoints`; empty: it does not.
std::string stop_of(std::string_view breakpoint, const Effect& effect, const TaskState& task);

struct BreakpointChange {
    bool clear = false;  // first
    std::vector<std::string> remove{};
    std::vector<std::string> add{};
};

/// `now` after the change, each once. Throws Error(invalid), and Error(not_found) for one to be removed that is not there.
std::vector<std::string> changed(std::vector<std::string> now, const BreakpointChange& change);

}  // namespace cadre::engine
