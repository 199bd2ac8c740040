#include "net/proxy.hpp"

#include "net/url.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;

TEST_CASE("proxy: each scheme has its own, and NO_PROXY its exceptions")
{
    const net::ProxyRules rules{
        .https_proxy = "http://secure.corp:3128",
        .http_proxy = "plain.corp:8080",
        .no_proxy = "internal, .corp.example,*.star.example ,10.0.0.0/8,1.2.3.4,port.example:8443,[fd00::1]:443"};
    struct {
        const char* url;
        const char* proxy;  // "": none
    } const cases[] = {
        {"https://api.example/", "secure.corp:3128"},
        {"http://api.example/", "plain.corp:8080"},
        {"https://internal/", ""},
        {"https://INTERNAL./", ""},
        {"https://a.internal/", ""},
        {"https://notinternal/", "secure.corp:3128"},
        {"https://internal.example/", "secure.corp:3128"},
        {"https://corp.example/", ""},
        {"https://a.b.corp.example/", ""},
        {"https://mycorp.example/", "secure.corp:3128"},
        {"https://a.star.example/", ""},
        {"https://10.1.2.3/", ""},
        {"https://11.1.2.3/", "secure.corp:3128"},
        {"https://1.2.3.4/", ""},
        {"https://port.example:8443/", ""},
        {"https://port.example/", "secure.corp:3128"},
        {"https://[fd00::1]/", ""},
        {"https://[fd00::1]:444/", "secure.corp:3128"},
        {"http://localhost:11434/", ""},
        {"http://127.0.0.1:11434/", ""},
        {"http://[::1]/", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.url);
        const auto proxy = net::find_proxy(rules, net::url_from(c.url));
        CHECK((proxy ? proxy->host_and_port() : "") == c.proxy);
    }
    const net::Url url = net::url_from("https://api.example/");
    CHECK_FALSE(net::find_proxy({}, url));
    CHECK_FALSE(net::find_proxy({.https_proxy = "x:1", .no_proxy = "*"}, url));
    CHECK(net::find_proxy({.https_proxy = "[::1]:1"}, url)->host_and_port() == "[::1]:1");
}

TEST_CASE("proxy: a password is sent, and shown to nobody")
{
    const net::Url url = net::url_from("https://api.example/");
    const auto proxy = net::find_proxy({.https_proxy = "http://Aladdin:open%20sesame@p.corp:3128/"}, url);
    REQUIRE(proxy);
    CHECK(proxy->host_and_port() == "p.corp:3128");
    CHECK(proxy->authorization.reveal() == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    for (const char* text : {"http://u:hunter2@p.corp:x", "ftp://u:hunter2@p.corp", "https://u:hunter2@p.corp:1",
                             "http://u:hunter2@p.corp:1/path", "http://u:hunter2@", "u:hunter2@x y"}) {
        CAPTURE(text);
        const auto error = test::error_of([&] { net::find_proxy({.https_proxy = text}, url); });
        CHECK(error == doctest::Contains("invalid: HTTPS_PROXY: "));
        CHECK(error != doctest::Contains("hunter2"));
    }
}
