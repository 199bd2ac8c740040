// clock: what time it is.
#pragma once

#include <memory>

namespace cadre {
class Clock;
}

namespace cadre::tools {

class Tool;

/// `clock` outlives the tool.
std::shared_ptr<Tool> clock_tool(const Clock& clock);

}  // namespace cadre::tools
