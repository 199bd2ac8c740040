// The client against peers on real sockets: what goes out, what comes back, which connection carries it.
#include "net/http_client.hpp"

#include "base/async_scope.hpp"
#include "base/join.hpp"
#include "net/http_fetch_fixture.hpp"
#include "net/scripted_peer_fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>

using namespace cadre;
using namespace std::chrono_literals;
using test::Answer;
using test::await;
using test::failure;
using test::fetch;
using test::ok;
using test::PeerSocket;
using test::ScriptedPeer;

namespace {

/// Answers every request of a connection with its number and which connection it came by.
void answer_all(PeerSocket& peer)
{
    for (int i = 1; !peer.read_request().empty(); ++i)
        peer.send(ok(std::to_string(peer.number()) + "/" + std::to_string(i)));
}

}  // namespace

TEST_CASE("http client: what goes over the wire, and what comes back")
{
    std::string heard;
    ScriptedPeer peer([&](PeerSocket& socket) {
        heard = socket.read_request();
        socket.send("HTTP/1.1 201 Made\r\nX-Request-Id: 7\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n "
                    "world\r\n0\r\n\r\n");
        socket.wait_for_end();
    });
    net::Loop loop;
    {
        net::HttpClient client(loop);
        net::HttpRequest request{.method = "POST", .url = peer.url("/v1/x?a=b#c")};
        request.headers = {{"Authorization", "Bearer k"}, {"Accept", "text/event-stream"}};
        request.body = "{}";
        const Answer answer = run(loop, fetch(client, std::move(request)));
        CHECK(answer.status == 201);
        CHECK(net::find_header(answer.headers, "x-request-id") == "7");
        CHECK(answer.body == "hello world");
        CHECK(client.open() == 1);
        CHECK(client.idle() == 1);
    }
    await(loop, [&] { return peer.finished() == 1; });
    CHECK(heard == "POST /v1/x?a=b HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(peer.port()) +
                       "\r\nUser-Agent: cadre\r\nContent-Length: 2\r\nAuthorization: Bearer k\r\nAccept: "
                       "text/event-stream\r\n\r\n{}");
}

TEST_CASE("http client: requests one after the other share a connection")
{
    ScriptedPeer peer(answer_all);
    net::Loop loop;
    net::HttpClient client(loop);
    for (const char* body : {"1/1", "1/2", "1/3"}) CHECK(run(loop, fetch(client, {.url = peer.url()})).body == body);
    CHECK(peer.connections() == 1);
}

TEST_CASE("http client: a connection is not kept when either side would not have it")
{
    const char* const headers[] = {"Connection: close\r\n", "Keep-Alive: timeout=1\r\n"};
    for (const char* header : headers) {
        CAPTURE(header);
        ScriptedPeer peer([&](PeerSocket& socket) {
            while (!socket.read_request().empty()) socket.send(ok("x", header));
        });
        net::Loop loop;
        net::HttpClient client(loop);
        for (int i = 0; i < 2; ++i) CHECK(run(loop, fetch(client, {.url = peer.url()})).body == "x");
        CHECK(peer.connections() == 2);
        CHECK(client.open() == 0);
    }
    ScriptedPeer talkative([](PeerSocket& socket) {
        while (!socket.read_request().empty()) socket.send(ok("x") + "HTTP/1.1 200 OK\r\n\r\nunasked");
    });
    net::Loop loop;
    net::HttpClient client(loop);
    CHECK(run(loop, fetch(client, {.url = talkative.url()})).body == "x");
    CHECK(client.idle() == 0);
}

TEST_CASE("http client: a reply that dies before its end closes the connection; after its end has come, it is kept")
{
    std::atomic<bool> ended = false;
    ScriptedPeer peer([&](PeerSocket& socket) {
        socket.read_request();
        const std::string piece = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        socket.send(socket.number() == 2 ? piece + "0\r\n\r\n" : piece);
        socket.wait_for_end();
        ended = true;
    });
    net::Loop loop;
    net::HttpClient client(loop);
    const auto begin = [](net::HttpClient& c, std::string url) -> Async<> {
        const auto reply = co_await c.send({.url = url});
        CHECK(co_await reply->read() == "hello");
    };
    run(loop, begin(client, peer.url()));
    CHECK(client.open() == 0);
    await(loop, [&] { return ended.load(); });
    run(loop, begin(client, peer.url()));
    CHECK(client.idle() == 1);
}

TEST_CASE("http client: the pool is bounded, and idle connections go in time")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        while (!socket.read_request().empty()) {
            socket.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n");
            socket.send("x");
        }
    });
    net::Loop loop;
    net::HttpClient client(loop, {.open = 8, .idle = 3, .idle_per_origin = 2, .idle_time = 30ms});
    std::vector<Async<Answer>> several;
    for (int i = 0; i < 8; ++i) several.push_back(fetch(client, {.url = peer.url()}));
    CHECK(run(loop, all(std::move(several))).size() == 8);
    CHECK(client.open() == 2);
    CHECK(client.idle() == 2);
    await(loop, [&] { return client.open() == 0 && peer.finished() == peer.connections(); });

    ScriptedPeer silent([](PeerSocket& socket) { socket.wait_for_end(); });
    AsyncScope scope(loop);
    for (int i = 0; i < 8; ++i)
        scope.spawn([](net::HttpClient& c, std::string url) -> Async<> {
            co_await c.send({.url = url});
        }(client, silent.url()));
    await(loop, [&] { return client.open() == 8; });
    CHECK(failure(loop, client, {.url = peer.url()}) ==
          doctest::Contains("unavailable before sending: http://127.0.0.1"));
    run(loop, scope.close());
    CHECK(client.open() == 0);
}

