// The tools that come with Cadre: calculator, clock, read_file, write_file, list_files. `ask_human` is a description only:
// the engine performs it.
#pragma once

#include "model/tool.hpp"
#include "tools/tool.hpp"

#include <vector>

namespace cadre {
class Clock;
}

namespace cadre::tools {

/// Adds all of them. `clock` outlives the registry.
void add_builtin_tools(Registry& registry, const Clock& clock);

/// Description of `ask_human`, kind hitl: arguments {question, choices?}; the answer's text is its result.
const model::Tool& ask_human_definition();

}  // namespace cadre::tools
