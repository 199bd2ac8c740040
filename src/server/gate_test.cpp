#include "server/gate.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;

namespace {

/// 0: it may come in.
int refused(const Gate& gate, net::HttpHeaders headers, bool by_file = false)
{
    try {
        gate.expect({.method = "GET", .headers = std::move(headers)}, by_file);
        return 0;
    } catch (const net::HttpRefusal& refusal) {
        return refusal.status();
    }
}

}  // namespace

TEST_CASE("gate: Host is one of ours")
{
    const Gate gate({"http://127.0.0.1:8080", "https://agents.example.com"}, {});
    for (const char* host : {"127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST:8080", "agents.example.com"})
        CHECK(refused(gate, {{"Host", host}}) == 0);
    for (const char* host :
         {"localhost", "localhost:9090", "evil.example", "evil.example:8080", "127.0.0.1.evil.example:8080", ""})
        CHECK(refused(gate, {{"Host", host}}) == 421);
    CHECK(refused(gate, {{"Host", "localhost:8080"}, {"Host", "evil.example"}}) == 400);
    const Gate both({"http://127.0.0.1:8080", "unix:/run/cadre.sock"}, {});
    CHECK(refused(both, {{"Host", "anything"}}, true) == 0);
    CHECK(refused(both, {{"Host", "anything"}}) == 421);
}

TEST_CASE("gate: pages of other sites may not ask, unless they are allowed to")
{
    const Gate gate({"http://127.0.0.1:8080"}, {"https://console.example.com"});
    const net::HttpHeader host{"Host", "localhost:8080"};
    CHECK(refused(gate, {host, {"Origin", "http://localhost:8080"}}) == 0);
    CHECK(refused(gate, {host, {"Origin", "https://console.example.com"}, {"Sec-Fetch-Site", "cross-site"}}) == 0);
    CHECK(refused(gate, {host, {"Origin", "http://localhost:3000"}}) == 403);
    CHECK(refused(gate, {host, {"Origin", "null"}}) == 403);
    CHECK(refused(gate, {host, {"Origin", "https://console.example.com.evil.example"}}) == 403);
    CHECK(refused(gate, {host, {"Sec-Fetch-Site", "cross-site"}}) == 403);
    CHECK(refused(gate, {host, {"Sec-Fetch-Site", "same-origin"}}) == 0);
    CHECK(gate.cors({.headers = {{"Origin", "http://localhost:8080"}}}).empty());
    CHECK(gate.cors({.headers = {{"Origin", "https://console.example.com"}}}).front().value ==
          "https://console.example.com");
}
