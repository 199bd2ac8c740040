// shell and python: programs that the model writes itself.
#pragma once

#include "tools/sandbox/program_tool.hpp"

#include <memory>

namespace cadre::tools {

std::shared_ptr<Tool> shell_tool(SandboxOptions options);
std::shared_ptr<Tool> python_tool(SandboxOptions options);

}  // namespace cadre::tools
