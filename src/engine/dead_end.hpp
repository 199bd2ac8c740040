// A node of a workflow that has edges, none of which led on: worth a word, as it is often a mistake.
#pragma once

#include <string>
#include <string_view>

namespace cadre::engine {

/// Why, of the record of a node's end; empty: the node led on, or has no edges.
std::string dead_end_in(std::string_view result);

}  // namespace cadre::engine
