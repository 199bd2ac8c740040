// The client over TLS, with certificates that are right and wrong.
#include "net/http_fetch_fixture.hpp"
#include "net/scripted_peer_fixture.hpp"
#include "net/test_certificates.hpp"

#include <doctest/doctest.h>

#include <mutex>

using namespace cadre;
using namespace std::chrono_literals;
using test::Authority;
using test::failure;
using test::fetch;
using test::ok;
using test::PeerSocket;
using test::ScriptedPeer;
using test::ServerContext;
using test::Wish;

namespace {

const Authority& authority()
{
    static const Authority made;
    return made;
}

/// `right.test` and `wrong.test` are on loopback here.
net::HttpClientOptions options()
{
    const auto loopback = net::find_ip_address("127.0.0.1").value();
    net::HttpClientOptions made{.ca_file = authority().file()};
    for (const char* name : {"right.test", "right.test.", "api.right.test", "wrong.test"})
        made.hosts[name] = {loopback};
    return made;
}

std::string url(const ScriptedPeer& peer, const std::string& host = "right.test")
{
    return "https://" + host + ":" + std::to_string(peer.port()) + "/";
}

}  // namespace

TEST_CASE("tls: requests, kept connections, names and protocols")
{
    const ServerContext context = authority().server({});
    std::atomic<bool> named = false, protocol = false;
    ScriptedPeer peer([&](PeerSocket& socket) {
        if (!socket.accept_tls(context.get())) return;
        const char* name = ::SSL_get_servername(socket.tls(), TLSEXT_NAMETYPE_host_name);
        named = name && std::string_view(name) == "right.test";
        const unsigned char* chosen = nullptr;
        unsigned size = 0;
        ::SSL_get0_alpn_selected(socket.tls(), &chosen, &size);
        protocol = size == 8;
        for (int i = 1; !socket.read_request().empty(); ++i)
            socket.send(ok(std::to_string(socket.number()) + "/" + std::to_string(i)));
    });
    net::Loop loop;
    net::HttpClient client(loop, options());
    for (const char* body : {"1/1", "1/2", "1/3"}) CHECK(run(loop, fetch(client, {.url = url(peer)})).body == body);
    CHECK(named);
    CHECK(protocol);
    CHECK(peer.connections() == 1);
    CHECK(run(loop, fetch(client, {.url = url(peer, "right.test.")})).body == "2/1");
}

