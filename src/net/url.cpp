#include "net/url.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <charconv>

namespace cadre::net {
namespace {

constexpr std::size_t kLongestHost = 253;
constexpr std::size_t kLongestLabel = 63;

bool is_hex(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

std::uint16_t port_from(std::string_view digits)
{
    std::uint16_t port = 0;
    const char* const end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, port);
    if (digits.empty() || !std::ranges::all_of(digits, is_digit) || error != std::errc() || at != end || port == 0)
        throw Error(Code::malformed, "the URL's port must be a number from 1 to 65535");
    return port;
}

/// One part of a name between dots. Underscores are no part of host names, and are used all the same.
bool is_label(std::string_view label)
{
    const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; };
    return !label.empty() && label.size() <= kLongestLabel && std::ranges::all_of(label, fits) &&
           label.front() != '-' && label.back() != '-';
}

bool is_name(std::string_view host)
{
    if (host.ends_with('.')) host.remove_suffix(1);  // the root's, which makes a name absolute
    if (host.empty() || host.size() > kLongestHost) return false;
    std::string_view last;
    while (true) {
        const std::size_t dot = host.find('.');
        last = host.substr(0, dot);
        if (!is_label(last)) return false;
        if (dot == std::string_view::npos) break;
        host.remove_prefix(dot + 1);
    }
    // resolvers read `127.1`, `2130706433` and `0x7f.1` as addresses; no top level domain begins with a digit
    return !is_digit(last.front());
}

void read_host(Url& url, std::string_view host)
{
    if (host.empty()) throw Error(Code::malformed, "the URL names no host");
    if (host.starts_with('[')) {
        url.ip = find_ip_address(host.substr(1, host.size() - 2));
        if (!url.ip || !url.ip->v6) throw Error(Code::malformed, "the URL's host in brackets is no IPv6 address");
    } else {
        url.ip = find_ip_address(host);
        if (!url.ip && !is_name(host))
            throw Error(Code::malformed,
                        "the URL's host " + in_quotes(host) + " is neither a name of ASCII letters nor an address");
    }
    url.host = url.ip ? address_text(*url.ip) : lower(host);
}

void read_authority(Url& url, std::string_view text)
{
    if (text.find('@') != std::string_view::npos)
        throw Error(Code::invalid, "the URL holds a user name or password before its host: send them as a header");
    std::size_t host_end = text.find(':');
    if (text.starts_with('[')) {
        const std::size_t bracket = text.find(']');
        if (bracket == std::string_view::npos) throw Error(Code::malformed, "the URL's host lacks its closing bracket");
        host_end = bracket + 1 == text.size() ? std::string_view::npos : bracket + 1;
        if (host_end != std::string_view::npos && text[host_end] != ':')
            throw Error(Code::malformed, "the URL's host is followed by something that is not a port");
    }
    read_host(url, text.substr(0, host_end));
    url.port = url.tls ? 443 : 80;
    if (host_end != std::string_view::npos) url.port = port_from(text.substr(host_end + 1));
}

void check_target(const Url& url, std::string_view text)
{
    constexpr std::string_view kOthers = "-._~:/?@!$&'()*+,;=";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_letter(c) || is_digit(c) || kOthers.find(c) != std::string_view::npos) continue;
        if (c == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2])) continue;
        throw Error(Code::malformed, "the path or query of the URL at " + url.origin() +
                                         " holds a character that must be written as %XX");
    }
}

}  // namespace

std::string Url::authority() const
{
    return port == (tls ? 443 : 80) ? (ip && ip->v6 ? "[" + host + "]" : host) : host_and_port();
}

std::string Url::host_and_port() const
{
    return (ip && ip->v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Url::origin() const
{
    return (tls ? "https://" : "http://") + authority();
}

Url url_from(std::string_view text)
{
    if (text.size() > kLongestUrl)
        throw Error(Code::too_large, "a URL may have " + std::to_string(kLongestUrl) + " bytes");
    const std::size_t colon = text.find("://");
    const std::string scheme = lower(text.substr(0, colon == std::string_view::npos ? 0 : colon));
    if (scheme != "http" && scheme != "https")
        throw Error(Code::malformed, "a URL must begin with https:// or http://");
    Url url{.tls = scheme == "https"};
    text.remove_prefix(colon + 3);

    const std::size_t authority_end =
        text.find_first_of("/?#\\");  // a backslash is refused below, not taken for a host
    read_authority(url, text.substr(0, authority_end));
    if (authority_end == std::string_view::npos) return url;
    text.remove_prefix(authority_end);
    const std::size_t hash = text.find('#');
    const std::string_view target = text.substr(0, hash);
    check_target(url, target);
    if (hash != std::string_view::npos) check_target(url, text.substr(hash + 1));
    url.target = target.starts_with('/') ? std::string(target) : "/" + std::string(target);
    return url;
}

}  // namespace cadre::net
