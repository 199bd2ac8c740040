// Finding out who grants tokens for a server.
#pragma once

#include "base/async_fwd.hpp"
#include "mcp/oauth/challenge.hpp"

#include <string>
#include <vector>

namespace cadre::mcp::oauth {

/// Who grants tokens for a server, and how.
struct Granter {
    std::string issuer{};  // empty: the operator named the token endpoint
    std::string token_url{};
    std::vector<std::string> methods{};  // of saying who asks; empty: not said
    std::string resource{};
    std::string scope{};  // all that the server supports
};

/// Follows the challenge, or looks where metadata usually lie; servers of 2025-03-26 have none and are their own granters. Of several
/// authorization servers `known_issuer` is preferred. Throws Error.
Async<Granter> discover(net::Http& http, std::string server_url, Challenge challenge, std::string known_issuer);

}  // namespace cadre::mcp::oauth
