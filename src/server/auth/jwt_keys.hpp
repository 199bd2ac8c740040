// Keys that signatures of tokens are checked with. What a key can check is the key's business, never the token's.
#pragma once

#include "base/secret.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::server {

enum class JwtAlgorithm : std::uint8_t {
    eddsa,  // Ed25519
    es256,  // P-256
    rs256,  // RSA of 2048 bits or more
    hs256,  // a secret of 32 bytes or more
};
/// As tokens spell it: `EdDSA`.
std::string_view name_of(JwtAlgorithm algorithm);

/// A cheap value. What makes one throws Error(invalid) for a key that is malformed or weak.
class JwtKey {
public:
    static JwtKey ed25519(std::string_view x);
    static JwtKey p256(std::string_view x, std::string_view y);
    static JwtKey rsa(std::string_view n, std::string_view e);
    /// A public key of one of these kinds, as PEM.
    static JwtKey pem(std::string_view text);
    static JwtKey secret(const Secret& secret);

    JwtAlgorithm algorithm() const;
    bool verifies(std::string_view text, std::string_view signature) const;

private:
    struct Impl;
    explicit JwtKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

    std::shared_ptr<const Impl> impl_;
};

/// How many keys are tried on a token that does not say which one.
inline constexpr std::size_t kMostKeysTried = 8;

class JwtKeys {
public:
    /// `id` is its `kid`; empty: it has none. Throws Error(invalid) for an id that another key has, and for a secret beside any
    /// other key: whoever knew a public key could sign with it.
    void add(std::string id, JwtKey key);

    /// Those that a token may have been signed with: the one of that id; without one, those of the algorithm. Where no key has an id,
    /// a token's means nothing.
    std::vector<JwtKey> candidates(std::optional<std::string_view> id, JwtAlgorithm algorithm) const;
    /// Whether candidates() would find one of that id, if only its algorithm were right.
    bool knows(std::optional<std::string_view> id) const;
    std::size_t size() const { return named_.size() + nameless_.size(); }

private:
    std::map<std::string, JwtKey, std::less<>> named_;
    std::vector<JwtKey> nameless_;
};

}  // namespace cadre::server
