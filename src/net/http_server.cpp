#include "net/http_server.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/timeout.hpp"
#include "net/await.hpp"
#include "net/connection_count.hpp"
#include "net/endpoint_text.hpp"
#include "net/http_connection.hpp"
#include "net/listen.hpp"
#include "net/loop.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>

#include <set>
#include <utility>

namespace cadre::net {
namespace {

using boost::system::error_code;

/// After a refusal of the kernel, which is out of something.
constexpr Millis kAcceptPause{50};

/// As far as the system takes it at once: nobody waits for somebody who is turned away.
void turn_away(Stream::Socket& socket, HttpHandler& handler)
{
    HttpAnswer answer = handler.failure(
        {.status = 503, .code = Code::unavailable, .text = "too many connections; try again in a moment"});
    answer.headers.push_back({"Retry-After", "1"});
    const HttpHeadText how{.length = answer.body.size(), .keep_alive = false, .now = system_clock().now()};
    const std::string text = head_text(answer.status, answer.headers, how) + answer.body;
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(boost::asio::buffer(text), ignored);
    socket.shutdown(Stream::Socket::shutdown_send, ignored);
}

/// Without its port, so that all that come from there are one.
std::string address_of(const Stream::Socket& socket)
{
    error_code error;
    const auto end = socket.remote_endpoint(error);
    const std::string text = error ? "?" : text_of(end);
    return text.substr(0, text.rfind(':'));
}

}  // namespace

struct HttpServer::Impl {
    Impl(Loop& l, HttpHandler& h, HttpServerOptions o)
        : loop(l),
          handler(h),
          options(std::move(o)),
          listening(options.descriptor < 0 ? Listening(loop, options.host, options.port)
                                           : Listening(loop, options.descriptor)),
          accepting(loop),
          serving(loop)
    {
        if (!options.count) options.count = std::make_shared<ConnectionCount>(options.connections);
        read_tls();
        accepting.spawn(accept());
    }

    void read_tls()
    {
        if (options.tls) identity = std::make_shared<const TlsIdentity>(*options.tls);
    }

    Async<> accept()
    {
        while (true) {
            Stream::Socket socket(loop.io());
            const error_code error = co_await listening.acceptor.async_accept(socket, use_async);
            if (error) {
                co_await sleep_for(kAcceptPause);
                continue;
            }
            const std::string address = address_of(socket);
            if (options.count->has_room(address)) serving.spawn(serve(std::move(socket), address));
            else if (!identity) turn_away(socket, handler);
        }
    }

    Async<> serve(Stream::Socket socket, std::string address)
    {
        const ConnectionCount::Place place(*options.count, std::move(address));
        HttpConnection connection(std::move(socket), handler, options, identity);
        struct Open {
            Open(std::set<HttpConnection*>& s, HttpConnection* c) : all(s), one(c) { all.insert(one); }
            ~Open() { all.erase(one); }
            std::set<HttpConnection*>& all;
            HttpConnection* one;
        };
        const Open registered(open, &connection);
        co_await connection.run();
    }

    Loop& loop;
    HttpHandler& handler;
    HttpServerOptions options;
    std::shared_ptr<const TlsIdentity> identity;
    Listening listening;
    std::set<HttpConnection*> open;
    AsyncScope accepting;
    AsyncScope serving;  // last: connections use all of the above
};

HttpServer::HttpServer(Loop& loop, HttpHandler& handler, HttpServerOptions options)
    : impl_(std::make_unique<Impl>(loop, handler, std::move(options)))
{}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const
{
    return impl_->listening.port;
}

std::string HttpServer::url() const
{
    const std::string& at = impl_->listening.name;
    return at.starts_with(kUnixScheme) ? at : (impl_->identity ? "https://" : "http://") + at;
}

void HttpServer::reload_tls()
{
    impl_->read_tls();
}

std::size_t HttpServer::connections() const
{
    return impl_->open.size();
}

Async<> HttpServer::close(Millis grace)
{
    co_await impl_->accepting.close();
    impl_->listening.stop();
    for (HttpConnection* connection : impl_->open) connection->stop();
    try {
        co_await with_timeout(impl_->serving.join(), grace, "running requests");
    } catch (const Error&) {}  // time is up
    co_await impl_->serving.close();
}

Async<std::string> read_all(HttpExchange& exchange)
{
    std::string body;
    while (const auto piece = co_await exchange.read()) body += *piece;
    co_return body;
}

}  // namespace cadre::net
