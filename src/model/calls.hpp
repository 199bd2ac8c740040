// Calls and the parts of steps that tell of them (C-06): one Call is a ToolCall, and later its ToolResult.
#pragma once

#include "model/call.hpp"
#include "model/step.hpp"

#include <span>
#include <string>
#include <vector>

namespace cadre::model {

ToolCall tool_call_of(const Call& call);
/// Text stays as it is, other values become compact JSON.
ToolResult tool_result_of(const Call& call);

/// All calls of a history with their outcomes, in the order in which they were made. `servers` says which MCP server has
/// which tool.
std::vector<Call> calls_of(std::span<const Step> history, const Dict<std::string>& servers = {});

/// The id as a UUID, if it is one of ours; a foreign id as it came.
std::string uuid_of(const std::string& call_id);

}  // namespace cadre::model
