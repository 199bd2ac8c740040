// That a task has paused because its process ended again and again in one effect.
#pragma once

#include <string>

namespace cadre::engine {

/// As TaskState::passed_breakpoints knows it: at that effect, for the first time, the second, …
inline std::string interruption_at(const std::string& path, int times)
{
    return "interrupted:" + path + '#' + std::to_string(times);
}

}  // namespace cadre::engine
