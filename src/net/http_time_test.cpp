// The client and time: every patience, the caller's deadline, and cancellation at every point.
#include "base/async_scope.hpp"
#include "net/http_fetch_fixture.hpp"
#include "net/scripted_peer_fixture.hpp"
#include "net/test_certificates.hpp"

#include <doctest/doctest.h>

#include <atomic>

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

net::HttpClientOptions options()
{
    return {.ca_file = authority().file(), .hosts = {{"right.test", {net::find_ip_address("127.0.0.1").value()}}}};
}

std::string secure(const ScriptedPeer& peer)
{
    return "https://right.test:" + std::to_string(peer.port()) + "/";
}

/// Sends the answer's beginning and never its end.
void stop_midway(PeerSocket& socket)
{
    socket.read_request();
    socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    socket.wait_for_end();
}

/// Until the first bytes of the client are there, or its end.
void wait_for_bytes(const PeerSocket& socket)
{
    pollfd some{socket.descriptor(), POLLIN, 0};
    ::poll(&some, 1, -1);
}

/// What tells that a call is in its phase: the connection that it tries, the peer that got so far, a piece of the answer.
enum class Sign { opened, peer, piece };

struct Phase {
    const char* name;
    std::string url;
    std::string body;
    net::HttpPatience patience;
    const char* says;
    Sign sign = Sign::peer;
};

/// One peer for each phase in which a call can get stuck.
class Phases {
public:
    explicit Phases(Millis limit)
    {
        const Millis ever = 60'000ms;
        const net::HttpPatience connect{limit, ever, ever};
        const net::HttpPatience first_byte{ever, limit, ever};
        const net::HttpPatience idle{ever, ever, limit};
        const std::string large(32 << 20, 'x');
        all = {
            {"TCP", "http://127.0.0.1:" + std::to_string(hole_.port()) + "/", "", connect,
             "timeout before sending: |the connection timed out", Sign::opened},
            {"TLS", secure(silent_), "", connect, "timeout before sending: |the connection timed out"},
            {"tunnel", "https://elsewhere.test/", "", connect, "timeout before sending: |the connection timed out"},
            {"sending", unread_.url(), large, idle, "timeout after sending: |sending the request timed out"},
            {"first byte", silent_.url(), "", first_byte, "timeout after sending: |the answer timed out"},
            {"head", half_head_.url(), "", first_byte, "timeout after sending: |the answer timed out"},
            {"body", midway_.url(), "", idle, "timeout after sending: |the next piece of the answer timed out",
             Sign::piece},
            {"body in TLS", secure(secure_midway_), "", idle,
             "timeout after sending: |the next piece of the answer timed out", Sign::piece},
        };
        client_options = options();
        client_options.proxies.https_proxy = silent_.url("");
        client_options.proxies.no_proxy = "right.test";
    }

    std::vector<Phase> all;
    net::HttpClientOptions client_options;

    /// Calls that have come to where their peer leaves them stuck.
    int stuck() const { return stuck_; }
    /// Whether all who were connected have noticed that the client is gone.
    bool all_ended() const
    {
        bool ended = true;
        for (const ScriptedPeer* peer : {&silent_, &unread_, &half_head_, &midway_, &secure_midway_})
            ended = ended && peer->finished() == peer->connections();
        return ended;
    }

private:
    test::ServerContext context_ = authority().server({});
    std::atomic<int> stuck_ = 0;
    test::BlackHole hole_;
    ScriptedPeer silent_{[this](PeerSocket& socket) {
        wait_for_bytes(socket);
        ++stuck_;
        socket.wait_for_end();
    }};
    ScriptedPeer unread_{[this](PeerSocket& socket) {
        wait_for_bytes(socket);
        ++stuck_;
        pollfd gone{socket.descriptor(), POLLHUP | POLLRDHUP, 0};
        ::poll(&gone, 1, -1);
    }};
    ScriptedPeer half_head_{[this](PeerSocket& socket) {
        socket.read_request();
        socket.send("HTTP/1.1 200 OK\r\nX-");
        ++stuck_;
        socket.wait_for_end();
    }};
    ScriptedPeer midway_{stop_midway};
    ScriptedPeer secure_midway_{[this](PeerSocket& socket) {
        if (socket.accept_tls(context_.get())) stop_midway(socket);
    }};
};

}  // namespace

TEST_CASE("http time: silence is borne as long as was said, in every phase")
{
    Phases phases(60ms);
    net::Loop loop;
    for (const Phase& phase : phases.all) {
        CAPTURE(phase.name);
        net::HttpClient client(loop, phases.client_options);
        const Instant begin = loop.now();
        const auto error =
            failure(loop, client, {.method = "POST", .url = phase.url, .body = phase.body, .patience = phase.patience});
        const std::string says = phase.says;
        CHECK(error == doctest::Contains(says.substr(0, says.find('|')).c_str()));
        CHECK(error == doctest::Contains((says.substr(says.find('|') + 1) + " after 60 ms").c_str()));
        CHECK(loop.now() - begin >= 60ms);
        CHECK(client.open() == 0);
    }
    test::await(loop, [&] { return phases.all_ended(); });
}

