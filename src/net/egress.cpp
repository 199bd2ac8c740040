#include "net/egress.hpp"

#include "base/error.hpp"
#include "net/url.hpp"

#include <algorithm>

namespace cadre::net {
namespace {

struct Special {
    IpNetwork network;
    const char* use;
};

/// IANA's registries of special-purpose addresses, without those that are reachable from everywhere. Addresses that hold an IPv4
/// address (mapped, NAT64, 6to4, Teredo) would lead around the rules for that one.
const std::vector<Special>& specials()
{
    static const std::vector<Special> all = [] {
        struct {
            const char* network;
            const char* use;
        } const rows[] = {
            {"0.0.0.0/8", "unspecified"},
            {"10.0.0.0/8", "private"},
            {"100.64.0.0/10", "carrier-grade NAT"},
            {"127.0.0.0/8", "loopback"},
            {"169.254.0.0/16", "link-local"},
            {"172.16.0.0/12", "private"},
            {"192.0.0.0/24", "reserved"},
            {"192.0.2.0/24", "documentation"},
            {"192.88.99.0/24", "6to4 relay"},
            {"192.168.0.0/16", "private"},
            {"198.18.0.0/15", "benchmarking"},
            {"198.51.100.0/24", "documentation"},
            {"203.0.113.0/24", "documentation"},
            {"224.0.0.0/4", "multicast"},
            {"240.0.0.0/4", "reserved"},
            {"::/128", "unspecified"},
            {"::1/128", "loopback"},
            {"::/96", "IPv4-compatible"},
            {"::ffff:0:0/96", "IPv4-mapped"},
            {"64:ff9b::/96", "NAT64"},
            {"64:ff9b:1::/48", "NAT64"},
            {"100::/64", "discard"},
            {"2001::/32", "Teredo"},
            {"2001::/23", "reserved"},
            {"2001:db8::/32", "documentation"},
            {"2002::/16", "6to4"},
            {"3fff::/20", "documentation"},
            {"fc00::/7", "private"},
            {"fe80::/10", "link-local"},
            {"fec0::/10", "site-local"},
            {"ff00::/8", "multicast"},
        };
        std::vector<Special> found;
        for (const auto& row : rows) found.push_back({find_ip_network(row.network).value(), row.use});
        return found;
    }();
    return all;
}

[[noreturn]] void forbid(const std::string& text)
{
    throw Error(Code::forbidden, text);
}

}  // namespace

const char* special_use(const IpAddress& address)
{
    const auto found = std::ranges::find_if(specials(), [&](const Special& s) { return s.network.holds(address); });
    if (found != specials().end()) return found->use;
    const bool global = !address.v6 || (address.bytes[0] & 0xE0) == 0x20;  // 2000::/3 is all that is given out
    return global ? nullptr : "reserved";
}

void EgressPolicy::check(const Url& url) const
{
    if (!url.tls && !allow_http) forbid(url.origin() + " may not be reached: foreign URLs must begin with https://");
    if (!ports.empty() && std::ranges::find(ports, url.port) == ports.end())
        forbid(url.origin() + " may not be reached: port " + std::to_string(url.port) + " is not open to foreign URLs");
    if (url.ip) check(*url.ip, url.host);
}

void EgressPolicy::check(const IpAddress& address, const std::string& host) const
{
    const char* use = special_use(address);
    if (!use) return;
    if (std::ranges::any_of(allowed, [&](const IpNetwork& network) { return network.holds(address); })) return;
    const std::string text = address_text(address);
    forbid(host + " may not be reached: its address " + (text == host ? "" : text + " ") + "is not public (" + use +
           ")");
}

}  // namespace cadre::net
