#include "net/egress.hpp"

#include "net/url.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;

TEST_CASE("egress: which addresses are public")
{
    struct {
        const char* address;
        const char* use;  // "": public
    } const cases[] = {
        {"0.0.0.0", "unspecified"},
        {"0.1.2.3", "unspecified"},
        {"1.1.1.1", ""},
        {"8.8.8.8", ""},
        {"9.255.255.255", ""},
        {"10.0.0.0", "private"},
        {"10.255.255.255", "private"},
        {"11.0.0.0", ""},
        {"100.63.255.255", ""},
        {"100.64.0.0", "carrier-grade NAT"},
        {"100.127.255.255", "carrier-grade NAT"},
        {"100.128.0.0", ""},
        {"127.0.0.1", "loopback"},
        {"127.255.255.254", "loopback"},
        {"169.253.255.255", ""},
        {"169.254.169.254", "link-local"},
        {"172.15.255.255", ""},
        {"172.16.0.0", "private"},
        {"172.31.255.255", "private"},
        {"172.32.0.0", ""},
        {"192.0.0.8", "reserved"},
        {"192.0.2.1", "documentation"},
        {"192.88.99.1", "6to4 relay"},
        {"192.167.255.255", ""},
        {"192.168.1.1", "private"},
        {"198.17.255.255", ""},
        {"198.18.0.1", "benchmarking"},
        {"198.51.100.1", "documentation"},
        {"203.0.113.1", "documentation"},
        {"223.255.255.255", ""},
        {"224.0.0.1", "multicast"},
        {"239.255.255.255", "multicast"},
        {"240.0.0.1", "reserved"},
        {"255.255.255.255", "reserved"},
        {"::", "unspecified"},
        {"::1", "loopback"},
        {"::127.0.0.1", "IPv4-compatible"},
        {"::ffff:8.8.8.8", "IPv4-mapped"},
        {"::ffff:127.0.0.1", "IPv4-mapped"},
        {"64:ff9b::8.8.8.8", "NAT64"},
        {"64:ff9b:1::1", "NAT64"},
        {"100::1", "discard"},
        {"2001::1", "Teredo"},
        {"2001:20::1", "reserved"},
        {"2001:db8::1", "documentation"},
        {"2001:4860:4860::8888", ""},
        {"2002:7f00:1::", "6to4"},
        {"2606:4700::1", ""},
        {"3fff::1", "documentation"},
        {"4000::1", "reserved"},
        {"1::1", "reserved"},
        {"fc00::1", "private"},
        {"fd12:3456::1", "private"},
        {"fe80::1", "link-local"},
        {"fec0::1", "site-local"},
        {"ff02::1", "multicast"},
    };
    const net::EgressPolicy policy;
    for (const auto& c : cases) {
        CAPTURE(c.address);
        const auto address = net::find_ip_address(c.address);
        REQUIRE(address);
        const char* use = net::special_use(*address);
        CHECK(std::string(use ? use : "") == c.use);
        const auto error = test::error_of([&] { policy.check(*address, "evil.example"); });
        if (*c.use) CHECK(error == doctest::Contains(c.use));
        else CHECK(error == "");
    }
}

TEST_CASE("egress: https to the usual port, unless more is allowed")
{
    net::EgressPolicy open;
    open.allow_http = true;
    open.ports = {};
    open.allowed = {net::find_ip_network("127.0.0.0/8").value(), net::find_ip_network("fd00::/8").value()};
    struct {
        const char* url;
        const char* refused;  // by default
        bool open_refuses;
    } const cases[] = {
        {"https://a.example/", "", false},
        {"https://1.1.1.1/", "", false},
        {"http://a.example/", "forbidden: http://a.example may not be reached: foreign URLs must begin with https://",
         false},
        {"https://a.example:8443/", "port 8443 is not open to foreign URLs", false},
        {"https://127.0.0.1/", "forbidden: 127.0.0.1 may not be reached: its address is not public (loopback)", false},
        {"https://[fd00::1]/", "is not public (private)", false},
        {"https://10.0.0.1/", "is not public (private)", true},
        {"https://[::1]/", "is not public (loopback)", true},
        {"https://[::ffff:127.0.0.1]/", "is not public (IPv4-mapped)", true},
    };
    for (const auto& c : cases) {
        CAPTURE(c.url);
        const net::Url url = net::url_from(c.url);
        const auto error = test::error_of([&] { net::EgressPolicy().check(url); });
        if (*c.refused) CHECK(error == doctest::Contains(c.refused));
        else CHECK(error == "");
        CHECK((test::error_of([&] { open.check(url); }).size() > 0) == c.open_refuses);
    }
}
