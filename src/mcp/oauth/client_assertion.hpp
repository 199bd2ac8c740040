// A signed statement of who asks (RFC 7523): what private_key_jwt sends in place of a secret.
#pragma once

#include "base/secret.hpp"
#include "base/time.hpp"

#include <string>

namespace cadre::mcp::oauth {

struct Assertion {
    std::string client_id{};
    std::string audience{};
    Time now{};
    std::string id{};  // never used twice
};

/// A JWT: ES256 with a key on P-256, RS256 with one of RSA with at least 2048 bits. Throws Error(invalid) for other keys and for what is
/// no PEM; its text shows nothing of the key.
std::string signed_assertion(const Assertion& assertion, const Secret& private_key);

}  // namespace cadre::mcp::oauth
