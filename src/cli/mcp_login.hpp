// cadre mcp login and logout: secrets of MCP servers that the home keeps.
#pragma once

#include "base/async_fwd.hpp"

#include <string>

namespace cadre::mcp {
class Server;
namespace oauth {
class KeptSecrets;
}
}  // namespace cadre::mcp

namespace cadre::cli {

struct Output;

/// Reads a bearer token, or for a server with ext.oauth its client secret or private key: from standard input, or unseen from the terminal.
/// It is kept for this server at this address.
Async<int> log_in(mcp::oauth::KeptSecrets& kept, const mcp::Server& server, Output& output);
/// Forgets all that is kept for the server, whether or not a file still names it.
Async<int> log_out(mcp::oauth::KeptSecrets& kept, std::string server, Output& output);

}  // namespace cadre::cli
