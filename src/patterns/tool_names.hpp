// What a task calls the tools that files name.
#pragma once

#include <string>

namespace cadre::engine {
class Run;
}

namespace cadre::patterns {

/// Files write `server.tool`, or what its server calls it; a task that is pinned to it may have another name for it.
std::string pinned_name(const engine::Run& run, const std::string& tool);

}  // namespace cadre::patterns
