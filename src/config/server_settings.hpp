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
    bool behind_proxy = false;  // a proxy in front speaks TLS
    bool auth = true;           // false: everybody on this machine is its admin
    bool allow_root = false;
    int drain_seconds = 10;
    JwtSettings jwt{};
    RateSettings rates{};    // in place of what holds by default
    bool four_eyes = false;  // nobody but an admin approves what they have created themselves

    bool operator==(const ServerSettings&) const = default;
};
const model::Entity& describe(const ServerSettings*);

}  // namespace cadre::config
