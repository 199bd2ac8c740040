#include "server/auth/jwks.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace cadre::server {
namespace {

[[noreturn]] void leave_out(const std::string& why)
{
    throw Error(Code::invalid, "the key " + why);
}

std::string jwk_text(const json::object& key, std::string_view name)
{
    const json::value* value = key.if_contains(name);
    if (value && !value->is_string()) leave_out("has a member " + in_quotes(name) + " that is not a text");
    return value ? std::string(value->as_string()) : "";
}

std::string jwk_bytes(const json::object& key, std::string_view name)
{
    const auto bytes = from_base64url(jwk_text(key, name));
    if (!bytes || bytes->empty()) leave_out("has no member " + in_quotes(name) + " in base64url");
    return *bytes;
}

JwtKey key_of(const json::object& key)
{
    const std::string kind = jwk_text(key, "kty"), curve = jwk_text(key, "crv");
    if (kind == "OKP" && curve == "Ed25519") return JwtKey::ed25519(jwk_bytes(key, "x"));
    if (kind == "EC" && curve == "P-256") return JwtKey::p256(jwk_bytes(key, "x"), jwk_bytes(key, "y"));
    if (kind == "RSA") return JwtKey::rsa(jwk_bytes(key, "n"), jwk_bytes(key, "e"));
    if (kind == "oct") leave_out("is a secret, and whoever reads a set of public keys would know it");
    leave_out("is of the kind " + in_quotes(kind) + (curve.empty() ? "" : " " + in_quotes(curve)) +
              ", which is not supported");
}

void check_purpose(const json::object& key)
{
    if (key.contains("d") || key.contains("p")) leave_out("is a private one: whoever has read it can sign; replace it");
    const std::string use = jwk_text(key, "use");
    if (!use.empty() && use != "sig") leave_out("is not for signatures");
    const json::value* operations = key.if_contains("key_ops");
    if (!operations) return;
    const auto is_verify = [](const json::value& one) { return one == "verify"; };
    if (!operations->is_array() || std::ranges::none_of(operations->as_array(), is_verify))
        leave_out("is not for verifying");
}

void add_key(JwtKeys& keys, const json::object& key)
{
    check_purpose(key);
    JwtKey made = key_of(key);
    const std::string algorithm = jwk_text(key, "alg");
    // RFC 9864 gives EdDSA's two curves names of their own
    const bool ours = algorithm.empty() || algorithm == name_of(made.algorithm()) ||
                      (algorithm == "Ed25519" && made.algorithm() == JwtAlgorithm::eddsa);
    if (!ours) leave_out("is for the algorithm " + in_quotes(algorithm) + ", which is not supported");
    keys.add(jwk_text(key, "kid"), std::move(made));
}

std::string label_of(const json::value& key, std::size_t number)
{
    const json::value* id = key.is_object() ? key.as_object().if_contains("kid") : nullptr;
    return id && id->is_string() ? in_quotes(std::string_view(id->as_string())) : "key " + std::to_string(number);
}

}  // namespace

Jwks parse_jwks(std::string_view text)
{
    const json::value document = parse_json(text, {.bytes = kLargestJwks, .depth = 16});
    const json::value* list = document.is_object() ? document.as_object().if_contains("keys") : nullptr;
    if (!list || !list->is_array()) throw Error(Code::malformed, "a set of keys is an object with a list \"keys\"");
    if (list->as_array().size() > kMostJwks)
        throw Error(Code::too_large, "a set of keys has at most " + std::to_string(kMostJwks));
    Jwks out;
    std::size_t number = 0;
    for (const json::value& key : list->as_array()) {
        ++number;
        try {
            if (!key.is_object()) leave_out("is not an object");
            add_key(out.keys, key.as_object());
        } catch (const Error& error) {
            out.refused.push_back(label_of(key, number) + ": " + error.what());
        }
    }
    return out;
}

}  // namespace cadre::server
