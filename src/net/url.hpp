// URLs of http and https, read strictly: what two programs could read differently is refused.
#pragma once

#include "net/ip_address.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

struct Url {
    bool tls = false;               // https
    std::string host{};             // in lower case, an IPv6 address without its brackets
    std::optional<IpAddress> ip{};  // when the host is one
    std::uint16_t port = 0;         // always known
    std::string target = "/";       // path and query, as they are sent

    /// As in a Host header: without the port that the scheme implies.
    std::string authority() const;
    /// `host:port`, as CONNECT wants it.
    std::string host_and_port() const;
    /// `https://host`, for people: it holds neither path nor query, where keys may stand.
    std::string origin() const;

    bool operator==(const Url&) const = default;
};

/// The longest that is read.
inline constexpr std::size_t kLongestUrl = 8 << 10;

/// Throws Error(malformed | invalid), whose text shows nothing of the URL but its scheme and host. User names and passwords
/// are refused: they belong into headers. A fragment is checked and dropped, since it is never sent.
Url url_from(std::string_view text);

}  // namespace cadre::net