TEST_CASE("http client: a kept connection that the server has closed costs nothing but a new one")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        socket.read_request();
        socket.send(ok(std::to_string(socket.number())));
    });
    net::Loop loop;
    net::HttpClient client(loop);
    for (const char* body : {"1", "2", "3"}) {
        CHECK(run(loop, fetch(client, {.method = "POST", .url = peer.url(), .body = "x"})).body == body);
        await(loop, [&] { return peer.finished() == peer.connections(); });
    }
}

TEST_CASE("http client: a request that a kept connection has swallowed is repeated only when it is safe")
{
    for (const bool reset : {false, true}) {
        ScriptedPeer peer([&](PeerSocket& socket) {
            socket.read_request();
            socket.send(ok(std::to_string(socket.number())));
            socket.read_request();  // and not a word
            if (reset) socket.reset();
        });
        net::Loop loop;
        net::HttpClient client(loop);
        CHECK(run(loop, fetch(client, {.url = peer.url()})).body == "1");
        CHECK(run(loop, fetch(client, {.url = peer.url()})).body == "2");
        CHECK(failure(loop, client, {.method = "POST", .url = peer.url(), .body = "x"}) ==
              doctest::Contains("upstream after sending: http://127.0.0.1"));
        CHECK(peer.connections() == 2);
    }
}

TEST_CASE("http client: a fresh connection that ends without an answer is a failure, whatever was asked")
{
    ScriptedPeer peer([](PeerSocket& socket) { socket.read_request(); });
    net::Loop loop;
    net::HttpClient client(loop);
    CHECK(failure(loop, client, {.url = peer.url()}) == doctest::Contains("upstream after sending: "));
    CHECK(peer.connections() == 1);
}

TEST_CASE("http client: nobody there, and no such name")
{
    net::Loop loop;
    net::HttpClient client(
        loop,
        {.hosts = {{"two.test", {net::find_ip_address("127.0.0.3").value(), net::find_ip_address("::1").value()}}}});
    std::string url;
    {
        ScriptedPeer peer([](PeerSocket&) {});
        url = peer.url();
    }
    CHECK(failure(loop, client, {.url = url}) == doctest::Contains("no connection: Connection refused"));
    CHECK(failure(loop, client, {.url = url}) == doctest::Contains("upstream before sending: http://127.0.0.1:"));
    CHECK(failure(loop, client, {.url = "http://two.test:1/"}) ==
          doctest::Contains("upstream before sending: http://two.test:1: no connection"));
    CHECK(failure(loop, client, {.url = "http://no-such-name.invalid/"}) ==
          doctest::Contains(" before sending: http://no-such-name.invalid"));
}

TEST_CASE("http client: of several addresses the first that answers wins, and one that is silent holds up nobody")
{
    ScriptedPeer peer(answer_all);
    const test::BlackHole hole(peer.port(), 2);
    const auto address = [](const char* text) { return net::find_ip_address(text).value(); };
    net::Loop loop;
    net::HttpClient client(loop, {.hosts = {{"refused.test", {address("127.0.0.3"), address("127.0.0.1")}},
                                            {"silent.test", {address("127.0.0.2"), address("127.0.0.1")}}}});
    const std::string port = ":" + std::to_string(peer.port()) + "/";
    CHECK(run(loop, fetch(client, {.url = "http://refused.test" + port})).body == "1/1");
    CHECK(run(loop, fetch(client, {.url = "http://silent.test" + port})).body == "2/1");
}

TEST_CASE("http client: an answer may come byte by byte")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        socket.read_request();
        for (const char byte :
             std::string("HTTP/1.1 103 Early\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "A\r\n0123456789\r\n1;x\r\nA\r\n0\r\nT: t\r\n\r\n"))
            socket.send({&byte, 1});
        socket.wait_for_end();
    });
    net::Loop loop;
    net::HttpClient client(loop);
    const Answer answer = run(loop, fetch(client, {.url = peer.url()}));
    CHECK(answer.status == 200);
    CHECK(answer.body == "0123456789A");
    CHECK(client.idle() == 1);
}

TEST_CASE("http client: large bodies both ways")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        for (std::string request; !(request = socket.read_request()).empty();) {
            const std::string body = request.substr(request.find("\r\n\r\n") + 4);
            socket.send(ok(body));
        }
    });
    net::Loop loop;
    net::HttpClient client(loop);
    std::string body(5 << 20, 'x');
    for (std::size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i % 26);
    CHECK(run(loop, fetch(client, {.method = "PUT", .url = peer.url(), .body = body})).body == body);
    CHECK(run(loop, fetch(client, {.method = "PUT", .url = peer.url(), .body = "x"})).body == "x");
    CHECK(peer.connections() == 1);
}

