#include "net/http_server.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/timeout.hpp"
#include "net/await.hpp"
#include "net/http_connection.hpp"
#include "net/loop.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/core.h>

#include <set>
#include <utility>

namespace cadre::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr int kBacklog = 1024;
/// After a refusal of the kernel, which is out of something.
constexpr Millis kAcceptPause{50};

tcp::endpoint endpoint_of(const HttpServerOptions& options)
{
    error_code error;
    const auto address = asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
    if (error)
        throw Error(Code::invalid, in_quotes(options.host) + " is not an address to listen at; 127.0.0.1 is one");
    return {address, options.port};
}

std::string text_of(const tcp::endpoint& end)
{
    const std::string address = end.address().to_string();
    return end.address().is_v6() ? fmt::format("[{}]:{}", address, end.port())
                                 : fmt::format("{}:{}", address, end.port());
}

/// As far as the system takes it at once: nobody waits for somebody who is turned away.
void turn_away(tcp::socket& socket)
{
    HttpAnswer answer = error_answer(503, Code::unavailable, "too many connections; try again in a moment");
    answer.headers.push_back({"Retry-After", "1"});
    const HttpHeadText how{.length = answer.body.size(), .keep_alive = false, .now = system_clock().now()};
    const std::string text = head_text(answer.status, answer.headers, how) + answer.body;
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

struct HttpServer::Impl {
    Impl(Loop& l, HttpHandler& h, HttpServerOptions o)
        : loop(l), handler(h), options(std::move(o)), acceptor(loop.io()), accepting(loop), serving(loop)
    {
        const tcp::endpoint end = endpoint_of(options);
        error_code error;
        acceptor.open(end.protocol(), error);
        if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor.bind(end, error);
        if (!error) acceptor.listen(kBacklog, error);
        if (!error) local = acceptor.local_endpoint(error);
        if (error)
            throw Error(Code::unavailable, fmt::format("cannot listen at {}: {}", text_of(end), error.message()));
        accepting.spawn(accept());
    }

    Async<> accept()
    {
        while (true) {
            tcp::socket socket(loop.io());
            const error_code error = co_await acceptor.async_accept(socket, use_async);
            if (error) co_await sleep_for(kAcceptPause);
            else if (open.size() >= options.connections) turn_away(socket);
            else serving.spawn(serve(std::move(socket)));
        }
    }

    Async<> serve(tcp::socket socket)
    {
        HttpConnection connection(std::move(socket), handler, options);
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
    tcp::acceptor acceptor;
    tcp::endpoint local;
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
    return impl_->local.port();
}

std::string HttpServer::url() const
{
    return "http://" + text_of(impl_->local);
}

std::size_t HttpServer::connections() const
{
    return impl_->open.size();
}

Async<> HttpServer::close(Millis grace)
{
    co_await impl_->accepting.close();
    error_code ignored;
    impl_->acceptor.close(ignored);
    for (HttpConnection* connection : impl_->open) connection->stop();
    try {
        co_await with_timeout(impl_->serving.join(), grace, "requests under way");
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
