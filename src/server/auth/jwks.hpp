// A JSON Web Key Set (RFC 7517): the public keys of whoever makes tokens for us.
#pragma once

#include "server/auth/jwt_keys.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::server {

inline constexpr std::size_t kLargestJwks = 256 << 10;
inline constexpr std::size_t kMostJwks = 100;

struct Jwks {
    JwtKeys keys{};
    std::vector<std::string> refused{};  // why a key was left out: `"abc": the key is RSA of 1024 bits, …`
};

/// Keys that are for something else (encryption, other algorithms), weak, private, secret or malformed are left out. Throws
/// Error(malformed) for what is not a set of keys, Error(too_large) beyond the limits.
Jwks parse_jwks(std::string_view text);

}  // namespace cadre::server
