// The client through proxies, and where foreign URLs may lead.
#include "net/http_fetch_fixture.hpp"
#include "net/scripted_peer_fixture.hpp"
#include "net/test_certificates.hpp"

#include <doctest/doctest.h>

#include <future>

using namespace cadre;
using namespace std::chrono_literals;
using test::failure;
using test::fetch;
using test::ok;
using test::PeerSocket;
using test::ScriptedPeer;

namespace {

const test::Authority& authority()
{
    static const test::Authority made;
    return made;
}

net::IpAddress address(const char* text)
{
    return net::find_ip_address(text).value();
}

std::string here(const ScriptedPeer& peer)
{
    return "127.0.0.1:" + std::to_string(peer.port());
}

}  // namespace

TEST_CASE("proxy: https goes through a tunnel, which is kept")
{
    const test::ServerContext context = authority().server({});
    std::string asked;
    ScriptedPeer proxy([&](PeerSocket& socket) {  // it is the server behind the tunnel as well
        asked = socket.read_until("\r\n\r\n");
        socket.send("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n");
        if (!socket.accept_tls(context.get())) return;
        for (int i = 1; !socket.read_request().empty(); ++i) socket.send(ok(std::to_string(i)));
    });
    net::Loop loop;
    net::HttpClient client(loop,
                           {.proxies = {.https_proxy = "http://me:pw@" + here(proxy)}, .ca_file = authority().file()});
    CHECK(run(loop, fetch(client, {.url = "https://right.test/v1"})).body == "1");
    CHECK(run(loop, fetch(client, {.url = "https://right.test/v1"})).body == "2");
    CHECK(asked ==
          "CONNECT right.test:443 HTTP/1.1\r\nHost: right.test:443\r\nProxy-Authorization: Basic bWU6cHc=\r\n\r\n");
    CHECK(failure(loop, client, {.url = "https://wrong.test/"}) ==
          doctest::Contains(
              ("https://wrong.test through the proxy " + here(proxy) + ": its certificate is not accepted").c_str()));
}

TEST_CASE("proxy: http is asked for with the whole URL, and origins share the connection")
{
    std::vector<std::string> asked;
    ScriptedPeer proxy([&](PeerSocket& socket) {
        for (std::string request; !(request = socket.read_request()).empty();) {
            asked.push_back(request);
            socket.send(ok("x"));
        }
    });
    net::Loop loop;
    {
        net::HttpClient client(loop, {.proxies = {.http_proxy = "http://me:pw@" + here(proxy)}});
        CHECK(run(loop, fetch(client, {.url = "http://a.test/p?q"})).status == 200);
        CHECK(run(loop, fetch(client, {.url = "http://b.test:8080"})).status == 200);
    }
    test::await(loop, [&] { return proxy.finished() == 1; });
    REQUIRE(asked.size() == 2);
    CHECK(asked[0] == "GET http://a.test/p?q HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic "
                      "bWU6cHc=\r\nUser-Agent: cadre\r\n\r\n");
    CHECK(asked[1].starts_with("GET http://b.test:8080/ HTTP/1.1\r\nHost: b.test:8080\r\n"));
}

