// JSON Web Tokens (RFC 7519, RFC 8725), verified: a function of the token, the keys and the time.
#pragma once

#include "base/time.hpp"
#include "server/auth/jwt_keys.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cadre::server {

/// Who may have made a token, and for whom.
struct JwtRules {
    std::string issuer{};
    std::string audience{};
    std::vector<std::string> types{};  // `typ` must be there and one of these; empty: none, JWT or at+jwt
    Millis leeway{60'000};             // for clocks that differ
    Millis lifetime{3'600'000};        // of a token, at most
};

/// Of a token that is good.
struct JwtClaims {
    std::string issuer{};
    std::string subject{};
    std::string id{};  // `jti`; empty: none
    Time expires{};
    std::string json{};  // all claims, for those that only the operator knows
};

/// Why a token is not good; the first thing that is wrong. For logs and metrics: whoever sent it hears only that it is not.
enum class JwtReason : std::uint8_t {
    too_large,    // more than 8 KiB
    malformed,    // not three parts of base64url, not JSON, a name twice, a value of the wrong type
    algorithm,    // one that no key of ours has
    unknown_key,  // a kid that we do not know, or no key at all
    critical,     // wants something understood that we do not know
    type,         // a token for another purpose
    signature,    // not signed with the key
    missing,      // no iss, aud, exp or sub
    issuer,       // made by somebody else
    audience,     // made for somebody else
    expired,      // it was good once
    not_yet,      // nbf or iat is in the future
    long_lived,   // valid for longer than tokens may be
    bad_subject,  // empty, or more than 128 characters
    bad_tenant,   // no claim that says whose tasks are meant, or not the name of a tenant
};
std::string_view name_of(JwtReason reason);

inline constexpr std::size_t kLargestJwt = 8 << 10;

std::variant<JwtClaims, JwtReason> verify_jwt(std::string_view token, const JwtKeys& keys, const JwtRules& rules,
                                              Time now);

}  // namespace cadre::server
