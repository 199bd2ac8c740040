// Tool calls as records hold them: each as `{"id":…,"tool_name":…,"args":{…}}`, and what is not set is left out.
#pragma once

#include "model/part.hpp"

#include <string>
#include <vector>

namespace cadre::engine {

/// What a call is named whose model named no tool. Vendors take such a name back, and no agent has such a tool.
inline constexpr const char* kUnnamedTool = "unnamed_tool";

void append_call(std::string& out, const model::ToolCall& call);
void append_calls(std::string& out, const std::vector<model::ToolCall>& calls);

}  // namespace cadre::engine
