// User names and passwords in URLs.
#include "base/credential.hpp"
#include "base/credential_text.hpp"
#include "base/redact.hpp"

#include <algorithm>

namespace cadre {

namespace {

bool is_url_character(char c)
{
    return static_cast<unsigned char>(c) > ' ' && !is_one_of(c, "\\\"'`<>");
}

bool is_authority_character(char c)
{
    return is_url_character(c) && c != '/' && c != '?' && c != '#';
}

/// `80`, and `80,` in `http://host:80,ann@example.org`; but a password if `@` follows.
bool is_port(std::string_view text)
{
    const std::size_t digits = run_length(text, is_digit);
    return digits >= 1 && digits <= 5 && (digits == text.size() || is_one_of(text[digits], ",;)"));
}

/// The colon before a password or a port; those of `[::1]` are part of a host.
std::size_t find_colon(std::string_view authority)
{
    return authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
}

/// `user:password@host` at the start of `url`, where a password may have slashes in it: `u:a/b@host`.
std::string_view authority_at(std::string_view url)
{
    const std::string_view authority = url.substr(0, run_length(url, is_authority_character));
    const auto colon = find_colon(authority);
    if (authority.find('@') != std::string_view::npos || colon == std::string_view::npos ||
        is_port(authority.substr(colon + 1)))
        return authority;
    std::size_t end = colon;  // no further than the next URL, so that no character is looked at twice
    while (end < url.size() && is_url_character(url[end]) && !url.substr(end).starts_with("://")) ++end;
    const std::string_view whole = url.substr(0, end);
    const auto at = whole.find('@');
    if (at == std::string_view::npos) return authority;
    return whole.substr(0, at + 1 + run_length(whole.substr(at + 1), is_authority_character));
}

/// Web servers know users by tokens, others by names (`ssh://git@…`), unless it is a long one.
bool is_token(std::string_view written, std::string_view user)
{
    constexpr std::size_t kLongName = 16;
    if (user.empty() || user == kMasked) return false;
    const bool is_web = ends_with_ignoring_case(written, "http") || ends_with_ignoring_case(written, "https");
    return is_web || (user.size() >= kLongName && std::ranges::any_of(user, is_digit));
}

}  // namespace

Credential find_user_info(std::string_view written, std::string_view rest)
{
    const std::string_view start = rest.starts_with("://") ? "://" : ":\\/\\/";
    if (!rest.starts_with(start)) return {};
    const std::string_view authority = authority_at(rest.substr(start.size()));
    const auto at = authority.rfind('@');
    if (at == std::string_view::npos) return {};

    const auto colon = std::min(find_colon(authority), at);
    if (colon < at && is_port(authority.substr(colon + 1))) return {};
    if (colon + 1 < at) return {.keep = start.size() + colon + 1, .mask = at - colon - 1};
    if (!is_token(written, authority.substr(0, colon))) return {};
    return {.keep = start.size(), .mask = colon};
}

}  // namespace cadre
