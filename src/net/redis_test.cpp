// The client against a redis-server of Debian, and against peers that behave badly.
#include "net/redis.hpp"

#include "base/async.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "net/loop.hpp"
#include "net/redis_server_fixture.hpp"
#include "net/scripted_peer_fixture.hpp"
#include "net/test_certificates.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace cadre;
using net::Redis;
using net::RedisReply;
using test::PeerSocket;
using test::RedisServer;
using test::ScriptedPeer;

namespace {

bool has(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

Log quiet_log()
{
    return Log(nullptr, Level::off);
}

net::RedisOptions options_of(const std::string& url)
{
    return {.address = net::redis_address_from(url), .timeout = Millis(2'000)};
}

Async<> until_connected(Redis& redis)
{
    while (!redis.connected()) co_await redis.changed().wait();
}

Async<> until_lost(Redis& redis)
{
    while (redis.connected() || redis.trouble().empty()) co_await redis.changed().wait();
}

/// What it said, or what went wrong.
Async<std::string> said(Redis& redis, std::vector<std::string> command)
{
    try {
        const RedisReply reply = co_await redis.ask(std::move(command));
        co_return reply.kind == RedisReply::Kind::number ? std::to_string(reply.number) : reply.text;
    } catch (const Error& error) {
        co_return std::string(error.what());
    }
}

Async<> in_time(Async<> what)
{
    co_await with_timeout(std::move(what), Millis(20'000), "Redis in a test");
}

}  // namespace

TEST_CASE("redis: commands that are asked at once have each their own answer")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    net::Loop loop;
    Redis redis(loop, options_of(server.url() + "?db=3"), quiet_log());
    auto story = [](Redis& r) -> Async<> {
        co_await in_time(until_connected(r));
        AsyncScope scope(co_await this_context());
        int right = 0;
        auto one = [](Redis& mine, int number, int& count) -> Async<> {
            const std::string text = std::to_string(number);
            const std::string echoed = co_await said(mine, {"ECHO", text});
            count += echoed == text;
        };
        for (int i = 0; i < 500; ++i) scope.spawn(one(r, i, right));
        co_await scope.join();
        CHECK(right == 500);
        CHECK(co_await said(r, {"SET", "a key\r\n", std::string(100'000, 'x')}) == "OK");
        CHECK((co_await said(r, {"GET", "a key\r\n"})).size() == 100'000);
        CHECK(has(co_await said(r, {"NOSUCH"}), "unknown command"));
        CHECK((co_await said(r, {"CLIENT", "INFO"})).find("db=3") != std::string::npos);
        CHECK(r.connections() == 1);
        co_await r.close();
    };
    run(loop, story(redis));
}

TEST_CASE("redis: scripts are sent once, and again to a server that has forgotten them")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    net::Loop loop;
    Redis redis(loop, options_of(server.url()), quiet_log());
    auto story = [](Redis& r) -> Async<> {
        co_await in_time(until_connected(r));
        const net::RedisScript script("return {KEYS[1], ARGV[1]}");
        for (int i = 0; i < 3; ++i) {
            const RedisReply reply = co_await r.run(script, {"k"}, {"v"});
            CHECK(reply.list.size() == 2);
            CHECK(reply.list.at(1).text == "v");
            if (i == 1) CHECK(co_await said(r, {"SCRIPT", "FLUSH"}) == "OK");
        }
        co_await r.close();
    };
    run(loop, story(redis));
}

TEST_CASE("redis: a server that is killed, frozen or restarted is found again, and no question waits for it meanwhile")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    net::Loop loop;
    auto options = options_of(server.url());
    options.timeout = Millis(250);
    Redis redis(loop, options, quiet_log());
    auto story = [](Redis& r, RedisServer& s) -> Async<> {
        co_await in_time(until_connected(r));
        s.kill();
        co_await in_time(until_lost(r));
        CHECK(has(co_await said(r, {"PING"}), "no connection to Redis"));
        s.start();
        co_await in_time(until_connected(r));
        CHECK(co_await said(r, {"PING"}) == "PONG");
        CHECK(r.connections() == 2);
        s.freeze();
        co_await in_time(until_lost(r));  // by its heartbeat
        CHECK(has(co_await said(r, {"PING"}), "no connection to Redis"));
        s.thaw();
        co_await in_time(until_connected(r));
        CHECK(co_await said(r, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"}) != "");
        co_await in_time(until_lost(r));
        co_await in_time(until_connected(r));
        CHECK(co_await said(r, {"PING"}) == "PONG");
        co_await r.close();
    };
    run(loop, story(redis, server));
}

TEST_CASE("redis: a wrong password is told without being shown, and users may be limited")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server(
        {"--requirepass", "right-password", "--user", "ann", "on", ">anns-password", "~task:*", "+get", "+ping"});
    net::Loop loop;
    const auto url = [&](const std::string& who) {
        auto options = options_of(server.url());
        const auto known = net::redis_address_from("redis://" + who + "@h");
        options.address.user = known.user;
        options.address.password = known.password;
        return options;
    };
    Redis unknown(loop, options_of(server.url()), quiet_log());
    Redis wrong(loop, url(":wrong-password"), quiet_log());
    Redis right(loop, url(":right-password"), quiet_log());
    Redis ann(loop, url("ann:anns-password"), quiet_log());
    auto story = [](Redis& none, Redis& bad, Redis& good, Redis& some) -> Async<> {
        co_await in_time(until_lost(none));
        CHECK(has(none.trouble(), "NOAUTH"));
        co_await in_time(until_lost(bad));
        CHECK(has(bad.trouble(), "WRONGPASS"));
        CHECK(bad.trouble().find("wrong-password") == std::string::npos);
        co_await in_time(until_connected(good));
        CHECK(co_await said(good, {"SET", "task:1", "x"}) == "OK");
        co_await in_time(until_connected(some));
        CHECK(co_await said(some, {"GET", "task:1"}) == "x");
        CHECK(has(co_await said(some, {"SET", "task:1", "y"}), "NOPERM"));
        co_await none.close();
        co_await bad.close();
        co_await good.close();
        co_await some.close();
    };
    run(loop, story(unknown, wrong, right, ann));
}

TEST_CASE("redis: over TLS only a server that proves to be the one is spoken to")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    const test::Authority authority, other;
    const std::string folder =
        std::filesystem::temp_directory_path() / ("cadre_redis_tls_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    authority.write({.names = "IP:127.0.0.1"}, folder + "/cert.pem", folder + "/key.pem");
    // a port that is free now
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = test::loopback(0);
    socklen_t size = sizeof address;
    ::bind(probe, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(probe);
    const std::string port = std::to_string(ntohs(address.sin_port));
    RedisServer server({"--tls-port", port, "--tls-cert-file", folder + "/cert.pem", "--tls-key-file",
                        folder + "/key.pem", "--tls-auth-clients", "no", "--bind", "127.0.0.1"});
    net::Loop loop;
    auto options = options_of("rediss://127.0.0.1:" + port);
    options.ca_file = authority.file();
    Redis right(loop, options, quiet_log());
    options.ca_file = other.file();
    Redis wrong(loop, options, quiet_log());
    auto story = [](Redis& good, Redis& bad) -> Async<> {
        co_await in_time(until_connected(good));
        CHECK(co_await said(good, {"ECHO", std::string(200'000, 'x')}) == std::string(200'000, 'x'));
        co_await in_time(until_lost(bad));
        CHECK(has(bad.trouble(), "certificate"));
        co_await good.close();
        co_await bad.close();
    };
    run(loop, story(right, wrong));
    std::filesystem::remove_all(folder);
}

TEST_CASE("redis: a peer that answers nonsense, too much, or not what was asked is left")
{
    struct {
        const char* name;
        const char* answer;
        const char* says;
    } const cases[] = {
        {"not Redis", "HTTP/1.1 400 Bad Request\r\n\r\n", "not Redis' protocol"},
        {"loading", "-LOADING Redis is loading the dataset in memory\r\n", "LOADING"},
        {"more than was asked", "+PONG\r\n+PONG\r\n", "more than it was asked"},
        {"a cluster", "-MOVED 3999 127.0.0.1:6381\r\n", "cluster"},
        {"half an answer", "+PO", "closed the connection"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        ScriptedPeer peer([&](PeerSocket& socket) {
            socket.read_some();
            socket.send(c.answer);
        });
        net::Loop loop;
        Redis redis(loop, options_of("redis://127.0.0.1:" + std::to_string(peer.port())), quiet_log());
        auto story = [](Redis& r) -> Async<> {
            co_await in_time(until_lost(r));
            co_await r.close();
        };
        run(loop, story(redis));
        CHECK(has(redis.trouble(), c.says));
    }
}

TEST_CASE("redis: more than may wait is refused at once")
{
    ScriptedPeer peer([](PeerSocket& socket) {
        socket.read_some();
        socket.send("+PONG\r\n");
        while (!socket.read_some().empty()) {}
    });
    net::Loop loop;
    auto options = options_of("redis://127.0.0.1:" + std::to_string(peer.port()));
    options.queue = 10;
    Redis redis(loop, options, quiet_log());
    auto story = [](Redis& r) -> Async<> {
        co_await in_time(until_connected(r));
        AsyncScope scope(co_await this_context());
        int refused = 0;
        auto one = [](Redis& mine, int& count) -> Async<> {
            const std::string text = co_await said(mine, {"PING"});
            count += text.find("too much waits") != std::string::npos;
        };
        for (int i = 0; i < 15; ++i) scope.spawn(one(r, refused));
        CHECK(refused == 5);  // none of these has waited
        co_await scope.close();
        co_await r.close();
    };
    run(loop, story(redis));
}
