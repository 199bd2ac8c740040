// The Asio adapter: what it returns, and that a frame can be cancelled or destroyed at every suspension point.
#include "net/await.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "net/loop.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using net::use_async;
using Socket = asio::local::stream_protocol::socket;

namespace {

struct Pair {
    explicit Pair(net::Loop& loop) : a(loop.io()), b(loop.io()) { asio::local::connect_pair(a, b); }
    Socket a, b;
};

Async<std::string> read_some(Socket& socket)
{
    char buffer[64];
    auto [error, size] = co_await socket.async_read_some(asio::buffer(buffer), use_async);
    co_return error ? error.message() : std::string(buffer, size);
}

Async<> write_all(Socket& socket, std::string text)
{
    auto [error, size] = co_await asio::async_write(socket, asio::buffer(text), use_async);
    if (error) throw Error(Code::upstream, error.message());
}

/// Sends each byte back, increased by one, until the peer is gone.
Async<int> echo(Socket socket)
{
    int count = 0;
    for (;;) {
        unsigned char byte = 0;
        auto [read_error, size] = co_await socket.async_read_some(asio::buffer(&byte, 1), use_async);
        if (read_error) co_return count;
        ++byte;
        auto [write_error, written] = co_await socket.async_write_some(asio::buffer(&byte, 1), use_async);
        if (write_error) co_return count;
        ++count;
    }
}

Async<int> client(Socket socket, int rounds)
{
    unsigned char byte = 0;
    for (int i = 0; i < rounds; ++i) {
        auto [write_error, written] = co_await socket.async_write_some(asio::buffer(&byte, 1), use_async);
        if (write_error) throw Error(Code::upstream, write_error.message());
        auto [read_error, size] = co_await socket.async_read_some(asio::buffer(&byte, 1), use_async);
        if (read_error) throw Error(Code::upstream, read_error.message());
        co_await yield();
    }
    co_return byte;
}

Async<> conversation(net::Loop& loop, int& result)
{
    std::vector<Async<int>> branches;
    for (int i = 0; i < 3; ++i) {
        Pair pair(loop);
        branches.push_back(echo(std::move(pair.a)));
        branches.push_back(with_timeout(client(std::move(pair.b), 4), 10s, "client"));
    }
    const auto results = co_await all(std::move(branches));
    for (int r : results) result += r;
}

/// Runs `conversation` until `turns` turns have passed; true while it was still running then.
bool run_for(net::Loop& loop, AsyncScope& scope, int turns, int& result)
{
    scope.spawn(conversation(loop, result));
    loop.run_until([&] { return scope.size() == 0 || turns-- == 0; });
    return scope.size() > 0;
}

}  // namespace

TEST_CASE("an Asio operation returns its results; an error code is a value")
{
    net::Loop loop;
    Pair pair(loop);
    run(loop, write_all(pair.a, "hello"));
    CHECK(run(loop, read_some(pair.b)) == "hello");
    pair.a.close();
    CHECK(run(loop, read_some(pair.b)) == "End of file");
    auto refused = [](net::Loop& l) -> Async<boost::system::error_code> {
        asio::ip::tcp::socket socket(l.io());
        const asio::ip::tcp::endpoint nobody(asio::ip::address_v4::loopback(), 1);
        co_return co_await socket.async_connect(nobody, use_async);
    };
    CHECK(run(loop, refused(loop)) == asio::error::connection_refused);
    auto posted = [](net::Loop& l) -> Async<> { co_await asio::post(l.io(), use_async); };
    CHECK_NOTHROW(run(loop, posted(loop)));
}

TEST_CASE("a cancelled read ends at once, and its socket can be read again")
{
    net::Loop loop;
    Pair pair(loop);
    CHECK_THROWS_WITH_AS(run(loop, with_timeout(read_some(pair.b), 10ms, "read")), "read timed out after 10 ms", Error);
    run(loop, write_all(pair.a, "later"));
    CHECK(run(loop, read_some(pair.b)) == "later");
}

TEST_CASE("an operation that completes inside its own initiation does not wait")
{
    net::Loop loop;
    auto dispatched = [](net::Loop& l) -> Async<int> {
        co_await asio::post(l.io(), use_async);  // now on the loop's thread, where dispatch runs at once
        co_await asio::dispatch(l.io(), use_async);
        co_return 7;
    };
    CHECK(run(loop, dispatched(loop)) == 7);
}

TEST_CASE("an operation that cannot be stopped does not hold up the one that gives up waiting for it")
{
    net::Loop loop;
    asio::ip::tcp::resolver resolver(loop.io());
    auto resolve = [](asio::ip::tcp::resolver& r) -> Async<std::size_t> {
        auto [error, found] = co_await r.async_resolve("127.0.0.1", "80", use_async);
        co_return error ? 0 : found.size();
    };
    CHECK(run(loop, resolve(resolver)) == 1);
    AsyncScope scope(loop);
    scope.spawn([](asio::ip::tcp::resolver& r, auto op) -> Async<> { co_await op(r); }(resolver, resolve));
    run(loop, scope.close());  // at once, whatever the resolver does
    CHECK(scope.size() == 0);
}

TEST_CASE("a frame destroyed in the middle of a read leaves the socket usable")
{
    net::Loop loop;
    Pair pair(loop);
    {
        AsyncScope scope(loop);
        scope.spawn([](Socket& s) -> Async<> { co_await read_some(s); }(pair.b));
        while (loop.poll_one()) {}
    }
    run(loop, write_all(pair.a, "kept"));
    CHECK(run(loop, read_some(pair.b)) == "kept");
}

TEST_CASE("torture: sockets destroyed at any suspension point")
{
    for (int turns = 0;; ++turns) {
        net::Loop loop;
        int result = 0;
        bool running = false;
        {
            AsyncScope scope(loop);
            running = run_for(loop, scope, turns, result);
        }
        while (loop.poll_one()) {}  // the abandoned handlers
        if (running) continue;
        CHECK(result == 3 * (4 + 4));
        CHECK(turns > 20);
        break;
    }
}

TEST_CASE("torture: sockets cancelled at any suspension point")
{
    for (int turns = 0;; ++turns) {
        net::Loop loop;
        int result = 0;
        AsyncScope scope(loop);
        const bool running = run_for(loop, scope, turns, result);
        run(loop, scope.close());
        REQUIRE(scope.size() == 0);
        if (!running) break;
    }
}

TEST_CASE("a loop may die with operations in flight, after the coroutines on it")
{
    int result = 0;
    net::Loop loop;
    AsyncScope scope(loop);
    CHECK(run_for(loop, scope, 5, result));
}
