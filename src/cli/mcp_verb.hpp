// `cadre mcp`: MCP servers by hand.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb mcp_verb();

}  // namespace cadre::cli
