// Where a Redis server is and who we are there: `redis://user:password@host:6379/0`, `rediss://` with TLS, `unix:///file?db=0`.
#pragma once

#include "base/secret.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::net {

struct RedisAddress {
    std::string host{};  // empty: `file`
    std::uint16_t port = 6379;
    std::string file{};  // a local socket's
    bool tls = false;
    std::string user{};  // empty: Redis' default user
    Secret password{};
    int database = 0;

    /// For people: nothing of user or password.
    std::string origin() const;
};

/// Throws Error(malformed | invalid), whose text shows nothing of user and password.
RedisAddress redis_address_from(std::string_view url);

}  // namespace cadre::net
