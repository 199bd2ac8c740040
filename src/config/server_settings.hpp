// What `cadre serve` is told: `server` of cadre.yaml, CADRE_SERVER_… and flags are these fields.
#pragma once

#include "config/access_settings.hpp"

#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::config {

struct ServerSettings {
    std::vector<std::string> listen{"127.0.0.1:8080"};  // addresses with a port, or unix:PATH
    std::string public_url{};                           // what clients call it, behind a proxy; empty: where it listens
    std::vector<std::string> allowed_origins{};         // pages of other sites that may ask
    std::string tls_cert{};
    std::string tls_key{};
    bool behind_proxy = false;                        // a proxy in front speaks TLS
    std::string forwarded_header{"X-Forwarded-For"};  // where that says who asks: this header, and no other
    bool auth = true;                                 // false: everybody on this machine is its admin
    bool allow_root = false;
    int drain_seconds = 10;
    std::string otlp_endpoint{};        // of a collector of OpenTelemetry; empty: none
    int connections = 10'000;           // at a time, on all addresses
    int connections_per_address = 256;  // of a client's address; not behind a proxy, where all come from one
    JwtSettings jwt{};
    RateSettings rates{};    // in place of what holds by default
    bool four_eyes = false;  // nobody but an admin approves what they have created themselves

    bool operator==(const ServerSettings&) const = default;
};
const model::Entity& describe(const ServerSettings*);

}  // namespace cadre::config
