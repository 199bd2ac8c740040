// Where a URL that comes from a model, a tool, a tenant or a peer may lead. URLs of the operator's own configuration are not
// asked about here.
#pragma once

#include "net/ip_address.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cadre::net {

struct Url;

/// By default public addresses over https, at its usual port. Redirects are nobody's to follow: they are answers, and where they
/// lead is a foreign URL again.
struct EgressPolicy {
    bool allow_http = false;
    std::vector<std::uint16_t> ports = {443};  // empty: any
    /// What is not public and may be reached all the same: private ranges, loopback.
    std::vector<IpNetwork> allowed{};

    /// Before anything is resolved: scheme, port, and the address if the host is one. Throws Error(forbidden).
    void check(const Url& url) const;
    /// The address that a connection is about to go to; `host` is the name that led there. Throws Error(forbidden).
    void check(const IpAddress& address, const std::string& host) const;
};

/// What kind of address it is when it is not one of the public internet: "private", "loopback", …; null when it is.
const char* special_use(const IpAddress& address);

}  // namespace cadre::net
