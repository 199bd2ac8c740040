// Asking for a token and reading what comes back (RFC 6749 §4.4), without sockets.
#pragma once

#include "base/time.hpp"
#include "mcp/oauth/discovery.hpp"
#include "mcp/oauth/settings.hpp"
#include "net/http.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre::mcp::oauth {

/// Throws Error(invalid) when the authorization server offers none that the settings have a secret for.
Method method_for(const Settings& settings, const Granter& granter);

/// Throws Error for a key that cannot sign. `id` is one that was never used.
net::HttpRequest token_request(const Settings& settings, const Granter& granter, const std::string& scope, Time now,
                               const std::string& id);

struct Token {
    Secret text{};
    std::string scope{};               // that it was granted for, as far as that is known
    std::optional<Millis> lifetime{};  // nothing: not said
};

/// Throws Error that holds nothing of what was sent.
Token read_token(int status, std::string_view body, const std::string& asked_scope);

/// How long before its end a token is no longer used.
Millis margin(Millis lifetime);

/// What can be sent as `Bearer`: RFC 6750 §2.1, and whatever else a header carries without blanks.
bool is_bearer_token(std::string_view text);

}  // namespace cadre::mcp::oauth
