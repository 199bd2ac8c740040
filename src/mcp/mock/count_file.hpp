// A file that says how often something happened, and survives the server that did it.
#pragma once

#include "mcp/mock/tools.hpp"

#include <string>

namespace cadre::mcp::mock {

/// Appends a line with the key, `-` when there is none, and returns how many lines there are by now, whoever wrote them. Without a
/// file it counts in memory. Throws Error(unavailable) when the file cannot be written, at once or later.
Tools::Count count_in(const std::string& file);

}  // namespace cadre::mcp::mock
