// The server on real sockets of the loopback: what it understands and how it answers.
#include "net/http_server.hpp"

#include "support/http_world.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::test;

TEST_CASE("a request is answered wherever its bytes are split, byte by byte too")
{
    World world;
    const std::string text = "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";
    const std::string whole = body_of(world.talk(text));
    CHECK(whole == "POST hello");
    for (std::size_t split = 1; split < text.size(); ++split) {
        Client client(world.loop);
        const auto parts = [](World& w, Client& c, std::string first, std::string second) -> Async<std::string> {
            co_await c.connect(w.server.port());
            co_await c.send(std::move(first));
            for (int i = 0; i < 4; ++i) co_await yield();  // so that the server reads it alone
            co_await c.send(std::move(second));
            co_return co_await c.read_until("");
        };
        CHECK(body_of(world.run(parts(world, client, text.substr(0, split), text.substr(split)))) == whole);
    }
}

TEST_CASE("a connection is used again, and requests that were sent at once are answered in their order")
{
    World world;
    const std::string chunked =
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
    const std::string answers = world.talk(get("/1", "") + chunked + get("/stream", "") + get("/3", "") + get("/4"));
    const std::size_t places[] = {answers.find("\r\n\r\n/1"), answers.find("POST abc"), answers.find("data: two"),
                                  answers.find("\r\n\r\n/3"), answers.find("\r\n\r\n/4")};
    for (std::size_t i = 0; i + 1 < std::size(places); ++i) CHECK(places[i] < places[i + 1]);
    CHECK(places[4] != answers.npos);
    CHECK(count(answers, "HTTP/1.1 200 OK") == 5);
    CHECK(count(answers, "Connection: close") == 1);
}

