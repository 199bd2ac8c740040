#include "server/auth/jwt.hpp"

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cadre::server {
namespace {

constexpr std::array<std::string_view, 15> kReasonNames = {
    "too_large", "malformed", "algorithm", "unknown_key", "critical",   "type",        "signature",  "missing",
    "issuer",    "audience",  "expired",   "not_yet",     "long_lived", "bad_subject", "bad_tenant",
};
static_assert(kReasonNames.size() == static_cast<std::size_t>(JwtReason::bad_tenant) + 1);

constexpr JsonLimits kTokenLimits{.bytes = kLargestJwt, .depth = 16, .nodes = 2'000};
constexpr std::size_t kLongestSubject = 128;
constexpr double kLatestSecond = 253'402'300'799;  // the end of the year 9999

/// Leaves verify_jwt() at the first thing that is wrong.
struct Refused {
    JwtReason reason;
};

[[noreturn]] void refuse(JwtReason reason)
{
    throw Refused{reason};
}

struct Parts {
    std::string_view signed_text;  // header and payload, as they were sent
    std::string_view header, payload, signature;
};

Parts parts_of(std::string_view token)
{
    const std::size_t first = token.find('.');
    const std::size_t second = first == token.npos ? first : token.find('.', first + 1);
    if (second == token.npos || token.find('.', second + 1) != token.npos) refuse(JwtReason::malformed);
    return {token.substr(0, second), token.substr(0, first), token.substr(first + 1, second - first - 1),
            token.substr(second + 1)};
}

std::string bytes_of_part(std::string_view part)
{
    auto bytes = from_base64url(part);
    if (!bytes || bytes->empty()) refuse(JwtReason::malformed);
    return std::move(*bytes);
}

/// parse_json refuses names that come twice.
json::object object_of(const std::string& text)
{
    try {
        json::value value = parse_json(text, kTokenLimits);
        if (value.is_object()) return std::move(value.as_object());
    } catch (const Error&) {}
    refuse(JwtReason::malformed);
}

/// Nothing when it is not there; refused when it is no string.
std::optional<std::string> text_member(const json::object& object, std::string_view name)
{
    const json::value* value = object.if_contains(name);
    if (!value) return std::nullopt;
    if (!value->is_string()) refuse(JwtReason::malformed);
    return std::string(value->as_string());
}

std::string required_text(const json::object& claims, std::string_view name)
{
    auto text = text_member(claims, name);
    if (!text) refuse(JwtReason::missing);
    return std::move(*text);
}

/// A moment as seconds since 1970, maybe with decimals.
std::optional<Time> time_member(const json::object& claims, std::string_view name)
{
    const json::value* value = claims.if_contains(name);
    if (!value) return std::nullopt;
    if (!value->is_number()) refuse(JwtReason::malformed);
    const double seconds = value->to_number<double>();
    if (!(seconds >= 0 && seconds <= kLatestSecond)) refuse(JwtReason::malformed);
    return Time(Millis(static_cast<std::int64_t>(std::floor(seconds * 1000))));
}

JwtAlgorithm algorithm_of(const json::object& header)
{
    const auto name = text_member(header, "alg");
    for (const auto algorithm : {JwtAlgorithm::eddsa, JwtAlgorithm::es256, JwtAlgorithm::rs256, JwtAlgorithm::hs256})
        if (name == name_of(algorithm)) return algorithm;
    refuse(name ? JwtReason::algorithm : JwtReason::malformed);
}

/// A token that says what it is for must be for this (RFC 8725 §3.11): others of the same issuer have other purposes.
void check_type(const json::object& header, const JwtRules& rules)
{
    static const std::vector<std::string> usual{"JWT", "at+jwt"};
    std::string_view prefix = "application/";
    const auto type = text_member(header, "typ");
    if (!type && rules.types.empty()) return;
    std::string_view name = type ? std::string_view(*type) : std::string_view();
    if (lower(name).starts_with(prefix)) name.remove_prefix(prefix.size());
    const auto& allowed = rules.types.empty() ? usual : rules.types;
    if (std::ranges::none_of(allowed, [&](const std::string& one) { return same_in_any_case(one, name); }))
        refuse(JwtReason::type);
}

/// Keys inside a token, and addresses of keys, are not looked at: whoever made the token made them too.
void check_signature(const Parts& parts, const JwtKeys& keys, const JwtRules& rules)
{
    const json::object header = object_of(bytes_of_part(parts.header));
    const JwtAlgorithm algorithm = algorithm_of(header);
    if (header.contains("crit")) refuse(JwtReason::critical);
    check_type(header, rules);
    const auto id = text_member(header, "kid");
    const std::string signature = bytes_of_part(parts.signature);
    const std::vector<JwtKey> candidates = keys.candidates(id, algorithm);
    if (candidates.empty()) refuse(keys.knows(id) ? JwtReason::algorithm : JwtReason::unknown_key);
    if (std::ranges::none_of(candidates, [&](const JwtKey& key) { return key.verifies(parts.signed_text, signature); }))
        refuse(JwtReason::signature);
}

void check_audience(const json::object& claims, const JwtRules& rules)
{
    const json::value* audience = claims.if_contains("aud");
    if (!audience) refuse(JwtReason::missing);
    const json::array listed = audience->is_array() ? audience->as_array() : json::array{*audience};
    if (!std::ranges::all_of(listed, [](const json::value& one) { return one.is_string(); }))
        refuse(JwtReason::malformed);
    if (std::ranges::none_of(listed, [&](const json::value& one) { return one.as_string() == rules.audience; }))
        refuse(JwtReason::audience);
}

Time check_times(const json::object& claims, const JwtRules& rules, Time now)
{
    const auto expires = time_member(claims, "exp");
    const auto issued = time_member(claims, "iat");
    const auto begins = time_member(claims, "nbf");
    if (!expires) refuse(JwtReason::missing);
    if (now >= *expires + rules.leeway) refuse(JwtReason::expired);
    if (now + rules.leeway < issued.value_or(now) || now + rules.leeway < begins.value_or(now))
        refuse(JwtReason::not_yet);
    if (*expires - issued.value_or(now) > rules.lifetime || *expires - now > rules.lifetime + rules.leeway)
        refuse(JwtReason::long_lived);
    return *expires;
}

std::string checked_subject(const json::object& claims)
{
    std::string subject = required_text(claims, "sub");
    std::size_t characters = 0;
    for (std::string_view rest = subject; !rest.empty(); ++characters) rest.remove_prefix(utf8_length(rest));
    if (characters == 0 || characters > kLongestSubject) refuse(JwtReason::bad_subject);
    return subject;
}

JwtClaims checked_claims(std::string text, const JwtRules& rules, Time now)
{
    const json::object claims = object_of(text);
    JwtClaims good{.issuer = required_text(claims, "iss")};
    if (good.issuer != rules.issuer) refuse(JwtReason::issuer);
    check_audience(claims, rules);
    good.expires = check_times(claims, rules, now);
    good.subject = checked_subject(claims);
    good.id = text_member(claims, "jti").value_or("");
    good.json = std::move(text);
    return good;
}

}  // namespace

std::string_view name_of(JwtReason reason)
{
    return kReasonNames.at(static_cast<std::size_t>(reason));
}

std::variant<JwtClaims, JwtReason> verify_jwt(std::string_view token, const JwtKeys& keys, const JwtRules& rules,
                                              Time now)
{
    if (token.size() > kLargestJwt) return JwtReason::too_large;
    try {
        const Parts parts = parts_of(token);
        check_signature(parts, keys, rules);
        return checked_claims(bytes_of_part(parts.payload), rules, now);  // read only now: until here anybody wrote it
    } catch (const Refused& refused) {
        return refused.reason;
    }
}

}  // namespace cadre::server
