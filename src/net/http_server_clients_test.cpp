// The server and clients that are slow, greedy, gone or many; and its end.
#include "net/http_server.hpp"

#include "base/async_scope.hpp"
#include "base/join.hpp"
#include "net/connection_count.hpp"
#include "net/descriptor_limit.hpp"
#include "support/http_world.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace cadre;
using namespace cadre::test;

TEST_CASE("slow heads get 408, silent connections are closed without a word")
{
    World world({.patience = {.head = 30ms, .body = 30ms, .idle = 30ms}});
    CHECK(status_of(world.talk("GET / HTTP/1.1\r\nHost")) == 408);
    CHECK(world.talk("").empty());
    const std::string once = world.talk(get("/a", ""));  // and then nothing
    CHECK(count(once, "HTTP/1.1") == 1);
    const std::string body = world.talk("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
    CHECK(status_of(body) == 408);
    // a byte now and then is no head either
    Client client(world.loop);
    const auto drip = [](World& w, Client& c) -> Async<std::string> {
        co_await c.connect(w.server.port());
        AsyncScope scope(co_await this_context());
        scope.spawn([](Client& d) -> Async<> {
            for (const char letter : get("/" + std::string(10'000, 'x'))) {
                co_await d.send(std::string(1, letter));
                co_await sleep_for(5ms);  // sleeps: the client's pace is what is tested
            }
        }(c));
        std::string answer = co_await c.read_until("");
        co_await scope.close();
        co_return answer;
    };
    CHECK(status_of(world.run(drip(world, client))) == 408);
}

TEST_CASE("a client that goes away cancels its handler, which waits or writes")
{
    World world;
    for (const char* path : {"/wait", "/endless"}) {
        CAPTURE(path);
        const int before = world.handler.cancelled;
        Client client(world.loop);
        const auto leave = [](World& w, Client& c, std::string p, int seen) -> Async<> {
            const int begun = w.handler.begun;
            co_await c.connect(w.server.port());
            co_await c.send(get(p));
            co_await w.until([&w, begun] { return w.handler.begun > begun; });
            if (p == "/endless") co_await c.read_until("xxxx");
            c.socket.close();
            co_await w.until([&w, seen] { return w.handler.cancelled > seen; });
            co_await w.until([&w] { return w.server.connections() == 0; });
        };
        world.run(leave(world, client, path, before));
        CHECK(world.handler.cancelled == before + 1);
    }
}

TEST_CASE("a client that does not read holds its handler up, and only that")
{
    World world({.patience = {.write = 200ms}});
    Client client(world.loop);
    const auto lazy = [](World& w, Client& c) -> Async<std::size_t> {
        co_await c.connect(w.server.port());
        co_await c.send(get("/endless"));
        co_await w.until([&w] { return w.handler.cancelled == 1; });  // it was held up for as long as patience lasts
        co_return w.handler.written;
    };
    const std::size_t written = world.run(lazy(world, client));
    CHECK(written > 0);
    CHECK(written < 32 << 20);  // what systems keep for a connection, and not more
    CHECK(body_of(world.talk(get("/other"))) == "/other");
}

TEST_CASE("closing lets requests under way end, then cancels them, and turns away newcomers")
{
    for (const bool patient : {true, false}) {
        CAPTURE(patient);
        World world;
        Client busy(world.loop), idle(world.loop);
        const auto story = [](World& w, Client& b, Client& i, bool wait) -> Async<> {
            co_await w.talk_to(i, get("/a", ""), "/a");
            co_await b.connect(w.server.port());
            co_await b.send(get("/wait", ""));
            co_await w.until([&w] { return w.handler.begun == 2; });
            AsyncScope scope(co_await this_context());
            scope.spawn(w.server.close(wait ? 10s : 0ms));
            co_await i.read_until("");  // closed at once
            if (wait) {
                w.handler.released = true;
                w.handler.changed.notify();
            }
            co_await b.read_until("");
            co_await scope.join();
            Client late(w.loop);
            bool refused = false;
            try {
                co_await late.connect(w.server.port());
            } catch (const Error&) {
                refused = true;
            }
            if (!refused) throw Error(Code::internal, "somebody still listens");
        };
        world.run(story(world, busy, idle, patient));
        CHECK((body_of(busy.received) == "released") == patient);
        CHECK((busy.received.find("Connection: close") != std::string::npos) == patient);
        CHECK(world.handler.cancelled == (patient ? 0 : 1));
        CHECK(world.server.connections() == 0);
    }
}

TEST_CASE("connections beyond the most that there may be get 503")
{
    World world({.connections = 1});
    Client first(world.loop);
    world.run(world.talk_to(first, get("/a", ""), "/a"));
    const std::string second = world.talk("");
    CHECK(status_of(second) == 503);
    CHECK(second.find("Retry-After: 1") != second.npos);
    first.socket.close();
    world.run(world.until([&] { return world.server.connections() == 0; }));
    CHECK(body_of(world.talk(get("/b"))) == "/b");
}

TEST_CASE("connections of one address beyond its share get 503, and others still come in")
{
    ConnectionCount count(3, 2);
    {
        const ConnectionCount::Place a(count, "192.0.2.1"), b(count, "192.0.2.1");
        CHECK(!count.has_room("192.0.2.1"));
        CHECK(count.has_room("192.0.2.2"));
        const ConnectionCount::Place c(count, "192.0.2.2");
        CHECK(!count.has_room("192.0.2.3"));
    }
    CHECK(count.all() == 0);
    CHECK(count.has_room("192.0.2.1"));

    World world({.count = std::make_shared<ConnectionCount>(100, 1)});
    Client first(world.loop);
    world.run(first.connect(world.server.port()));
    world.run(world.until([&] { return world.server.connections() == 1; }));
    CHECK(status_of(world.talk(get("/a"))) == 503);
    first.socket.close();
    world.run(world.until([&] { return world.server.connections() == 0; }));
    CHECK(status_of(world.talk(get("/a"))) == 200);
}

TEST_CASE("a server takes a socket that listens already, and leaves its path to whoever made it")
{
    const int listens = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listens, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listens, 8) == 0);
    World world({.descriptor = listens});
    CHECK(world.server.port() != 0);
    CHECK(status_of(world.talk(get("/a"))) == 200);
    net::Loop loop;
    const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_THROWS_WITH_AS(net::HttpServer(loop, world.handler, {.descriptor = other}),
                         doctest::Contains("is not a socket that listens"), Error);
    ::close(other);
}

TEST_CASE("a thousand connections are served side by side")
{
    net::raise_descriptor_limit();
    World world;
    constexpr std::size_t kMany = 1000;
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<Async<std::string>> asking;
    for (std::size_t i = 0; i < kMany; ++i) {
        clients.push_back(std::make_unique<Client>(world.loop));
        asking.push_back(world.talk_to(*clients.back(), get("/" + std::to_string(i), ""), "/" + std::to_string(i)));
    }
    const auto answers = world.run(all(std::move(asking)));
    CHECK(world.server.connections() == kMany);
    for (std::size_t i = 0; i < kMany; ++i) CHECK(answers[i].ends_with("\r\n\r\n/" + std::to_string(i)));
    world.run(world.server.close(1s));
    CHECK(world.server.connections() == 0);
}

TEST_CASE("a server is put away at any moment")
{
    for (int turns = 0; turns < 40; ++turns) {
        World world;
        Client client(world.loop);
        AsyncScope scope(world.loop);
        scope.spawn(
            [](World& w, Client& c) -> Async<> { co_await w.talk_to(c, get("/endless"), "never"); }(world, client));
        int left = turns;
        world.loop.run_until([&] { return left-- == 0; });
        if (turns % 2 == 0) {
            run(world.loop, scope.close());
            run(world.loop, world.server.close(0ms));
            CHECK(world.server.connections() == 0);
        }
    }
}
