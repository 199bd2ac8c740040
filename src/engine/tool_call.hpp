// Tool calls as records hold them: each as `{"id":…,"tool_name":…,"args":{…}}`, and what is not set is left out.
#pragma once

#include "model/part.hpp"

#include <string>
#include <vector>

namespace cadre::engine {

void append_call(std::string& out, const model::ToolCall& call);
void append_calls(std::string& out, const std::vector<model::ToolCall>& calls);

}  // namespace cadre::engine
