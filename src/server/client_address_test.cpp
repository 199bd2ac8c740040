#include "server/client_address.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;

TEST_CASE("the address of a client is the connection's, and only behind a proxy what the proxy says last")
{
    struct {
        const char* name;
        net::HttpHeaders headers;
        const char* trusted;  // the header that the proxy writes; empty: there is no proxy
        const char* address;
    } const cases[] = {
        {"nothing is said", {}, "X-Forwarded-For", "127.0.0.1"},
        {"spoofed", {{"X-Forwarded-For", "192.0.2.1"}, {"Forwarded", "for=192.0.2.2"}}, "", "127.0.0.1"},
        {"one", {{"X-Forwarded-For", "192.0.2.1"}}, "X-Forwarded-For", "192.0.2.1"},
        {"the client wrote first", {{"X-Forwarded-For", "198.51.100.7, 192.0.2.1"}}, "X-Forwarded-For", "192.0.2.1"},
        {"in two headers",
         {{"x-forwarded-for", "198.51.100.7"}, {"X-Forwarded-For", "192.0.2.1"}},
         "X-Forwarded-For",
         "192.0.2.1"},
        {"with a port", {{"X-Forwarded-For", "192.0.2.1:4711"}}, "X-Forwarded-For", "192.0.2.1"},
        {"RFC 7239",
         {{"Forwarded", "for=198.51.100.7, proto=https;For=\"[2001:db8::1]:80\""}},
         "Forwarded",
         "2001:db8::1"},
        {"a name", {{"Forwarded", "for=_hidden"}}, "Forwarded", "127.0.0.1"},
        {"no address", {{"X-Forwarded-For", "a, b"}}, "X-Forwarded-For", "127.0.0.1"},
        {"the client adds what the proxy does not write",
         {{"Forwarded", "for=198.51.100.7"}, {"X-Forwarded-For", "192.0.2.1"}},
         "X-Forwarded-For",
         "192.0.2.1"},
        {"and the other way around",
         {{"Forwarded", "for=192.0.2.1"}, {"X-Forwarded-For", "198.51.100.7"}},
         "Forwarded",
         "192.0.2.1"},
        {"only what the proxy does not write", {{"X-Forwarded-For", "198.51.100.7"}}, "Forwarded", "127.0.0.1"},
        {"empty", {{"X-Forwarded-For", ""}}, "X-Forwarded-For", "127.0.0.1"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        net::HttpHead head;
        head.headers = c.headers;
        config::ServerSettings settings{.behind_proxy = *c.trusted != '\0'};
        if (settings.behind_proxy) settings.forwarded_header = c.trusted;
        CHECK(client_address(head, "127.0.0.1:50312", settings) == c.address);
    }
    CHECK(client_address({}, "[::1]:50312", {}) == "::1");
    CHECK(client_address({}, "unix", {}) == "unix");
}
