#include "net/proxy.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "net/url.hpp"

#include <algorithm>
#include <charconv>
#include <openssl/evp.h>
#include <string_view>

namespace cadre::net {
namespace {

/// A user name or password as it stands in a URL, `%40` for `@`.
std::string unescaped(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            plain += static_cast<char>(byte);
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

Secret basic(std::string_view user_info)
{
    const std::size_t colon = std::min(user_info.find(':'), user_info.size());
    const std::string plain = unescaped(user_info.substr(0, colon)) + ":" +
                              unescaped(user_info.substr(std::min(colon + 1, user_info.size())));
    std::string coded(4 * ((plain.size() + 2) / 3) + 1, '\0');
    const int size =
        ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                          reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
    coded.resize(static_cast<std::size_t>(size));
    return Secret("Basic " + coded);
}

Proxy proxy_from(std::string_view text, const std::string& variable)
{
    std::string url(text);
    if (url.find("://") == std::string::npos) url.insert(0, "http://");  // as curl takes it
    const std::size_t begin = url.find("://") + 3;
    const std::size_t at = url.rfind('@', url.find_first_of("/?#", begin));
    Proxy proxy;
    if (at != std::string::npos && at >= begin) {
        proxy.authorization = basic(std::string_view(url).substr(begin, at - begin));
        url.erase(begin, at + 1 - begin);
    }
    try {
        const Url parsed = url_from(url);
        if (parsed.tls) throw Error(Code::invalid, "proxies are spoken to over http:// only");
        if (parsed.target != "/") throw Error(Code::invalid, "the URL of a proxy has no path");
        proxy.host = parsed.host;
        proxy.port = parsed.port;
    } catch (const Error& error) {
        throw Error(Code::invalid, variable + ": " + error.what());
    }
    return proxy;
}

bool is_local(const Url& url)
{
    if (!url.ip) return url.host == "localhost" || url.host.ends_with(".localhost");
    static const IpNetwork v4 = find_ip_network("127.0.0.0/8").value();
    static const IpNetwork v6 = find_ip_network("::1").value();
    return v4.holds(*url.ip) || v6.holds(*url.ip);
}

bool matches(std::string_view rule, const Url& url)
{
    if (rule == "*") return true;
    if (const auto network = find_ip_network(rule)) return url.ip && network->holds(*url.ip);
    const std::size_t colon = rule.rfind(':');
    if (colon != std::string_view::npos) {
        if (rule.substr(colon + 1) != std::to_string(url.port)) return false;
        rule = rule.substr(0, colon);
    }
    if (rule.starts_with('[') && rule.ends_with(']')) rule = rule.substr(1, rule.size() - 2);
    if (url.ip) return find_ip_address(rule) == url.ip;
    if (rule.starts_with("*.")) rule.remove_prefix(1);
    if (rule.starts_with('.')) rule.remove_prefix(1);
    std::string_view host = url.host;
    if (host.ends_with('.')) host.remove_suffix(1);
    if (rule.empty() || host.size() < rule.size()) return false;
    const bool below = host.size() == rule.size() || host[host.size() - rule.size() - 1] == '.';
    return below && same_in_any_case(host.substr(host.size() - rule.size()), rule);
}

bool is_excepted(std::string_view rules, const Url& url)
{
    while (!rules.empty()) {
        const std::size_t end = std::min(rules.find_first_of(", \t"), rules.size());
        if (end > 0 && matches(rules.substr(0, end), url)) return true;
        rules.remove_prefix(std::min(end + 1, rules.size()));
    }
    return false;
}

}  // namespace

std::string Proxy::host_and_port() const
{
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<Proxy> find_proxy(const ProxyRules& rules, const Url& url)
{
    const std::string& text = url.tls ? rules.https_proxy : rules.http_proxy;
    if (text.empty() || is_local(url) || is_excepted(rules.no_proxy, url)) return std::nullopt;
    return proxy_from(text, url.tls ? "HTTPS_PROXY" : "HTTP_PROXY");
}

}  // namespace cadre::net
