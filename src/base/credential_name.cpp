// Which names mean a secret.
#include "base/credential.hpp"
#include "base/credential_text.hpp"
#include "base/redact.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace cadre {

namespace {

// Endings of names, in lower case and without separators or a plural's s: `X-Api-Keys` is `xapikey`.
constexpr std::string_view kSecretEndings[] = {
    "password",   "passwd",          "passphrase",    "passcode",      "pwd",        "dbpass",
    "userpass",   "secret",          "credential",    "secretkeybase", "token",      "apikey",
    "authkey",    "accesskey",       "secretkey",     "privatekey",    "signingkey", "hmackey",
    "jwtkey",     "sshkey",          "sharedkey",     "encryptionkey", "masterkey",  "accountkey",
    "sessionkey", "subscriptionkey", "authorization", "bearer",        "jwt",        "cookie",
    "xauth",
};
constexpr std::string_view kHarmlessEndings[] = {
    "maxtoken",          "pertoken",          "firsttoken",     "lasttoken",  "nexttoken",   "pagetoken",
    "stoptoken",         "eostoken",          "bostoken",       "padtoken",   "unktoken",    "specialtoken",
    "continuationtoken", "cancellationtoken", "prompttoken",    "inputtoken", "outputtoken", "totaltoken",
    "completiontoken",   "cachedtoken",       "reasoningtoken",
};

bool ends_with_any(std::string_view name, std::span<const std::string_view> endings)
{
    if (name.empty()) return false;
    return std::ranges::any_of(endings,
                               [&](auto ending) { return ending.back() == name.back() && name.ends_with(ending); });
}

/// By the last letter of a name: which letters may stand before it, as bits. Endings, their plurals, and `value` and `hash`.
constexpr auto kLastLetters = [] {
    std::array<std::uint32_t, 26> before{};
    const auto add = [&](char last_but_one, char last) {
        before[static_cast<std::size_t>(last - 'a')] |= 1U << (last_but_one - 'a');
    };
    for (const std::string_view ending : kSecretEndings) {
        add(ending[ending.size() - 2], ending.back());
        add(ending.back(), 's');
    }
    add('u', 'e');
    add('s', 'h');
    return before;
}();

bool is_plural(std::string_view name)
{
    return name.ends_with('s') && !name.ends_with("ss");
}

/// Lower case, letters and digits only, without what says no more than "this is the value".
std::string squashed(std::string_view name)
{
    std::string out;
    out.reserve(name.size());
    for (const char c : name)
        if (is_digit(c) || is_letter(c)) out += is_letter(c) ? static_cast<char>(c | 0x20) : c;
    while (!out.empty() && is_digit(out.back())) out.pop_back();
    for (const std::string_view ending : {"value", "hash"})
        if (out.ends_with(ending)) out.erase(out.size() - ending.size());
    return out;
}

bool is_number(std::string_view text)
{
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && is_digit(text[0]) && text.find_first_not_of("0123456789.eE+-_") == std::string_view::npos;
}

}  // namespace

bool ends_like_secret_name(std::string_view name)
{
    while (!name.empty() && !is_letter(name.back())) name.remove_suffix(1);
    if (name.empty()) return false;
    const int last = (name.back() | 0x20) - 'a';
    do name.remove_suffix(1);
    while (!name.empty() && !is_letter(name.back()) && !is_digit(name.back()));
    if (name.empty() || !is_letter(name.back())) return false;
    return (kLastLetters[static_cast<std::size_t>(last)] >> ((name.back() | 0x20) - 'a') & 1U) != 0;
}

bool is_secret_name(std::string_view field)
{
    if (!ends_like_secret_name(field)) return false;
    if (field == "PWD" || field == "OLDPWD") return false;  // the shell's working folders
    std::string name = squashed(field);
    if (is_plural(name)) name.pop_back();
    return ends_with_any(name, kSecretEndings) && !ends_with_any(name, kHarmlessEndings);
}

bool is_count(std::string_view field, std::string_view value)
{
    constexpr std::size_t kLongestCount = 4;
    if (!is_number(value)) return false;
    const std::string name = squashed(field);
    if (name.ends_with("tokens")) return true;
    return value.size() <= kLongestCount && (name.ends_with("token") || is_plural(name));
}

}  // namespace cadre
