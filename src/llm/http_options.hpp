// How a program speaks HTTP to vendors: proxies and certificates as its variables say.
#pragma once

#include "config/variables.hpp"
#include "net/http_client.hpp"

namespace cadre::llm {

/// HTTPS_PROXY, http_proxy, NO_PROXY and SSL_CERT_FILE.
net::HttpClientOptions http_options(const config::Environment& environment);

}  // namespace cadre::llm
