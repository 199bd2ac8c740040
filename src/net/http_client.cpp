#include "net/http_client.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "net/client_exchange.hpp"
#include "net/dial.hpp"
#include "net/http_request_text.hpp"
#include "net/loop.hpp"
#include "net/tls.hpp"
#include "net/url.hpp"

#include <utility>

namespace cadre::net {
namespace {

/// Where a request goes and by which way.
struct Route {
    Url url;
    std::optional<Proxy> proxy;
    bool foreign = false;
    std::string peer;  // what errors call the other side
    std::string key;   // connections of the same key lead to the same place in the same way

    bool has_tunnel() const { return proxy && url.tls; }
    /// The proxy that reads the request itself, not only carries it.
    const Proxy* reader() const { return proxy && !url.tls ? &*proxy : nullptr; }
};

Route route_of(const HttpRequest& request, const HttpClientOptions& options)
{
    Route route{.url = url_from(request.url), .proxy = {}, .foreign = request.foreign, .peer = {}, .key = {}};
    if (route.foreign) options.egress.check(route.url);
    route.proxy = find_proxy(options.proxies, route.url);
    if (route.foreign && route.reader())
        throw Error(Code::forbidden, route.url.origin() + " may not be reached: a proxy would choose the address");
    route.peer = route.url.origin();
    route.key = route.reader() ? "" : route.peer;
    if (route.proxy) {
        route.peer += " through the proxy " + route.proxy->host_and_port();
        route.key += " through " + route.proxy->host_and_port();
    }
    if (route.foreign) route.key += " foreign";  // what was opened for the operator's own URLs was not checked
    return route;
}

/// Those that the policy lets pass. Throws its refusal when there are none.
std::vector<IpAddress> checked(std::vector<IpAddress> addresses, const EgressPolicy& policy, const std::string& host)
{
    std::vector<IpAddress> allowed;
    std::optional<Error> refusal;
    for (const IpAddress& address : addresses) {
        try {
            policy.check(address, host);
            allowed.push_back(address);
        } catch (const Error& error) {
            refusal = error;
        }
    }
    if (allowed.empty()) throw Error(*refusal);
    return allowed;
}

}  // namespace

struct HttpClient::Impl {
    Impl(Loop& l, HttpClientOptions o)
        : loop(l),
          options(std::move(o)),
          pool(std::make_shared<HttpPool>(
              loop, HttpPoolLimits{options.open, options.idle, options.idle_per_origin, options.idle_time}))
    {}

    Async<std::vector<IpAddress>> addresses(std::string host) const
    {
        if (const auto known = options.hosts.find(host); known != options.hosts.end()) co_return known->second;
        co_return co_await resolve(loop, host);
    }

    Async<std::unique_ptr<PooledConnection>> connect(const Route& route);
    Async<std::unique_ptr<PooledConnection>> tunnel(std::unique_ptr<PooledConnection> connection, const Route& route,
                                                    std::string target);
    const TlsTrust& trusted();

    Loop& loop;
    HttpClientOptions options;
    std::shared_ptr<HttpPool> pool;
    std::shared_ptr<TlsTrust> trust;  // made when it is first needed: many programs never do
};

/// Throws Error. Nothing of the request leaves here.
Async<std::unique_ptr<PooledConnection>> HttpClient::Impl::connect(const Route& route)
{
    HttpPlace place(pool);
    std::vector<IpAddress> found = co_await addresses(route.proxy ? route.proxy->host : route.url.host);
    std::string target = route.url.host_and_port();
    if (route.foreign &&
        route.proxy) {  // the proxy gets an address that was checked, not a name that it would resolve again
        const auto behind = checked(co_await addresses(route.url.host), options.egress, route.url.host);
        const std::string address = address_text(behind.front());
        target = (behind.front().v6 ? "[" + address + "]" : address) + ":" + std::to_string(route.url.port);
    } else if (route.foreign) {
        found = checked(std::move(found), options.egress, route.url.host);
    }
    const std::uint16_t port = route.proxy ? route.proxy->port : route.url.port;
    auto socket = co_await connect_any(loop, std::move(found), port);
    auto connection = std::make_unique<PooledConnection>(std::move(place), route.key, std::move(socket));
    if (route.has_tunnel()) connection = co_await tunnel(std::move(connection), route, std::move(target));
    if (route.url.tls) co_await connection->stream().start_tls(trusted(), route.url.host);
    co_return connection;
}

Async<std::unique_ptr<PooledConnection>> HttpClient::Impl::tunnel(std::unique_ptr<PooledConnection> connection,
                                                                  const Route& route, std::string target)
{
    ClientExchangeOptions wishes{.peer = "the proxy", .method = "CONNECT", .limits = {.head = options.largest_head}};
    wishes.patience = {
        .connect = Millis::max(), .first_byte = Millis::max(), .idle = Millis::max()};  // the caller's counts
    ClientExchange exchange(std::move(connection), std::move(wishes));
    std::string head = connect_head(target, *route.proxy);
    std::string none;
    if (!co_await exchange.ask(head, none)) throw Error(Code::upstream, "the proxy has closed the connection");
    const int status = exchange.status();
    if (status == 407)
        throw Error(Code::upstream, "the proxy wants a user name and a password: write them into its URL");
    if (status >= 300)
        throw Error(Code::upstream, "the proxy refuses the tunnel with status " + std::to_string(status));
    connection = exchange.take_connection();
    if (!connection->received().empty()) throw Error(Code::upstream, "the proxy speaks in the server's place");
    co_return connection;
}

const TlsTrust& HttpClient::Impl::trusted()
{
    if (!trust) trust = std::make_shared<TlsTrust>(TlsOptions{.ca_file = options.ca_file, .verify = options.verify});
    return *trust;
}

HttpClient::HttpClient(Loop& loop, HttpClientOptions options) : impl_(std::make_unique<Impl>(loop, std::move(options)))
{}

HttpClient::~HttpClient()
{
    impl_->pool->close();
}

Async<std::unique_ptr<HttpReply>> HttpClient::send(HttpRequest request)
{
    Impl& me = *impl_;
    Route route;
    std::string head;
    try {
        route = route_of(request, me.options);
        head = request_head(request, route.url, route.reader(), me.options.user_agent);
    } catch (const Error& error) {
        throw HttpError(error.code(), error.what(), false);
    }
    ClientExchangeOptions wishes{.peer = route.peer,
                                 .method = request.method,
                                 .limits = {.head = me.options.largest_head, .body = request.largest},
                                 .patience = request.patience,
                                 .expects_continue = expects_continue(request),
                                 .continue_time = me.options.continue_time};
    auto connection = me.pool->take(route.key);
    for (bool kept = connection != nullptr;; kept = false) {
        if (!connection) {
            try {
                connection = co_await with_timeout(me.connect(route), request.patience.connect, "the connection");
            } catch (const Error& error) {
                throw HttpError(error.code(), route.peer + ": " + error.what(), false);
            }
        }
        auto exchange = std::make_unique<ClientExchange>(std::move(connection), wishes);
        if (co_await exchange->ask(head, request.body)) co_return exchange;
        const bool repeats_nothing = !exchange->dispatched() || is_safe(request.method);
        if (kept && repeats_nothing) continue;
        const std::string why = exchange->failure().empty() ? "" : ": " + exchange->failure();
        throw HttpError(Code::upstream, route.peer + ": the connection was closed before an answer came" + why,
                        exchange->dispatched());
    }
}

std::size_t HttpClient::open() const
{
    return impl_->pool->open();
}

std::size_t HttpClient::idle() const
{
    return impl_->pool->idle();
}

}  // namespace cadre::net
