// Names and values: which names mean a secret, and where its value begins and ends.
#include "base/credential.hpp"
#include "base/redact.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace cadre {

namespace {

constexpr std::size_t kLongestName = 64;

// Endings of names, in lower case and without separators: `X-Api-Key` is `xapikey`.
constexpr std::string_view kSecretEndings[] = {
    "password",   "passwd",          "passphrase",    "passcode",      "pwd",        "dbpass",
    "userpass",   "secret",          "credential",    "credentials",   "token",      "apikey",
    "authkey",    "accesskey",       "secretkey",     "privatekey",    "signingkey", "hmackey",
    "jwtkey",     "sshkey",          "sharedkey",     "encryptionkey", "masterkey",  "accountkey",
    "sessionkey", "subscriptionkey", "authorization", "bearer",        "jwt",        "cookie",
};
constexpr std::string_view kHarmlessEndings[] = {
    "maxtoken",  "pertoken", "firsttoken", "lasttoken", "nexttoken",         "pagetoken",
    "stoptoken", "eostoken", "bostoken",   "padtoken",  "continuationtoken", "cancellationtoken",
};
constexpr std::string_view kLiterals[] = {"null", "true", "false", "None", "True", "False", "undefined"};

bool ends_with_any(std::string_view name, std::span<const std::string_view> endings)
{
    return std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
}

bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

bool ends_value(char c)
{
    return static_cast<unsigned char>(c) <= ' ' || is_quote(c) ||
           std::string_view(",;&<>)]}").find(c) != std::string_view::npos;
}

/// A quotation mark at the start of `text`, with the backslashes that JSON inside JSON puts before it; else nothing.
std::string_view quote_at(std::string_view text)
{
    const auto mark = std::min(text.find_first_not_of('\\'), text.size());
    return mark < text.size() && is_quote(text[mark]) ? text.substr(0, mark + 1) : std::string_view();
}

/// Length of the value that begins after the quotation mark `open`: up to its twin, or all of it if there is none.
std::size_t quoted_length(std::string_view text, std::string_view open)
{
    const std::size_t depth = open.size() - 1;
    std::size_t backslashes = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        // JSON in JSON doubles backslashes: where `\"` closes, `\\\"` does not, and `\\\\\"` does, after a backslash
        if (text[at] == open.back() && backslashes % (2 * (depth + 1)) == depth) return at - depth;
        backslashes = text[at] == '\\' ? backslashes + 1 : 0;
    }
    return text.size();
}

bool skip_blanks(std::string_view& text)
{
    const auto blanks = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(blanks);
    return blanks > 0;
}

/// `:`, `=`, `=>`, `:=`; but `Secret::reveal` and `secret://vault` are no pairs.
std::size_t separator_length(std::string_view text)
{
    if (text.starts_with("::") || text.starts_with("://")) return 0;
    if (!text.starts_with(':') && !text.starts_with('=')) return 0;
    return std::min(text.find_first_not_of(":=>"), text.size());
}

/// Lower case, letters and digits only, without what says no more than "this is the value".
std::string squashed(std::string_view name)
{
    std::string out;
    for (const char c : name)
        if (is_word_character(c) && c != '_' && c != '-') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    while (!out.empty() && out.back() >= '0' && out.back() <= '9') out.pop_back();
    for (const std::string_view ending : {"value", "hash"})
        if (out.ends_with(ending)) out.erase(out.size() - ending.size());
    return out;
}

/// Headers whose values have spaces in them.
bool is_whole_line(std::string_view name)
{
    const std::string plain = squashed(name);
    return plain.ends_with("authorization") || plain.ends_with("cookie");
}

std::size_t bare_length(std::string_view text, bool whole_line)
{
    const auto ends = [&](char c) { return whole_line ? ends_line(c) || is_quote(c) : ends_value(c); };
    const std::size_t masked = text.starts_with(kMasked) ? kMasked.size() : 0;  // its bracket ends no value
    const auto tail = text.substr(masked);
    std::size_t length = masked + static_cast<std::size_t>(std::ranges::find_if(tail, ends) - tail.begin());
    if (length < text.size() && is_quote(text[length]))  // the backslash of \" belongs to the quotation mark
        while (length > masked && text[length - 1] == '\\') --length;
    return length;
}

/// Whether the quotation mark before this closed a text, as in `{"ask": "Your password:"}`, rather than opened a value.
bool follows_text(std::string_view text)
{
    return text.empty() || std::string_view(",]} \t\r\n").find(text[0]) != std::string_view::npos;
}

/// Whether the value has names and values of its own.
bool begins_structure(std::string_view text)
{
    return (text.starts_with('{') || text.starts_with('[')) && !text.starts_with(kMasked);
}

bool is_shown(std::string_view value)
{
    return value.empty() || value == kMasked || std::ranges::find(kLiterals, value) != std::end(kLiterals);
}

}  // namespace

Credential find_secret_pair(std::string_view written, std::string_view rest)
{
    const std::string_view before = written.substr(0, written.find_last_not_of('-') + 1);
    const bool is_flag = before.size() < written.size();
    if (!before.empty() && is_word_character(before.back())) return {};  // not where the name begins

    std::string_view tail =
        rest.substr(static_cast<std::size_t>(std::ranges::find_if_not(rest, is_word_character) - rest.begin()));
    const std::string_view name = rest.substr(0, rest.size() - tail.size());
    if (name.size() > kLongestName || !is_secret_name(name)) return {};

    const std::string_view name_quote = quote_at(tail);
    tail.remove_prefix(name_quote.size());
    const bool spaced = skip_blanks(tail);
    if (const auto separator = separator_length(tail); separator > 0) {
        tail.remove_prefix(separator);
        skip_blanks(tail);
    } else if (!is_flag || !spaced || tail.starts_with('-')) {
        return {};
    }

    if (const auto open = quote_at(tail); !open.empty()) {
        tail.remove_prefix(open.size());
        if (name_quote.empty() && follows_text(tail)) return {};
        const std::size_t length = quoted_length(tail, open);
        if (is_shown(tail.substr(0, length))) return {};
        return {.keep = rest.size() - tail.size(), .mask = length};
    }

    if (begins_structure(tail)) return {};
    const std::size_t length = bare_length(tail, name_quote.empty() && is_whole_line(name));
    if (is_shown(tail.substr(0, length))) return {};
    return {.keep = rest.size() - tail.size(), .mask = length, .quote = name_quote};
}

bool is_secret_name(std::string_view field)
{
    if (field == "PWD" || field == "OLDPWD") return false;  // the shell's working folders
    const std::string name = squashed(field);
    return ends_with_any(name, kSecretEndings) && !ends_with_any(name, kHarmlessEndings);
}

}  // namespace cadre
