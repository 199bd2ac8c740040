// What the record of a node's end says about a workflow's ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// Why none of its edges led on, which is worth a word, as it is often a mistake; empty: the node led on, or has no edges.
std::string dead_end_in(std::string_view result);
/// The nodes before it that counted.
std::vector<std::string> after_in(std::string_view result);

}  // namespace cadre::engine
