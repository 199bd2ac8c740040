#include "net/url.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;

TEST_CASE("url: what may be asked is read into its parts")
{
    struct {
        const char* text;
        const char* origin;
        const char* host_and_port;
        const char* target;
    } const cases[] = {
        {"https://api.example.com/v1/chat?x=1&y=a%20b", "https://api.example.com", "api.example.com:443",
         "/v1/chat?x=1&y=a%20b"},
        {"HTTP://Example.COM", "http://example.com", "example.com:80", "/"},
        {"http://127.0.0.1:11434/api", "http://127.0.0.1:11434", "127.0.0.1:11434", "/api"},
        {"http://[::1]:8080/", "http://[::1]:8080", "[::1]:8080", "/"},
        {"https://[2001:DB8:0:0::1]", "https://[2001:db8::1]", "[2001:db8::1]:443", "/"},
        {"https://a.b?q", "https://a.b", "a.b:443", "/?q"},
        {"https://a.b#part", "https://a.b", "a.b:443", "/"},
        {"https://a.b/p#part?", "https://a.b", "a.b:443", "/p"},
        {"https://a.b:443/", "https://a.b", "a.b:443", "/"},
        {"https://a.b:80/", "https://a.b:80", "a.b:80", "/"},
        {"http://my_host.internal./x", "http://my_host.internal.", "my_host.internal.:80", "/x"},
        {"http://localhost", "http://localhost", "localhost:80", "/"},
        {"http://xn--bcher-kva.example/@:", "http://xn--bcher-kva.example", "xn--bcher-kva.example:80", "/@:"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const net::Url url = net::url_from(c.text);
        CHECK(url.origin() == c.origin);
        CHECK(url.host_and_port() == c.host_and_port);
        CHECK(url.target == c.target);
    }
}

TEST_CASE("url: what could be read in two ways is refused")
{
    for (const std::string_view text : {"",
                                        "x",
                                        "//a.b",
                                        "ftp://a.b",
                                        "https:/a.b",
                                        "https//a.b",
                                        " https://a.b",
                                        "https://",
                                        "https:///x",
                                        "https://a..b",
                                        "https://.a",
                                        "https://-a.b",
                                        "https://a-.b",
                                        "https://a b",
                                        "https://a.b/ ",
                                        "https://a.b/\r\n",
                                        "https://a.b/\x01",
                                        "https://a.b/%2",
                                        "https://a.b/%zz",
                                        "https://a.b/\\x",
                                        "https://a.b\\@c.d/",
                                        "https://a.b/é",
                                        "https://bücher.de",
                                        "https://a%2eb",
                                        "https://a.b:",
                                        "https://a.b:0",
                                        "https://a.b:65536",
                                        "https://a.b:+1",
                                        "https://a.b:1x",
                                        "https://a.b:1:2",
                                        "https://::1",
                                        "https://[::1",
                                        "https://[::1]x",
                                        "https://[1.2.3.4]",
                                        "https://[fe80::1%25eth0]",
                                        "https://[]",
                                        "https://127.1",
                                        "https://2130706433",
                                        "https://0x7f.0.0.1",
                                        "https://0177.0.0.1",
                                        "https://1.2.3.4.",
                                        "https://1.2.3.256",
                                        "https://a.b/{x}",
                                        "https://a.b/#\n",
                                        "https://a.b/|",
                                        "https://a.b/\"",
                                        "https://a,b"}) {
        CAPTURE(text);
        CHECK(test::error_of([&] { net::url_from(text); }) == doctest::Contains("malformed: "));
    }
    CHECK_THROWS_AS(net::url_from(std::string("https://a.b/\0", 13)), Error);
    CHECK_THROWS_AS(net::url_from(std::string("https://a\0.b/", 13)), Error);
    CHECK_THROWS_AS(net::url_from("https://" + std::string(64, 'a') + ".b"), Error);
    CHECK_THROWS_AS(net::url_from("https://a.b/" + std::string(net::kLongestUrl, 'x')), Error);
}

TEST_CASE("url: refusals show no user name, password, path or query")
{
    for (const char* text : {"https://me:hunter2@a.b/", "https://hunter2@a.b:x/", "https://a.b:1/hunter2 ",
                             "https://a.b/?key=hunter2\n", "https://a.b/#hunter2^", "https://a.b:hunter2/", "hunter2",
                             "hunter2://a.b", "https://[hunter2]/", "https://@hunter2:@/"}) {
        CAPTURE(text);
        const doctest::String error = test::error_of([&] { net::url_from(text); });
        CHECK(error.size() > 0);
        CHECK(error != doctest::Contains("hunter2"));
    }
}

TEST_CASE("ip networks hold the addresses with their first bits")
{
    struct {
        const char* network;
        const char* address;
        bool holds;
    } const cases[] = {
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"100.64.0.0/10", "100.127.255.255", true},
        {"100.64.0.0/10", "100.128.0.0", false},
        {"1.2.3.4", "1.2.3.4", true},
        {"1.2.3.4", "1.2.3.5", false},
        {"0.0.0.0/0", "8.8.8.8", true},
        {"0.0.0.0/0", "::1", false},
        {"fc00::/7", "fdff::1", true},
        {"fc00::/7", "fe00::1", false},
        {"::ffff:0:0/96", "::ffff:1.2.3.4", true},
        {"::/128", "::1", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.network);
        CAPTURE(c.address);
        CHECK(net::find_ip_network(c.network)->holds(*net::find_ip_address(c.address)) == c.holds);
    }
    for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8x", "a/8"}) {
        CAPTURE(text);
        CHECK_FALSE(net::find_ip_network(text));
    }
}
