#include "base/credential.hpp"

#include <algorithm>

namespace cadre {

namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool is_jwt_character(char c)
{
    return is_word_character(c) || c == '.';
}

bool is_token_character(char c)  // RFC 9110, token68
{
    return is_jwt_character(c) || c == '~' || c == '+' || c == '/' || c == '=';
}

bool is_authority_character(char c)
{
    return static_cast<unsigned char>(c) > ' ' && std::string_view("/?#\\\"'`<>").find(c) == std::string_view::npos;
}

std::size_t run_length(std::string_view text, bool (*is)(char))
{
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

/// Whether this is more than lower-case words and hyphens.
bool looks_random(std::string_view token)
{
    return std::ranges::any_of(token, [](char c) { return is_digit(c) || is_upper(c); });
}

struct VendorKey {
    std::string_view prefix;
    std::size_t least;  // characters that must follow
};
constexpr VendorKey kVendorKeys[] = {
    {"sk-", 16},    {"sk_live_", 16},    {"sk_test_", 16}, {"rk_live_", 16}, {"ghp_", 20},  {"gho_", 20},
    {"ghu_", 20},   {"ghs_", 20},        {"ghr_", 20},     {"glpat-", 16},   {"xoxa-", 10}, {"xoxb-", 10},
    {"xoxp-", 10},  {"xoxr-", 10},       {"xoxs-", 10},    {"xapp-", 10},    {"AKIA", 16},  {"ASIA", 16},
    {"AIza", 30},   {"github_pat_", 20}, {"hf_", 20},      {"gsk_", 20},     {"npm_", 30},  {"pypi-", 32},
    {"whsec_", 16}, {"dop_v1_", 32},     {"shpat_", 24},   {"r8_", 20},      {"xai-", 32},  {"ya29.", 20},
};

Credential find_vendor_key(std::string_view rest)
{
    for (const auto& [prefix, least] : kVendorKeys) {
        if (!rest.starts_with(prefix)) continue;
        const std::string_view token = rest.substr(prefix.size());
        if (run_length(token.substr(0, least), is_word_character) == least && looks_random(token.substr(0, least)))
            return {.mask = prefix.size() + run_length(token, is_word_character)};
    }
    return {};
}

/// `Bearer dGhl…`. Ordinary words follow "basic" too: `Basic Authentication`.
Credential find_bearer(std::string_view rest)
{
    constexpr std::size_t kLeast = 8, kLookedAt = 24;
    for (const std::string_view scheme : {"bearer ", "basic "}) {
        const auto lower = [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; };
        if (!std::ranges::equal(rest.substr(0, scheme.size()), scheme, {}, lower)) continue;
        const std::string_view token = rest.substr(scheme.size());
        if (run_length(token.substr(0, kLeast), is_token_character) < kLeast) return {};
        const std::string_view start = token.substr(0, kLookedAt);
        if (!looks_random(start.substr(1, run_length(start, is_token_character) - 1))) return {};
        return {.keep = scheme.size(), .mask = run_length(token, is_token_character)};
    }
    return {};
}

Credential find_jwt(std::string_view written, std::string_view rest)
{
    // only at the start of a run: each run is measured once, however often it says eyJ
    if (!rest.starts_with("eyJ") || (!written.empty() && is_jwt_character(written.back()))) return {};
    const std::string_view token = rest.substr(0, run_length(rest, is_jwt_character));
    if (std::ranges::count(token, '.') < 2 || token.find('.') < 10) return {};
    return {.mask = token.size()};
}

/// `://user:password@`
Credential find_url_password(std::string_view rest)
{
    constexpr std::string_view kStart = "://";
    if (!rest.starts_with(kStart)) return {};
    const std::string_view url = rest.substr(kStart.size());
    const std::string_view authority = url.substr(0, run_length(url, is_authority_character));
    const auto at = authority.rfind('@');
    if (at == std::string_view::npos) return {};
    const auto colon = authority.substr(0, at).find(':');
    if (colon == std::string_view::npos) return {};
    return {.keep = kStart.size() + colon + 1, .mask = at - colon - 1};
}

/// A PEM block, or what is left of it in a text that was cut.
Credential find_private_key(std::string_view rest)
{
    constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
    if (!rest.starts_with(kBegin)) return {};
    const std::string_view label = rest.substr(kBegin.size(), 64);
    if (label.substr(0, label.find(kDashes)).find("PRIVATE KEY") == std::string_view::npos) return {};
    const auto end = rest.find(kEnd);
    const auto last = end == std::string_view::npos ? end : rest.find(kDashes, end + kEnd.size());
    return {.mask = last == std::string_view::npos ? rest.size() : last + kDashes.size()};
}

}  // namespace

bool is_word_character(char c)
{
    return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

Credential find_credential(std::string_view written, std::string_view rest)
{
    const char c = rest.empty() ? ' ' : rest[0];
    if (c == ':') return find_url_password(rest);
    if (c == '-') return find_private_key(rest);

    const char before = written.empty() ? ' ' : written.back();
    const bool inside_word = is_word_character(before) && before != '-' && before != '_';
    if (!is_word_character(c) || inside_word) return {};
    if (const auto found = find_vendor_key(rest); found.mask > 0) return found;
    if (const auto found = find_bearer(rest); found.mask > 0) return found;
    if (const auto found = find_jwt(written, rest); found.mask > 0) return found;
    return find_secret_pair(written, rest);
}

}  // namespace cadre