TEST_CASE("http time: patience counts from the last byte, not from the first")
{
    constexpr Millis kPatience = 60ms;
    std::atomic<int> heard = 0;
    std::atomic<bool> enough = false;
    ScriptedPeer peer([&](PeerSocket& socket) {
        socket.read_request();
        socket.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        for (int sent = 0; !enough && socket.send("x");) heard.wait(sent++);  // the next when this one has arrived
        socket.wait_for_end();
    });
    net::Loop loop;
    net::HttpClient client(loop);
    Instant first{}, last{};
    const auto listen = [&]() -> Async<> {
        const auto reply = co_await client.send({.url = peer.url(), .patience = {20s, 20s, kPatience}});
        while (co_await reply->read()) {
            last = loop.now();
            if (heard == 0) first = last;
            enough = last - first > 2 * kPatience;
            ++heard;
            heard.notify_one();
        }
    };
    CHECK_THROWS_WITH_AS(run(loop, listen()), doctest::Contains("the next piece of the answer timed out"),
                         net::HttpError);
    CHECK(loop.now() - last >= kPatience);
    enough = true;  // for a peer that still waits for us
    heard = -1;
    heard.notify_one();
}

TEST_CASE("http time: the caller's deadline and a cancellation end a call in every phase, and its connection at once")
{
    Phases phases(60s);
    net::Loop loop;
    for (const Phase& phase : phases.all) {
        CAPTURE(phase.name);
        net::HttpClient client(loop, phases.client_options);
        const net::HttpRequest request{.method = "POST", .url = phase.url, .body = phase.body};
        CHECK_THROWS_WITH_AS(run(loop, with_timeout(fetch(client, request), 50ms, "the call")),
                             "the call timed out after 50 ms", Error);
        CHECK(client.open() == 0);

        AsyncScope scope(loop);
        test::await(loop, [&] { return phases.all_ended(); });
        const int stuck = phases.stuck();
        int pieces = 0;
        scope.spawn([](net::HttpClient& c, net::HttpRequest r, int& p) -> Async<> {
            const auto reply = co_await c.send(std::move(r));
            while (co_await reply->read()) ++p;
        }(client, request, pieces));
        test::await(loop, [&] {
            return phase.sign == Sign::opened ? client.open() == 1
                   : phase.sign == Sign::peer ? phases.stuck() > stuck
                                              : pieces == 1;
        });
        CHECK(scope.size() == 1);
        run(loop, scope.close());
        CHECK(client.open() == 0);
        test::await(loop, [&] { return phases.all_ended(); });
    }
}

TEST_CASE("torture: calls are cancelled and destroyed after every turn of the loop")
{
    const test::ServerContext context = authority().server({});
    const auto serve = [](PeerSocket& socket) {
        for (std::string request; !(request = socket.read_request()).empty();) {
            socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
            socket.send("6\r\n world\r\n0\r\n\r\n");
        }
    };
    ScriptedPeer plain(serve);
    ScriptedPeer secure_peer([&](PeerSocket& socket) {
        if (socket.accept_tls(context.get())) serve(socket);
    });
    ScriptedPeer proxy([&](PeerSocket& socket) {
        socket.read_until("\r\n\r\n");
        socket.send("HTTP/1.1 200 OK\r\n\r\n");
        if (socket.accept_tls(context.get())) serve(socket);
    });
    const auto talk = [](net::HttpClient& client, std::string url, int& done) -> Async<> {
        for (int i = 0; i < 2; ++i) {
            const auto answer = co_await fetch(client, {.method = "POST", .url = url, .body = "x"});
            CHECK(answer.body == "hello world");
            ++done;
        }
    };
    net::HttpClientOptions through = options();
    through.proxies = {.https_proxy = proxy.url("")};
    const struct {
        std::string url;
        net::HttpClientOptions options;
    } ways[] = {{plain.url(), options()}, {secure(secure_peer), options()}, {"https://right.test/", through}};
    for (const auto& way : ways) {
        for (const bool cancel : {true, false}) {
            int done = 0;
            for (int turns = 0; done < 2 && turns < 300; ++turns) {
                net::Loop loop;
                net::HttpClient client(loop, way.options);
                AsyncScope scope(loop);
                done = 0;
                scope.spawn(talk(client, way.url, done));
                int left = turns;
                loop.run_until([&] { return scope.size() == 0 || left-- == 0; });
                if (cancel) run(loop, scope.close());
            }
            CHECK(done == 2);  // so that every turn was the last one once
        }
    }
}
