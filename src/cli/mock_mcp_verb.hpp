// cadre mock-mcp: a scripted MCP server, over stdio and HTTP.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb mock_mcp_verb();

}  // namespace cadre::cli
