// Who may use `cadre serve`, and how often: `server.jwt` and `server.rates` of cadre.yaml.
#pragma once

#include "model/type.hpp"

#include <string>

namespace cadre::model {
struct Entity;
}

namespace cadre::config {

/// Whose tokens are good, and what they are good for. Without an issuer none is.
struct JwtSettings {
    std::string issuer{};
    std::string audience{};
    std::string jwks_file{};  // where the issuer's keys are, if not at jwks_url
    std::string jwks_url{};
    std::string roles_claim{"roles"};
    model::Dict<std::string> roles{};  // what the claim says → viewer, user, approver, operator, admin
    std::string tenant_claim{};        // empty: everybody is of the tenant `local`

    bool operator==(const JwtSettings&) const = default;
};
const model::Entity& describe(const JwtSettings*);

/// So many at once, and as many again in that time.
struct RateSetting {
    int requests = 1;
    int seconds = 1;

    bool operator==(const RateSetting&) const = default;
};
const model::Entity& describe(const RateSetting*);

/// By the name of a class of requests (read, write, create, stream, heavy, admin, sign_in), of a route (search_memory), or of a person (user/ann).
using RateSettings = model::Dict<RateSetting>;

}  // namespace cadre::config
