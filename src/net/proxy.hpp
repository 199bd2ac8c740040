// Which proxy a request goes through: HTTPS_PROXY, HTTP_PROXY and NO_PROXY as values. Who reads the environment hands them in.
#pragma once

#include "base/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cadre::net {

struct Url;

/// What the variables of these names say. Empty: not set.
struct ProxyRules {
    std::string https_proxy{};  // http://[user:password@]host:port
    std::string http_proxy{};
    std::string no_proxy{};  // names with all below them, addresses, networks; with or without a port; `*` for all
};

struct Proxy {
    std::string host{};
    std::uint16_t port = 0;
    Secret authorization{};  // what Proxy-Authorization says; empty: nothing

    std::string host_and_port() const;
};

/// Nothing: the request goes straight there, as everything on this machine does (localhost, 127.0.0.0/8, ::1). Throws
/// Error(invalid) that names the variable when it is no URL of a proxy.
std::optional<Proxy> find_proxy(const ProxyRules& rules, const Url& url);

}  // namespace cadre::net
