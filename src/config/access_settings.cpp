#include "config/access_settings.hpp"

#include "model/describe.hpp"

namespace cadre::config {

const model::Entity& describe(const JwtSettings*)
{
    using model::field;
    static const model::Entity entity{
        .name = "jwt",
        .doc = "Whose tokens are good, and what they are good for. A secret in place of keys is only taken from "
               "CADRE_JWT_SECRET.",
        .fields =
            {
                field("issuer", &JwtSettings::issuer, "`iss` of the tokens; empty: no tokens, only API keys."),
                field("audience", &JwtSettings::audience, "`aud` of the tokens: this server, as the issuer knows it."),
                field("jwks_file", &JwtSettings::jwks_file,
                      "A file with the issuer's public keys (JWKS); read again when it changes."),
                field("jwks_url", &JwtSettings::jwks_url, "Where the issuer publishes them; https."),
                field("roles_claim", &JwtSettings::roles_claim,
                      "The claim that says what somebody is: a list, or words with spaces between. `a.b` is `b` in the "
                      "object `a`."),
                field("roles", &JwtSettings::roles,
                      "What the claim may say, and which role that is here: viewer, user, approver, operator, admin."),
                field("tenant_claim", &JwtSettings::tenant_claim,
                      "The claim that says whose tasks somebody works on; empty: everybody is of the tenant local."),
            },
        .home = {model::Home::Kind::yaml_file, "`cadre.yaml`, as `server.jwt`"},
        .example = R"({"issuer":"https://id.example.com","audience":"cadre","jwks_file":"",
"jwks_url":"https://id.example.com/keys","roles_claim":"roles","roles":{"agents-admin":"admin"},"tenant_claim":""})",
    };
    return entity;
}

const model::Entity& describe(const RateSetting*)
{
    using model::field;
    constexpr double kMostRequests = 1'000'000;
    constexpr double kLongestSeconds = 86'400;
    static const model::Entity entity{
        .name = "rate",
        .doc = "How often somebody may ask.",
        .fields =
            {
                field("requests", &RateSetting::requests, "So many at once, if they like,",
                      {.required = true, .min = 1, .max = kMostRequests}),
                field("seconds", &RateSetting::seconds, "and as many again in that time.",
                      {.required = true, .min = 1, .max = kLongestSeconds}),
            },
        .home = {model::Home::Kind::yaml_file, "`cadre.yaml`, in `server.rates`"},
        .example = R"({"requests":40,"seconds":2})",
    };
    return entity;
}

}  // namespace cadre::config
