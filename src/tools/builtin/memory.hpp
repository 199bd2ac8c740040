// remember, recall: what an agent keeps for later runs, and what it knows from earlier ones.
#pragma once

#include <memory>

namespace cadre::tools {

class Tool;

std::shared_ptr<Tool> remember_tool();
std::shared_ptr<Tool> recall_tool();

}  // namespace cadre::tools
