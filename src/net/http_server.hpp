// A server of HTTP/1.1: listens, reads requests, hands each to a handler as an HttpExchange.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "net/http_answer.hpp"
#include "net/http_request_parser.hpp"
#include "net/tls.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

class ConnectionCount;
class Loop;

/// A request and the answer to it, while a handler works on it. One coroutine uses it, and answers once:
///     co_await exchange.reply(json_answer(200, text));
/// or in pieces, of which each waits until the client has room for it:
///     co_await exchange.begin(200, event_stream_headers());
///     co_await exchange.write(event_text(data));
///     co_await exchange.end();
/// When the client goes away, whatever the handler waits for is cancelled. A client that closes only its sending side has gone
/// away too: nobody can tell the two apart.
class HttpExchange {
public:
    virtual ~HttpExchange() = default;

    virtual const HttpHead& head() const = 0;
    /// `127.0.0.1:50312`
    virtual const std::string& peer() const = 0;

    /// How large this request's body may be, before any of it is read. A length that was declared is looked at by read().
    virtual void limit_body(std::size_t most) = 0;
    /// The next piece of the request's body, valid until the next call; nothing at its end. A client that waits for
    /// `100 Continue` gets it with the first call. Throws HttpRefusal for a body that is malformed, too large or too slow.
    virtual Async<std::optional<std::string_view>> read() = 0;

    /// The whole answer. To HEAD, everything but its body.
    virtual Async<> reply(HttpAnswer answer) = 0;

    /// The head of an answer that comes in pieces, sent at once.
    virtual Async<> begin(int status, HttpHeaders headers) = 0;
    /// Returns when the system has taken all of it, which it does as fast as the client reads.
    virtual Async<> write(std::string piece) = 0;
    /// The handler's return does the same.
    virtual Async<> end() = 0;
    /// Whether an answer has begun, so that no other can be given.
    virtual bool answered() const = 0;
    /// Closes the connection with the answer as it is; a client can tell that from its end.
    virtual void cut() noexcept = 0;

    /// Answers 101 with these headers. From then on the connection is the handler's until it returns: read() gives what comes
    /// and nothing when the client is gone, which cancels nothing; write() sends bytes as they are. One coroutine may read while
    /// another writes. The head is gone.
    virtual Async<> upgrade(HttpHeaders headers) = 0;
};

/// All of the request's body. Throws HttpRefusal.
Async<std::string> read_all(HttpExchange& exchange);

/// Why a request is not served: what the parser refused, what a handler threw, too many connections.
struct HttpFailure {
    int status = 500;  // by `surface()`, an HttpRefusal's own, 500 for anything that is no Error
    Code code = Code::internal;
    std::string text{};              // for the client: of what is no Error, only the id under which the log has it
    const Error* error = nullptr;    // what was thrown, if it was one
    const HttpHead* head = nullptr;  // of the request, if there was a whole one
};

class HttpHandler {
public:
    virtual ~HttpHandler() = default;

    /// One coroutine for each request; those of one connection one after the other, in the order in which they came. What it
    /// throws before it has answered becomes the answer of failure(); later, the connection is cut.
    virtual Async<> handle(HttpExchange& exchange) = 0;
    /// The form of a refusal.
    virtual HttpAnswer failure(const HttpFailure& why) { return error_answer(why.status, why.code, why.text); }
};

/// How long clients may take.
struct HttpServerPatience {
    Millis head{
        10'000};  // from the first byte of a request to the end of its head; of a new connection, from its beginning
    Millis body{30'000};   // between two pieces of a body
    Millis idle{60'000};   // between two requests of a connection
    Millis write{30'000};  // that a client reads nothing of what it is sent
};

struct HttpServerOptions {
    std::string host = "127.0.0.1";  // an address, localhost, or `unix:` and the path of a socket
    std::uint16_t port = 0;          // 0: any that is free
    HttpLimits limits{};
    HttpServerPatience patience{};
    int descriptor = -1;               // a socket that listens already, in place of host and port; the server closes it
    std::size_t connections = 10'000;  // those beyond get 503, without TLS, and are closed
    std::shared_ptr<ConnectionCount> count{};  // in place of `connections`, where several servers share it
    std::optional<TlsFiles> tls{};             // https, and nothing else
    std::optional<Log> log{};                  // hears what handlers threw that is no Error
};

/// Listens and serves as long as it lives. Lives on its loop; the handler outlives it. close() ends it in good order, the
/// destructor at once.
class HttpServer {
public:
    /// Throws Error(invalid) for a host that is not an address and for files of TLS that are wrong, and Error(unavailable) when
    /// it cannot listen there.
    HttpServer(Loop& loop, HttpHandler& handler, HttpServerOptions options);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer();

    std::uint16_t port() const;
    /// `http://127.0.0.1:8080`, `https://…`, `unix:/run/cadre.sock`
    std::string url() const;
    /// Reads certificate and key again, for connections that come from now on. Throws Error(invalid), and keeps those it has.
    void reload_tls();
    /// How many are open.
    std::size_t connections() const;

    /// Accepts nobody any more and closes idle connections. Requests under way have so long to end, then they are cancelled.
    Async<> close(Millis grace);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