TEST_CASE("tls: only who proves to be the host is spoken to")
{
    struct {
        const char* name;
        Wish wish;
        const char* host;
        const char* says;  // "": accepted
    } const cases[] = {
        {"right host", {}, "right.test", ""},
        {"any host below", {.names = "DNS:*.right.test"}, "api.right.test", ""},
        {"address", {.names = "IP:127.0.0.1"}, "127.0.0.1", ""},
        {"wrong host", {}, "wrong.test", "hostname mismatch"},
        {"any host of all", {.names = "DNS:*.test"}, "right.test", "hostname mismatch"},
        {"half a name", {.names = "DNS:ap*.right.test"}, "api.right.test", "hostname mismatch"},
        {"name for an address", {}, "127.0.0.1", "IP address mismatch"},
        {"another address", {.names = "IP:127.0.0.2"}, "127.0.0.1", "IP address mismatch"},
        {"expired", {.from = -7200, .until = -3600}, "right.test", "certificate has expired"},
        {"not yet valid", {.from = 3600, .until = 7200}, "right.test", "certificate is not yet valid"},
        {"signed by itself", {.self_signed = true}, "right.test", "self-signed certificate"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const ServerContext context = authority().server(c.wish);
        std::atomic<bool> asked = false;
        ScriptedPeer peer([&](PeerSocket& socket) {
            socket.accept_tls(context.get());
            asked = !socket.read_request().empty();
            if (asked) socket.send(ok("x"));
        });
        net::Loop loop;
        {
            net::HttpClient client(loop, options());
            const auto result = failure(loop, client, {.url = url(peer, c.host)});
            if (!*c.says) CHECK(result == "status 200");
            else
                CHECK(result == doctest::Contains((std::string("its certificate is not accepted: ") + c.says).c_str()));
            if (*c.says) CHECK(result == doctest::Contains("upstream before sending: https://"));
        }
        test::await(loop, [&] { return peer.finished() == 1; });
        CHECK(asked == !*c.says);
    }
}

TEST_CASE("tls: trust comes from the file that is named, and can be given up")
{
    const ServerContext context = authority().server({.self_signed = true});
    ScriptedPeer peer([&](PeerSocket& socket) {
        if (socket.accept_tls(context.get()) && !socket.read_request().empty()) socket.send(ok("x"));
    });
    net::Loop loop;
    net::HttpClientOptions trusting = options();
    trusting.verify = false;
    net::HttpClient client(loop, trusting);
    CHECK(failure(loop, client, {.url = url(peer, "wrong.test")}) == "status 200");
    net::HttpClientOptions other = options();
    other.ca_file = "";  // the machine's own, which does not know ours
    net::HttpClient stranger(loop, other);
    CHECK(failure(loop, stranger, {.url = url(peer)}) == doctest::Contains("its certificate is not accepted"));
    other.ca_file = "/nowhere.pem";
    net::HttpClient misled(loop, other);
    CHECK(failure(loop, misled, {.url = url(peer)}) == doctest::Contains("invalid before sending: https://right.test"));
    CHECK(failure(loop, misled, {.url = url(peer)}) ==
          doctest::Contains("no certificates can be read from /nowhere.pem"));
}

TEST_CASE("tls: old versions and peers without TLS are refused")
{
    const ServerContext context = authority().server({});
    ::SSL_CTX_set_security_level(context.get(), 0);
    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    ::SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
    ScriptedPeer old([&](PeerSocket& socket) { socket.accept_tls(context.get()); });
    ScriptedPeer plain([&](PeerSocket& socket) {
        socket.read_some();
        socket.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    ScriptedPeer gone([&](PeerSocket& socket) { socket.read_some(); });
    net::Loop loop;
    net::HttpClient client(loop, options());
    CHECK(failure(loop, client, {.url = url(old)}) == doctest::Contains("upstream before sending: https://right.test"));
    CHECK(failure(loop, client, {.url = url(old)}) == doctest::Contains("TLS failed: "));
    CHECK(failure(loop, client, {.url = url(plain)}) == doctest::Contains("TLS failed: wrong version number"));
    CHECK(failure(loop, client, {.url = url(gone)}) == doctest::Contains("the connection was cut off"));
}

TEST_CASE("tls: a body that ends with the connection must end in good order")
{
    const ServerContext context = authority().server({});
    bool goodbye = false;
    ScriptedPeer peer([&](PeerSocket& socket) {
        socket.accept_tls(context.get());
        socket.read_request();
        socket.send("HTTP/1.1 200 OK\r\n\r\nhello");
        if (goodbye) socket.say_goodbye();
    });
    net::Loop loop;
    net::HttpClient client(loop, options());
    CHECK(failure(loop, client, {.url = url(peer)}) ==
          doctest::Contains("the answer was cut off: the connection was cut off"));
    test::await(loop, [&] { return peer.finished() == 1; });
    goodbye = true;
    CHECK(run(loop, fetch(client, {.url = url(peer)})).body == "hello");
}

TEST_CASE("tls: large bodies both ways, in every version that is spoken")
{
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        const ServerContext context = authority().server({});
        ::SSL_CTX_set_max_proto_version(context.get(), version);
        ScriptedPeer peer([&](PeerSocket& socket) {
            if (!socket.accept_tls(context.get())) return;
            for (std::string request; !(request = socket.read_request()).empty();)
                socket.send(ok(request.substr(request.find("\r\n\r\n") + 4)));
        });
        net::Loop loop;
        net::HttpClient client(loop, options());
        std::string body(3 << 20, 'x');
        for (std::size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i % 26);
        for (int i = 0; i < 2; ++i)
            CHECK(run(loop, fetch(client, {.method = "POST", .url = url(peer), .body = body})).body == body);
        CHECK(peer.connections() == 1);
    }
}