TEST_CASE("answers are framed as the request allows")
{
    World world;
    CHECK(world.talk(get("/stream")).ends_with("\r\n\r\nb\r\ndata: one\n\n\r\nb\r\ndata: two\n\n\r\n0\r\n\r\n"));
    CHECK(body_of(world.talk("GET /stream HTTP/1.0\r\n\r\n")) == "data: one\n\ndata: two\n\n");
    const std::string head = world.talk("HEAD /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    CHECK(head.find("Content-Length: 6\r\n") != head.npos);
    CHECK(body_of(head).empty());
    CHECK(body_of(world.talk("HEAD /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).empty());
    const std::string none = world.talk(get("/empty"));
    CHECK(status_of(none) == 204);
    CHECK(none.find("Content-Length") == none.npos);
    const std::string old = world.talk("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\n");
    CHECK(old.find("Connection: keep-alive") != old.npos);
    CHECK(old.ends_with("/b"));
}

TEST_CASE("bad requests get their status and a JSON error, and the connection is closed")
{
    World world({.limits = {.body = 1000}});
    struct {
        const char* name;
        std::string text;
        int status;
        const char* says;
    } const cases[] = {
        {"nonsense", "hello there\r\n\r\n", 400, R"({"error":{"code":"malformed","message":"this is no HTTP request)"},
        {"version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, R"("code":"invalid")"},
        {"target", get("/" + std::string(9'000, 'x')), 414, "target is longer than 8192 bytes"},
        {"target beyond a head", get("/" + std::string(40'000, 'x')), 414, R"("code":"too_large")"},
        {"head", get("/", "X: " + std::string(40'000, 'x') + "\r\n"), 431, R"("code":"too_large")"},
        {"declared body", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n" + std::string(1001, 'x'),
         413, "larger than 1000 bytes"},
        {"chunked body",
         "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'x'), 413,
         "larger than 1000 bytes"},
        {"bad chunk", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n", 400,
         "malformed"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const std::string answer = world.talk(c.text);  // returns at the connection's end
        CHECK(status_of(answer) == c.status);
        CHECK(answer.find("Content-Type: application/json") != answer.npos);
        CHECK(answer.find("Connection: close") != answer.npos);
        CHECK(body_of(answer).c_str() == doctest::Contains(c.says));
    }
    // the answer reaches a client that goes on sending without end
    CHECK(status_of(world.talk("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n" +
                               std::string(9'000'000, 'x'))) == 413);
}

TEST_CASE("what a handler throws becomes its answer, and nothing of a bug is told")
{
    World world;
    const std::string error = world.talk(get("/error", "") + get("/next"));
    CHECK(error.find("HTTP/1.1 404 Not Found") == 0);
    CHECK(error.find(R"({"error":{"code":"not_found","message":"there is no \"x\""}})") != error.npos);
    CHECK(error.ends_with("/next"));  // the connection bears it
    const std::string bug = world.talk(get("/bug"));
    CHECK(status_of(bug) == 500);
    CHECK(bug.find("secret") == bug.npos);
    CHECK(status_of(world.talk(get("/silent"))) == 500);
    const std::string injected = world.talk(get("/split"));
    CHECK(status_of(injected) == 500);
    CHECK(injected.find("X-Injected") == injected.npos);
    const std::string late = world.talk(get("/late-error", ""));
    CHECK(status_of(late) == 200);
    CHECK(!late.ends_with("0\r\n\r\n"));  // the client can tell
}

TEST_CASE("100 Continue is sent to who waits for it, when the body is wanted")
{
    World world;
    const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    Client client(world.loop);
    const auto polite = [](World& w, Client& c, std::string h) -> Async<std::string> {
        co_await c.connect(w.server.port());
        co_await c.send(std::move(h));
        co_await c.read_until("\r\n\r\n");
        co_await c.send("ab");
        co_return co_await c.read_until("POST ab");
    };
    CHECK(world.run(polite(world, client, head)).find("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK") == 0);
    const std::string refused =
        world.talk("POST /unread HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    CHECK(status_of(refused) == 403);
    CHECK(refused.find("Connection: close") != refused.npos);
    // a small body that nobody read does not cost the connection
    const std::string unread =
        world.talk("POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + get("/next"));
    CHECK(unread.ends_with("/next"));
}

TEST_CASE("each route has its own limit for bodies, and says so before any of it is asked for")
{
    World world({.limits = {.body = 1000}});
    const auto post = [](std::string path, std::size_t size, std::string more = "") {
        return "POST " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + more +
               "Content-Length: " + std::to_string(size) + "\r\n\r\n";
    };
    CHECK(body_of(world.talk(post("/tight", 10) + std::string(10, 'x'))) == "10");
    CHECK(status_of(world.talk(post("/tight", 11) + std::string(11, 'x'))) == 413);
    CHECK(body_of(world.talk(post("/roomy", 5000) + std::string(5000, 'x'))) == "5000");
    CHECK(status_of(world.talk(post("/roomy", 5001))) == 413);  // none of it was sent
    const std::string polite = world.talk(post("/tight", 11, "Expect: 100-continue\r\n"));
    CHECK(status_of(polite) == 413);
    const std::string chunks = "b\r\n" + std::string(11, 'x') + "\r\n0\r\n\r\n";
    CHECK(status_of(world.talk("POST /tight HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)) ==
          413);
    CHECK(status_of(world.talk(post("/unread", 9'000'000))) == 403);  // who may not is told that, not how much
}

TEST_CASE("the owner of a server forms its refusals, those of the parser too")
{
    World world({.connections = 1});
    world.handler.forms = true;
    struct {
        std::string text;
        int status;
        const char* body;
    } const cases[] = {
        {"hello there\r\n\r\n", 400, "? malformed told"}, {get("/" + std::string(9'000, 'x')), 414, "? too_large told"},
        {get("/error"), 404, "/error not_found told"},    {get("/bug"), 500, "/bug internal hidden"},
        {get("/silent"), 500, "/silent internal told"},
    };
    for (const auto& c : cases) {
        const std::string answer = world.talk(c.text);
        CHECK(status_of(answer) == c.status);
        CHECK(body_of(answer) == c.body);
        world.run(world.until([&] { return world.server.connections() == 0; }));
    }
    Client first(world.loop);
    world.run(world.talk_to(first, get("/a", ""), "/a"));
    CHECK(body_of(world.talk("")) == "? unavailable hidden");
}

TEST_CASE("a stream that is cut does not look like one that has ended")
{
    World world;
    const std::string answer = world.talk(get("/cut", ""));
    CHECK(answer.ends_with("4\r\nhalf\r\n"));
}

TEST_CASE("an upgraded connection carries bytes both ways until its client goes")
{
    World world;
    Client client(world.loop);
    const auto both = [](World& w, Client& c) -> Async<std::string> {
        co_await c.connect(w.server.port());
        co_await c.send(get("/upgrade", "Connection: Upgrade\r\nUpgrade: echo\r\n") + "first");
        co_await c.read_until("first");
        co_await c.send("second");
        co_await c.read_until("second");
        c.socket.shutdown(tcp::socket::shutdown_send);
        co_return co_await c.read_until("");
    };
    const std::string answer = world.run(both(world, client));
    CHECK(answer.find("HTTP/1.1 101 Switching Protocols\r\n") == 0);
    CHECK(answer.ends_with("\r\n\r\nfirstsecond"));
    CHECK(world.handler.cancelled == 0);
}

TEST_CASE("an address that cannot be listened at is named")
{
    net::Loop loop;
    Handler handler;
    const auto fails = [&](HttpServerOptions options) -> std::string {
        try {
            HttpServer server(loop, handler, std::move(options));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(fails({.host = "example.org"}) == "\"example.org\" is not an address to listen at; 127.0.0.1 is one");
    HttpServer server(loop, handler, {.host = "localhost"});
    CHECK(server.url() == "http://127.0.0.1:" + std::to_string(server.port()));
    CHECK(fails({.port = server.port()}).find("cannot listen at " + server.url().substr(7) + ": ") == 0);
}
