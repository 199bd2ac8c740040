#include "mcp/oauth/token_request.hpp"

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "mcp/members.hpp"
#include "mcp/oauth/client_assertion.hpp"
#include "mcp/oauth/metadata.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::mcp::oauth {

namespace {

constexpr std::size_t kLongestToken = 16 << 10;
constexpr std::size_t kLargestAnswer = 64 << 10;
constexpr std::size_t kLongestDescription = 200;
constexpr std::chrono::seconds kLongestLifetime = std::chrono::days(365);

/// As forms write it.
std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
                           std::string_view("-._~").find(c) != std::string_view::npos;
        if (plain) out += c;
        else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string_view name_of(Method method)
{
    return kMethods[static_cast<std::size_t>(method)].second;
}

/// What the server says is wrong, in its own words, if it says it in the usual way.
std::string told(const json::object& object)
{
    const std::string_view error = text_in(object, "error"), more = text_in(object, "error_description");
    if (error.empty()) return {};
    std::string text = redact(error.substr(0, 64));
    if (!more.empty()) text += ", " + redact(more.substr(0, kLongestDescription));
    return " (" + in_quotes(text) + ")";
}

std::optional<Millis> lifetime_in(const json::object& object)
{
    const json::value* value = object.if_contains("expires_in");
    if (!value || !value->is_number()) return std::nullopt;
    const double seconds = value->to_number<double>();
    if (!(seconds >= 0)) return std::nullopt;
    return Millis(static_cast<std::int64_t>(std::min<double>(seconds, double(kLongestLifetime.count())) * 1000));
}

}  // namespace

Method method_for(const Settings& settings, const Granter& granter)
{
    if (settings.method) return *settings.method;
    if (!settings.private_key.empty()) return Method::private_key_jwt;
    const auto offers = [&](Method method) {
        return granter.methods.empty() || std::ranges::find(granter.methods, name_of(method)) != granter.methods.end();
    };
    for (const Method method : {Method::client_secret_basic, Method::client_secret_post})
        if (offers(method)) return method;
    throw Error(Code::invalid, "the authorization server takes no client secret; give the entry a private key "
                               "(ext.oauth.private_key), or say the method (ext.oauth.method)");
}

net::HttpRequest token_request(const Settings& settings, const Granter& granter, const std::string& scope, Time now,
                               const std::string& id)
{
    net::HttpRequest request{.method = "POST", .url = granter.token_url, .largest = kLargestAnswer};
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
    std::string& body = request.body;
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) body += fmt::format("{}{}={}", body.empty() ? "" : "&", name, escaped(value));
    };
    add("grant_type", "client_credentials");
    add("scope", scope);
    add("resource", granter.resource);
    const Method method = method_for(settings, granter);
    const bool needs_key = method == Method::private_key_jwt;
    if ((needs_key ? settings.private_key : settings.client_secret).empty())
        throw Error(Code::unauthorized, needs_key ? "there is no private key" : "there is no client secret");
    switch (method) {
    case Method::client_secret_basic: {
        const std::string pair = escaped(settings.client_id) + ":" + escaped(settings.client_secret.reveal());
        request.headers.push_back({"Authorization", "Basic " + to_base64(pair)});
        break;
    }
    case Method::client_secret_post:
        add("client_id", settings.client_id);
        add("client_secret", settings.client_secret.reveal());
        break;
    case Method::private_key_jwt: {
        const std::string audience = granter.issuer.empty() ? granter.token_url : granter.issuer;
        const Assertion assertion{.client_id = settings.client_id, .audience = audience, .now = now, .id = id};
        add("client_id", settings.client_id);
        add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        add("client_assertion", signed_assertion(assertion, settings.private_key));
        break;
    }
    }
    return request;
}

Token read_token(int status, std::string_view body, const std::string& asked_scope)
{
    if (status >= 300 && status < 400)
        throw Error(Code::forbidden,
                    fmt::format("the token endpoint has moved (HTTP {}); secrets do not follow it there", status));
    json::object object;
    try {
        json::value value = parse_json(body, {.bytes = kLargestAnswer, .depth = 8, .nodes = 1'000});
        if (value.is_object()) object = std::move(value.get_object());
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): said below; what came may hold a token
    }
    if (status != 200)
        throw Error(status >= 500 || status == 429 ? Code::unavailable : Code::unauthorized,
                    fmt::format("the token endpoint refused with HTTP {}{}", status, told(object)));
    Token token{.text = Secret(std::string(text_in(object, "access_token"))),
                .scope = canonical_scope(text_in(object, "scope")),
                .lifetime = lifetime_in(object)};
    if (!is_bearer_token(token.text.reveal()))
        throw Error(Code::upstream, "the token endpoint answered with something that holds no token");
    if (!same_in_any_case(text_in(object, "token_type"), "bearer"))
        throw Error(Code::upstream, "the token endpoint granted a token that is none of the type Bearer");
    if (token.scope.empty()) token.scope = asked_scope;  // RFC 6749 §5.1: left out when it is what was asked for
    return token;
}

Millis margin(Millis lifetime)
{
    return std::min<Millis>(std::chrono::seconds(30), lifetime / 10);
}

bool is_bearer_token(std::string_view text)
{
    return !text.empty() && text.size() <= kLongestToken &&
           std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace cadre::mcp::oauth
