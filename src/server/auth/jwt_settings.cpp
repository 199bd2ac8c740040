#include "server/auth/jwt_settings.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/tenant_name.hpp"
#include "net/url.hpp"
#include "server/gate.hpp"

#include <boost/json.hpp>

namespace cadre::server {
namespace {

constexpr std::size_t kShortestSecret = 32;

/// A claim by its name, or else by the names on the way to it: `realm_access.roles`. Names may be URLs, so the whole one goes first.
const json::value* find_claim(const json::object& claims, std::string_view name)
{
    if (const json::value* whole = claims.if_contains(name)) return whole;
    const std::size_t dot = name.find('.');
    if (dot == name.npos) return nullptr;
    const json::value* outer = claims.if_contains(name.substr(0, dot));
    return outer && outer->is_object() ? find_claim(outer->as_object(), name.substr(dot + 1)) : nullptr;
}

void add_role(engine::Roles& roles, std::string_view word, const JwtSettings& settings)
{
    const std::string* const name = settings.roles.find(word);
    const auto role = name ? engine::find_role(*name) : std::nullopt;
    if (role) roles.add(*role);
}

/// A list of words, or a text of words with spaces between, as in `scope`.
engine::Roles roles_of(const json::value& claim, const JwtSettings& settings)
{
    engine::Roles roles;
    if (claim.is_array()) {
        for (const json::value& word : claim.as_array())
            if (word.is_string()) add_role(roles, word.as_string(), settings);
    } else if (claim.is_string()) {
        std::string_view words = claim.as_string();
        while (!words.empty()) {
            const std::size_t end = std::min(words.find(' '), words.size());
            add_role(roles, words.substr(0, end), settings);
            words.remove_prefix(std::min(end + 1, words.size()));
        }
    }
    return roles;
}

void check_url(const std::string& text, std::vector<std::string>& faults)
{
    try {
        const net::Url url = net::url_from(text);
        if (!url.tls && !is_loopback(url.host))
            faults.push_back("server.jwt.jwks_url must be https: keys that come unencrypted could be anybody's");
    } catch (const Error&) {
        faults.push_back("server.jwt.jwks_url is not an https URL: " + in_quotes(text));
    }
}

}  // namespace

Secret jwt_secret(const std::function<std::optional<std::string>(const std::string& name)>& environment)
{
    auto text = environment(kJwtSecretVariable);
    return text && !text->empty() ? Secret(std::move(*text)) : Secret();
}

bool wants_tokens(const JwtSettings& settings, const Secret& secret)
{
    return settings != JwtSettings{} || !secret.empty();
}

std::vector<std::string> faults_of(const JwtSettings& settings, const Secret& secret)
{
    std::vector<std::string> faults;
    if (settings.issuer.empty()) faults.emplace_back("server.jwt.issuer is missing: tokens of whom are good?");
    if (settings.audience.empty()) faults.emplace_back("server.jwt.audience is missing: tokens for whom are good?");
    const int sources = !settings.jwks_file.empty() + !settings.jwks_url.empty() + !secret.empty();
    if (sources == 0)
        faults.emplace_back("server.jwt has no keys to check tokens with; say jwks_file or jwks_url, or set " +
                            std::string(kJwtSecretVariable));
    if (sources > 1)
        faults.emplace_back(
            "server.jwt has keys from several places; say one of jwks_file, jwks_url and the variable " +
            std::string(kJwtSecretVariable));
    if (!secret.empty() && secret.reveal().size() < kShortestSecret)
        faults.emplace_back(std::string(kJwtSecretVariable) + " is too short: it needs 32 bytes or more");
    if (!settings.jwks_url.empty()) check_url(settings.jwks_url, faults);
    for (const auto& [word, role] : settings.roles)
        if (!engine::find_role(role))
            faults.push_back("server.jwt.roles." + word + ": " + in_quotes(role) +
                             " is not a role: viewer, user, approver, operator, admin");
    return faults;
}

std::variant<engine::Principal, JwtReason> principal_of(const JwtClaims& claims, const JwtSettings& settings)
{
    const json::value all = parse_json(claims.json);
    engine::Principal by{.subject = claims.subject};
    if (!settings.tenant_claim.empty()) {
        const json::value* tenant = find_claim(all.as_object(), settings.tenant_claim);
        if (!tenant || !tenant->is_string() || !model::is_tenant_name(tenant->as_string()))
            return JwtReason::bad_tenant;
        by.tenant = tenant->as_string();
    }
    if (const json::value* roles = find_claim(all.as_object(), settings.roles_claim))
        by.roles = roles_of(*roles, settings);
    return by;
}

}  // namespace cadre::server
