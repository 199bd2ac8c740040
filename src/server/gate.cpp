#include "server/gate.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "net/ip_address.hpp"
#include "net/url.hpp"

#include <algorithm>
#include <optional>

namespace cadre::server {
namespace {

std::optional<std::string_view> only_header(const net::HttpHead& head, std::string_view name)
{
    const auto is_it = [&](const net::HttpHeader& header) { return same_in_any_case(header.name, name); };
    if (std::ranges::count_if(head.headers, is_it) > 1)
        throw net::HttpRefusal(400, Code::malformed, "the request has the header " + std::string(name) + " twice");
    return net::find_header(head.headers, name);
}

}  // namespace

bool is_loopback(std::string_view host)
{
    static const auto kLoopback = *net::find_ip_network("127.0.0.0/8");
    if (host == "localhost" || host == "::1") return true;
    const auto ip = net::find_ip_address(host);
    return ip && !ip->v6 && kLoopback.holds(*ip);
}

Gate::Gate(const std::vector<std::string>& urls, const std::vector<std::string>& allowed_origins)
    : allowed_(allowed_origins.begin(), allowed_origins.end())
{
    const auto add = [this](const net::Url& url) {
        hosts_.insert(url.authority());
        hosts_.insert(url.host_and_port());
        origins_.insert(url.origin());
    };
    for (const std::string& text : urls) {
        if (text.starts_with("unix:")) continue;
        net::Url url = net::url_from(text);
        add(url);
        if (!is_loopback(url.host)) continue;
        for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"})
            add(net::url_from((url.tls ? "https://" : "http://") + std::string(name) + ":" + std::to_string(url.port)));
    }
}

bool Gate::is_own(std::string_view origin) const
{
    return origins_.contains(lower(origin));
}

void Gate::expect(const net::HttpHead& head, bool by_file) const
{
    const auto host = only_header(head, "Host");
    if (!by_file && host && !hosts_.contains(lower(*host)))
        throw net::HttpRefusal(421, Code::forbidden,
                               "this server is not called " + in_quotes(*host) +
                                   "; if a proxy stands in front, say its address as public_url");
    const auto origin = only_header(head, "Origin");
    if (origin && !is_own(*origin) && !allowed_.contains(*origin))
        throw net::HttpRefusal(403, Code::forbidden,
                               "pages of " + in_quotes(*origin) +
                                   " may not ask this server; allowed_origins says which may");
    const auto site = only_header(head, "Sec-Fetch-Site");
    if (site == "cross-site" && !(origin && allowed_.contains(*origin)))
        throw net::HttpRefusal(403, Code::forbidden, "a page of another site may not ask this server");
}

net::HttpHeaders Gate::cors(const net::HttpHead& head) const
{
    const auto origin = net::find_header(head.headers, "Origin");
    if (!origin || !allowed_.contains(*origin)) return {};
    return {{"Access-Control-Allow-Origin", std::string(*origin)},
            {"Vary", "Origin"},
            {"Access-Control-Expose-Headers",
             "ETag, Location, Link, X-Request-ID, RateLimit, RateLimit-Policy, Retry-After"}};
}

}  // namespace cadre::server
