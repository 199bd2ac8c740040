// What the HTTP server's tests share: a handler with a path for everything, a client that speaks bytes, and both on one loop.
#pragma once

#include "base/async.hpp"
#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/signal.hpp"
#include "base/timeout.hpp"
#include "net/await.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::test {

using namespace net;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using tcp = asio::ip::tcp;

inline constexpr Millis kLimit{20'000};  // for what takes milliseconds

/// What the tests' handlers have in common: what they did can be waited for.
struct Handler final : HttpHandler {
    Async<> handle(HttpExchange& exchange) override
    {
        ++begun;
        changed.notify();
        try {
            co_await route(exchange);
        } catch (const Cancelled&) {
            ++cancelled;
            changed.notify();
            throw;
        }
    }

    Async<> route(HttpExchange& exchange)
    {
        const std::string path = exchange.head().path;
        if (path == "/echo") {
            std::string body = co_await read_all(exchange);
            co_await exchange.reply({.body = exchange.head().method + " " + body});
        } else if (path == "/stream") {
            co_await exchange.begin(200, event_stream_headers());
            for (const char* word : {"one", "two"}) co_await exchange.write(event_text(word));
        } else if (path == "/endless") {
            co_await exchange.begin(200, {});
            while (true) {
                co_await exchange.write(std::string(64 << 10, 'x'));
                written += 64 << 10;
            }
        } else if (path == "/wait") {
            while (!released) co_await changed.wait();
            co_await exchange.reply({.body = "released"});
        } else if (path == "/unread") {
            co_await exchange.reply({.status = 403, .body = "no"});
        } else if (path == "/cut") {
            co_await exchange.begin(200, {});
            co_await exchange.write("half");
            exchange.cut();
        } else if (path == "/error") {
            throw Error(Code::not_found, "there is no \"x\"");
        } else if (path == "/late-error") {
            co_await exchange.begin(200, {});
            throw Error(Code::internal, "too late");
        } else if (path == "/bug") {
            throw std::logic_error("a secret of the program");
        } else if (path == "/split") {
            co_await exchange.reply({.headers = {{"X-Bad", "a\r\nX-Injected: b"}}});
        } else if (path == "/upgrade") {
            co_await exchange.upgrade({{"Connection", "Upgrade"}, {"Upgrade", "echo"}});
            while (const auto piece = co_await exchange.read()) co_await exchange.write(std::string(*piece));
        } else if (path == "/tight" || path == "/roomy") {
            exchange.limit_body(path == "/tight" ? 10 : 5000);
            std::string body = co_await read_all(exchange);
            co_await exchange.reply({.body = std::to_string(body.size())});
        } else if (path == "/empty") {
            co_await exchange.reply({.status = 204});
        } else if (path != "/silent") {
            co_await exchange.reply({.body = path});
        }
    }

    HttpAnswer failure(const HttpFailure& why) override
    {
        if (!forms) return HttpHandler::failure(why);
        return {.status = why.status,
                .body = std::string(why.head ? why.head->path : "?") + " " + std::string(name_of(why.code)) + " " +
                        (why.error ? "told" : "hidden")};
    }

    bool forms = false;  // refusals, as an owner of a server may
    int begun = 0;
    int cancelled = 0;
    std::size_t written = 0;
    bool released = false;
    Signal changed;
};

class Client {
public:
    explicit Client(net::Loop& loop) : socket(loop.io()) {}

    Async<> connect(std::uint16_t port)
    {
        const tcp::endpoint end(asio::ip::address_v4::loopback(), port);
        const auto error = co_await socket.async_connect(end, use_async);
        if (error) throw Error(Code::upstream, error.message());
    }
    Async<> send(std::string text)
    {
        for (std::size_t sent = 0; sent < text.size();) {
            const auto rest = asio::buffer(text.data() + sent, text.size() - sent);
            const auto [error, size] = co_await socket.async_write_some(rest, use_async);
            if (error) co_return;  // the answer says why
            sent += size;
        }
    }
    /// Until it has all of `words`, or the connection's end.
    Async<std::string> read_until(std::string words)
    {
        std::vector<char> buffer(64 << 10);
        while (words.empty() || received.find(words) == received.npos) {
            const auto [error, size] = co_await socket.async_read_some(asio::buffer(buffer), use_async);
            if (error) break;
            received.append(buffer.data(), size);
        }
        co_return received;
    }

    /// What comes next; nothing at the end.
    Async<std::string> read_some()
    {
        std::string piece(64 << 10, '\0');
        const auto [error, size] = co_await socket.async_read_some(asio::buffer(piece), use_async);
        piece.resize(error ? 0 : size);
        co_return piece;
    }

    tcp::socket socket;
    std::string received;
};

struct World {
    explicit World(HttpServerOptions options = {}) : server(loop, handler, std::move(options)) {}

    template <class T>
    T run(Async<T> work)
    {
        return cadre::run(loop, with_timeout(std::move(work), kLimit, "the test"));
    }
    /// Sends it in one piece, and returns all that comes back until `words` or the end.
    std::string talk(std::string text, std::string words = {})
    {
        Client client(loop);
        return run(talk_to(client, std::move(text), std::move(words)));
    }
    Async<std::string> talk_to(Client& client, std::string text, std::string words)
    {
        co_await client.connect(server.port());
        co_await client.send(std::move(text));
        co_return co_await client.read_until(std::move(words));
    }
    Async<> until(std::function<bool()> true_now)
    {
        while (!true_now()) co_await sleep_for(1ms);  // sleeps: between two looks
    }

    net::Loop loop;
    Handler handler;
    HttpServer server;
};

inline std::string get(std::string_view path, std::string_view more = "Connection: close\r\n")
{
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(more) + "\r\n";
}

inline std::string body_of(const std::string& answer)
{
    const std::size_t end = answer.find("\r\n\r\n");
    return end == answer.npos ? "" : answer.substr(end + 4);
}

inline int status_of(const std::string& answer)
{
    return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
}

inline std::size_t count(const std::string& text, std::string_view words)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++found;
    return found;
}

}  // namespace cadre::test
