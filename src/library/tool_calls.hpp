// Tool calls as public headers have them, arguments as text, and as our rooms have them.
#pragma once

#include "cadre/run.hpp"
#include "model/part.hpp"

#include <vector>

namespace cadre::library {

/// Throws Error(malformed) when the arguments are no JSON object.
std::vector<model::ToolCall> inner_form(const std::vector<ToolCall>& calls);
std::vector<ToolCall> public_form(const std::vector<model::ToolCall>& calls);

}  // namespace cadre::library