TEST_CASE("http client: an answer that comes before the request is sent is heard")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        socket.read_until("\r\n\r\n");
        socket.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!");
        socket.wait_for_end();
    });
    net::Loop loop;
    net::HttpClient client(loop);
    const Answer answer =
        run(loop, fetch(client, {.method = "POST", .url = peer.url(), .body = std::string(8 << 20, 'x')}));
    CHECK(answer.status == 413);
    CHECK(answer.body == "no!");
    CHECK(client.open() == 0);
}

TEST_CASE("http client: Expect waits for leave to send the body, but not for ever")
{
    std::string heard;
    const char* reply = nullptr;
    ScriptedPeer peer([&](PeerSocket& socket) {
        heard = socket.read_until("\r\n\r\n");
        if (*reply) socket.send(reply);
        if (std::string_view(reply).find("417") == std::string_view::npos) {
            heard += socket.read_exactly(4);
            socket.send(ok("x"));
        }
        heard += socket.read_some();  // the end
    });
    struct {
        const char* reply;
        int status;
        bool body;
        std::size_t kept;
    } const cases[] = {{"HTTP/1.1 100 Continue\r\n\r\n", 200, true, 1},
                       {"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", 200, true, 1},
                       {"", 200, true, 1},
                       {"HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n", 417, false, 0}};
    for (const auto& c : cases) {
        CAPTURE(c.reply);
        reply = c.reply;
        net::Loop loop;
        {
            net::HttpClient client(loop, {.continue_time = 30ms});
            net::HttpRequest request{
                .method = "POST", .url = peer.url(), .headers = {{"Expect", "100-continue"}}, .body = "body"};
            CHECK(run(loop, fetch(client, std::move(request))).status == c.status);
            CHECK(client.idle() == c.kept);
        }
        await(loop, [&] { return peer.finished() == peer.connections(); });
        CHECK(heard.ends_with("\r\n\r\nbody") == c.body);
    }
}

TEST_CASE("http client: answers that are malformed, cut or too large end in an error that says so")
{
    struct {
        std::string reply;
        const char* says;
    } const cases[] = {
        {"SSH-2.0-OpenSSH\r\n", "the answer is malformed"},
        {"HTTP/1.1 abc\r\n\r\n", "the answer is malformed"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "the answer is malformed"},
        {"HTTP/1.1 200", "the answer was cut off"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "the answer was cut off"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "the answer was cut off"},
        {"HTTP/1.1 200 OK\r\nX: " + std::string(9000, 'x'), "the answer's head has more than 8192 bytes"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "the answer's body has more than 100 bytes"},
        {"HTTP/1.1 200 OK\r\n\r\n" + std::string(101, 'x'), "the answer's body has more than 100 bytes"},
        {[] {
             std::string many;
             for (int i = 0; i < 40; ++i) many += "HTTP/1.1 102 Wait\r\n\r\n";
             return many;
         }(),
         "too many answers that are not final"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        ScriptedPeer peer([&](PeerSocket& socket) {
            socket.read_request();
            socket.send(c.reply);
        });
        net::Loop loop;
        net::HttpClient client(loop, {.largest_head = 8192});
        const auto error = failure(loop, client, {.url = peer.url("/secret?key=secret"), .largest = 100});
        CHECK(error == doctest::Contains(c.says));
        CHECK(error == doctest::Contains(" after sending: http://127.0.0.1:"));
        CHECK(error != doctest::Contains("secret"));
        CHECK(client.open() == 0);
    }
}

TEST_CASE("http client: requests that must not be sent are refused before anything is")
{
    net::Loop loop;
    net::HttpClient client(loop);
    struct {
        net::HttpRequest request;
        const char* says;
    } cases[] = {
        {{.url = "ftp://x/"}, "a URL must begin with https:// or http://"},
        {{.url = "https://user:hunter2@x/"}, "user name or password"},
        {{.method = "GE T", .url = "http://127.0.0.1/"}, "the method \"GE T\" cannot be sent"},
        {{.method = "CONNECT", .url = "http://127.0.0.1/"}, "cannot be sent"},
        {{.url = "http://127.0.0.1/", .headers = {{"X", "hunter2\r\nEvil: 1"}}},
         "the header X has a value with a line break"},
        {{.url = "http://127.0.0.1/", .headers = {{"X: y", "hunter2"}}}, "has a name that is none"},
        {{.url = "http://127.0.0.1/", .headers = {{"content-length", "5"}}},
         "Content-Length is not the caller's to set"},
        {{.url = "http://127.0.0.1/", .headers = {{"Expect", "hunter2"}}}, "Expect can be 100-continue only"},
    };
    for (auto& c : cases) {
        CAPTURE(c.says);
        const auto error = failure(loop, client, c.request);
        CHECK(error == doctest::Contains(c.says));
        CHECK(error == doctest::Contains(" before sending: "));
        CHECK(error != doctest::Contains("hunter2"));
    }
}