TEST_CASE("proxy: what it refuses is said, and nothing of the request has left")
{
    struct {
        const char* reply;
        const char* says;
    } const cases[] = {
        {"HTTP/1.1 407 Who\r\nContent-Length: 3\r\n\r\nwho", "the proxy wants a user name and a password"},
        {"HTTP/1.1 403 No\r\n\r\n", "the proxy refuses the tunnel with status 403"},
        {"HTTP/1.1 302 There\r\nLocation: http://evil/\r\n\r\n", "the proxy refuses the tunnel with status 302"},
        {"", "the proxy has closed the connection"},
        {"SOCKS?\r\n\r\n", "the proxy: the answer is malformed"},
        {"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\nevil", "the proxy speaks in the server's place"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        ScriptedPeer proxy([&](PeerSocket& socket) {
            socket.read_until("\r\n\r\n");
            socket.send(c.reply);
        });
        net::Loop loop;
        net::HttpClient client(loop, {.proxies = {.https_proxy = "http://me:hunter2@" + here(proxy)}});
        const auto error = failure(loop, client, {.url = "https://a.test/"});
        CHECK(error == doctest::Contains(c.says));
        CHECK(error == doctest::Contains("upstream before sending: https://a.test through the proxy 127.0.0.1:"));
        CHECK(error != doctest::Contains("hunter2"));
        CHECK(client.open() == 0);
    }
    net::Loop loop;
    net::HttpClient client(loop, {.proxies = {.https_proxy = "socks5://x:1"}});
    CHECK(failure(loop, client, {.url = "https://a.test/"}) ==
          doctest::Contains("invalid before sending: HTTPS_PROXY: "));
}

TEST_CASE("egress: a foreign URL is judged by the address that it leads to")
{
    ScriptedPeer inside([](PeerSocket& socket) {
        while (!socket.read_request().empty()) socket.send(ok("secret"));
    });
    net::HttpClientOptions options;
    options.egress.allow_http = true;
    options.egress.ports = {};
    options.hosts = {{"evil.test", {address("127.0.0.1")}},
                     {"metadata.test", {address("169.254.169.254"), address("::ffff:127.0.0.1")}}};
    const std::string port = ":" + std::to_string(inside.port()) + "/";
    net::Loop loop;
    net::HttpClient client(loop, options);
    for (const std::string& url :
         {"http://127.0.0.1" + port, "http://evil.test" + port, "http://metadata.test" + port}) {
        CAPTURE(url);
        const auto error = failure(loop, client, {.url = url, .foreign = true});
        CHECK(error == doctest::Contains("forbidden before sending: "));
        CHECK(error == doctest::Contains("is not public"));
    }
    CHECK(inside.connections() == 0);
    CHECK(failure(loop, client, {.url = "http://evil.test" + port}) == "status 200");  // the operator's own
    CHECK(client.idle() == 1);
    CHECK(failure(loop, client, {.url = "http://evil.test" + port, .foreign = true}) ==
          doctest::Contains("is not public"));

    options.egress.allowed = {net::find_ip_network("127.0.0.1").value()};
    net::HttpClient open(loop, options);
    CHECK(failure(loop, open, {.url = "http://evil.test" + port, .foreign = true}) == "status 200");
    options.egress.allow_http = false;
    net::HttpClient strict(loop, options);
    CHECK(failure(loop, strict, {.url = "http://evil.test" + port, .foreign = true}) ==
          doctest::Contains("must begin with https://"));
}

TEST_CASE("egress: addresses that may not be reached are passed over for those that may")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        while (!socket.read_request().empty()) socket.send(ok("x"));
    });
    ScriptedPeer inside([](PeerSocket& socket) { socket.read_request(); }, peer.port(), 2);
    net::HttpClientOptions options;
    options.egress = {.allow_http = true, .ports = {}, .allowed = {net::find_ip_network("127.0.0.1").value()}};
    options.hosts = {{"both.test", {address("127.0.0.2"), address("127.0.0.1")}}};
    net::Loop loop;
    net::HttpClient client(loop, options);
    CHECK(failure(loop, client, {.url = "http://both.test:" + std::to_string(peer.port()), .foreign = true}) ==
          "status 200");
    CHECK(inside.connections() == 0);
}

TEST_CASE("egress: a proxy is told the address that was checked, not the name")
{
    std::promise<std::string> asked;
    ScriptedPeer proxy([&](PeerSocket& socket) { asked.set_value(socket.read_until("\r\n\r\n")); });
    net::HttpClientOptions options;
    options.proxies = {.https_proxy = here(proxy), .http_proxy = here(proxy)};
    options.hosts = {{"public.test", {address("1.1.1.1")}}, {"evil.test", {address("10.0.0.1")}}};
    net::Loop loop;
    net::HttpClient client(loop, options);
    CHECK(failure(loop, client, {.url = "https://evil.test/", .foreign = true}) ==
          doctest::Contains("forbidden before sending"));
    CHECK(proxy.connections() == 0);
    CHECK(failure(loop, client, {.url = "https://public.test/", .foreign = true}) ==
          doctest::Contains("the proxy has closed"));
    CHECK(asked.get_future().get().starts_with("CONNECT 1.1.1.1:443 HTTP/1.1\r\n"));
    options.egress = {.allow_http = true, .ports = {}};
    net::HttpClient plain(loop, options);
    CHECK(failure(loop, plain, {.url = "http://public.test/", .foreign = true}) ==
          doctest::Contains("a proxy would choose the address"));
}

TEST_CASE("egress: redirects are answers like others")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        while (!socket.read_request().empty())
            socket.send("HTTP/1.1 302 There\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n");
    });
    net::Loop loop;
    net::HttpClient client(loop);
    const auto answer = run(loop, fetch(client, {.url = peer.url()}));
    CHECK(answer.status == 302);
    CHECK(net::find_header(answer.headers, "location") == "http://169.254.169.254/");
}
