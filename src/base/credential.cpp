#include "base/credential.hpp"

#include "base/credential_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cadre {

namespace {

bool is_jwt_character(char c)
{
    return is_word_character(c) || c == '.';
}

bool is_token_character(char c)  // RFC 9110, token68
{
    return is_jwt_character(c) || is_one_of(c, "~+/=");
}

bool begins_word(char before, char c)
{
    return is_word_character(c) && c != '-' && !is_digit(before) && !is_letter(before);
}

/// Whether this is more than lower-case words and hyphens.
bool looks_random(std::string_view token)
{
    return std::ranges::any_of(token, [](char c) { return is_digit(c) || (c >= 'A' && c <= 'Z'); });
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
    {"hvs.", 20},   {"SG.", 16},         {"ATATT3", 20},
};

static_assert(std::ranges::all_of(kVendorKeys,
                                  [](const VendorKey& key) { return key.prefix.size() + key.least >= kShortestKey; }));

/// By the first character: which may be the second, as bits of its lower six.
constexpr auto kBeginsVendorKey = [] {
    std::array<std::uint64_t, 256> seconds{};
    for (const VendorKey& key : kVendorKeys)
        seconds[static_cast<unsigned char>(key.prefix[0])] |= std::uint64_t{1} << (key.prefix[1] & 63);
    return seconds;
}();

Credential find_vendor_key(std::string_view rest)
{
    if (rest.size() < 2 || !may_begin_vendor_key(rest[0], rest[1])) return {};
    for (const auto& [prefix, least] : kVendorKeys) {
        if (!rest.starts_with(prefix)) continue;
        const std::string_view token = rest.substr(prefix.size());
        if (run_length(token.substr(0, least), is_word_character) < least || !looks_random(token.substr(0, least)))
            continue;
        std::size_t length = run_length(token, is_jwt_character);
        while (token[length - 1] == '.') --length;  // of the sentence
        return {.mask = prefix.size() + length};
    }
    return {};
}

/// `Bearer dGhl…`. Ordinary words follow "basic" too: `Basic Authentication`.
Credential find_bearer(std::string_view rest)
{
    constexpr std::size_t kLeast = 8, kLookedAt = 24;
    if ((rest[0] | 0x20) != 'b') return {};
    for (const std::string_view scheme : {"bearer", "basic"}) {
        if (!starts_with_ignoring_case(rest, scheme)) continue;
        std::string_view token = rest.substr(scheme.size());
        if (!skip(token) || run_length(token.substr(0, kLeast), is_token_character) < kLeast) return {};
        const std::string_view start = token.substr(0, kLookedAt);
        if (!looks_random(start.substr(1, run_length(start, is_token_character) - 1))) return {};
        return {.keep = rest.size() - token.size(), .mask = run_length(token, is_token_character)};
    }
    return {};
}

/// `eyJ….eyJ….signature`, also after a hyphen or an underscore, in the run of characters that `rest` starts with.
Credential find_jwt(std::string_view rest)
{
    constexpr std::size_t kShortestHeader = kShortestKey - 1;
    const std::string_view run = rest.substr(0, run_length(rest, is_jwt_character));
    if (run.size() <= kShortestHeader) return {};
    for (auto start = run.find("eyJ"); start != std::string_view::npos; start = run.find("eyJ", start + 1)) {
        const auto dot = run.find('.', start);
        if (dot == std::string_view::npos) return {};
        if (dot - start < kShortestHeader || (start > 0 && !is_one_of(run[start - 1], "-_."))) continue;
        const std::string_view payload = run.substr(dot + 1);
        if (payload.starts_with("eyJ") || payload.find('.') != std::string_view::npos)
            return {.keep = start, .mask = run.size() - start};
        return {};  // this is the last dot
    }
    return {};
}

/// A PEM block up to the end of a private key, or what is left of it in a text that was cut.
Credential find_private_key(std::string_view rest)
{
    constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
    const auto is_key = [&](std::string_view label) {
        label = label.substr(0, 64);
        return label.substr(0, label.find(kDashes)).find("PRIVATE KEY") != std::string_view::npos;
    };
    if (!rest.starts_with(kBegin) || !is_key(rest.substr(kBegin.size()))) return {};
    for (auto end = rest.find(kEnd); end != std::string_view::npos; end = rest.find(kEnd, end + 1)) {
        const std::string_view label = rest.substr(end + kEnd.size());
        if (!is_key(label)) continue;
        const auto dashes = label.find(kDashes);
        if (dashes != std::string_view::npos) return {.mask = end + kEnd.size() + dashes + kDashes.size()};
    }
    return {.mask = rest.size()};
}

/// A value by which a machine knows somebody; no word is like that.
bool looks_made(std::string_view value)
{
    constexpr std::size_t kShortest = 16;
    return value.size() >= kShortest && std::ranges::any_of(value, is_digit) && std::ranges::any_of(value, is_letter) &&
           std::ranges::none_of(value, [](char c) { return is_one_of(c, " \t\r\n<>{}[]()$"); });
}

/// A key that is one without a name beside it.
Credential find_key(std::string_view written, std::string_view rest)
{
    const char before = written.empty() ? ' ' : written.back();
    if (const auto found = find_private_key(rest); found.mask > 0) return found;

    // a run is measured once, where it begins, however often it says eyJ
    if (is_jwt_character(rest[0]) && !is_jwt_character(before))
        if (const auto found = find_jwt(rest); found.mask > 0) return found;
    return begins_word(before, rest[0]) ? find_vendor_key(rest) : Credential();
}

}  // namespace

bool may_begin_vendor_key(char first, char second)
{
    return (kBeginsVendorKey[static_cast<unsigned char>(first)] >> (second & 63) & 1) != 0;
}

Credential find_credential(std::string_view written, std::string_view rest)
{
    if (rest.empty()) return {};
    if (rest[0] == ':') return find_user_info(written, rest);
    if (const auto found = find_key(written, rest); found.mask > 0) return found;
    if (!begins_word(written.empty() ? ' ' : written.back(), rest[0])) return {};
    if (const auto found = find_bearer(rest); found.mask > 0) return found;
    return find_secret_pair(written, rest);
}

bool shows_key(std::string_view prose)
{
    constexpr std::size_t kLookedAt = 4096;  // after a name, so that a long text costs no more than its length
    for (std::size_t at = 0; at < prose.size(); ++at) {
        const std::string_view written = prose.substr(0, at), rest = prose.substr(at);
        if (find_key(written, rest).mask > 0) return true;
        const std::string_view near = rest.substr(0, kLookedAt);
        Credential found = near[0] == ':' ? find_user_info(written, near) : Credential();
        if (begins_word(written.empty() ? ' ' : written.back(), near[0])) {
            found = find_bearer(near);
            if (found.mask == 0) found = find_secret_pair(written, near);
        }
        if (found.mask > 0 && looks_made(near.substr(found.keep, found.mask))) return true;
    }
    return false;
}

}  // namespace cadre
