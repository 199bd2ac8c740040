// Tool search: an agent with more tools than a model should read at every step is shown a few, and finds the others by what it says it
// needs.
#pragma once

#include "llm/model.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// Whether so many definitions are too much for every request of an agent: vendors refuse more than 128 tools, and models choose badly
/// among so many long before that.
bool are_too_many(const std::vector<llm::ToolSpec>& specs);

/// Those that have most to do with the query, the best first; the same for the same input everywhere.
std::vector<const llm::ToolSpec*> search(const std::vector<llm::ToolSpec>& specs, std::string_view query,
                                         std::size_t limit);

/// What the model reads of a search.
std::string found_text(const std::vector<const llm::ToolSpec*>& found, const std::vector<llm::ToolSpec>& all);

}  // namespace cadre::engine
