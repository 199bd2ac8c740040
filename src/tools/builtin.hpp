// The tools that come with Cadre: calculator, clock, read_file, write_file, list_files, remember, recall. `ask_human` and `search_tools` are
// descriptions only: the engine performs them.
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
/// Description of `search_tools`, for agents that have too many to see all at once: arguments {query, limit?}.
const model::Tool& search_tools_definition();

}  // namespace cadre::tools
