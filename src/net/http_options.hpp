// How a program speaks HTTP to vendors: proxies and certificates as its variables say.
#pragma once

#include "net/http_client.hpp"

#include <functional>
#include <optional>
#include <string>

namespace cadre::net {

/// HTTPS_PROXY, http_proxy, NO_PROXY and SSL_CERT_FILE.
HttpClientOptions http_options(const std::function<std::optional<std::string>(const std::string& name)>& environment);

}  // namespace cadre::net
