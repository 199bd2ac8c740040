#include "server/server.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "base/random.hpp"
#include "home/home_owner.hpp"
#include "net/connection_count.hpp"
#include "net/http_client.hpp"
#include "net/http_options.hpp"
#include "net/http_server.hpp"
#include "net/listen.hpp"
#include "server/audit.hpp"
#include "server/auth/jwt_settings.hpp"
#include "server/auth/token_sign_in.hpp"
#include "server/dispatcher.hpp"
#include "server/gate.hpp"
#include "server/home_secret.hpp"
#include "server/otlp.hpp"
#include "server/policy_updates.hpp"
#include "server/rate.hpp"
#include "server/rate_settings.hpp"
#include "server/repeats.hpp"
#include "server/route_table.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/sign_in.hpp"
#include "server/streams.hpp"
#include "server/task_spans.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace cadre::server {
namespace {

constexpr Millis kCollectorGrace{3'000};

struct Address {
    std::string host{};
    std::uint16_t port = 0;
};

bool is_socket_file(const std::string& listen)
{
    return listen.starts_with(net::kUnixScheme);
}

/// `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/cadre.sock`; nothing for anything else.
std::optional<Address> find_address(const std::string& listen)
{
    if (is_socket_file(listen)) return Address{listen, 0};
    const std::size_t colon = listen.rfind(':');
    if (colon == std::string::npos || colon == 0) return std::nullopt;
    Address address{listen.substr(0, colon), 0};
    if (address.host.starts_with('[') && address.host.ends_with(']'))
        address.host = address.host.substr(1, address.host.size() - 2);
    const char* const begin = listen.data() + colon + 1;
    const char* const end = listen.data() + listen.size();
    const auto [rest, error] = std::from_chars(begin, end, address.port);
    if (error != std::errc() || rest != end || begin == end) return std::nullopt;
    return address;
}

}  // namespace

std::vector<std::string> faults_of(const config::ServerSettings& settings, bool is_root, const Secret& jwt_secret)
{
    std::vector<std::string> faults = faults_of(settings.rates);
    if (wants_tokens(settings.jwt, jwt_secret))
        for (std::string& fault : faults_of(settings.jwt, jwt_secret)) faults.push_back(std::move(fault));
    const bool tls = !settings.tls_cert.empty();
    if (settings.listen.empty()) faults.emplace_back("there is no address to listen on; say --listen 127.0.0.1:8080");
    if (settings.tls_cert.empty() != settings.tls_key.empty())
        faults.emplace_back("--tls-cert and --tls-key belong together: one of them is missing");
    if (!same_in_any_case(settings.forwarded_header, "X-Forwarded-For") &&
        !same_in_any_case(settings.forwarded_header, "Forwarded"))
        faults.push_back(fmt::format("server.forwarded_header is X-Forwarded-For or Forwarded, not {}",
                                     in_quotes(settings.forwarded_header)));
    for (const std::string& listen : settings.listen) {
        const auto address = find_address(listen);
        if (!address) {
            faults.push_back(
                fmt::format("{} is not an address; say ADDRESS:PORT, like 127.0.0.1:8080, or unix:PATH", listen));
            continue;
        }
        if (is_socket_file(listen) || is_loopback(address->host)) continue;
        if (!settings.auth)
            faults.push_back(
                fmt::format("{} can be reached from other machines, so --no-auth is not possible there; listen on "
                            "127.0.0.1, or leave --no-auth out",
                            listen));
        if (!tls && !settings.behind_proxy)
            faults.push_back(
                fmt::format("{} can be reached from other machines, and tokens would travel unencrypted; say "
                            "--tls-cert and --tls-key, or --behind-proxy if a proxy in front speaks TLS",
                            listen));
        if (is_root && !settings.allow_root)
            faults.push_back(
                fmt::format("{} can be reached from other machines and this process is root; run it as another "
                            "user, or say --allow-root",
                            listen));
    }
    return faults;
}

struct Server::Impl {
    Impl(net::Loop& loop, home::HomeOwner& home, const config::ServerSettings& asked, std::optional<ApiKey> admin,
         Log log, std::string version, const std::vector<int>& descriptors)
        : settings(asked),
          rates(system_random()),
          http(loop, net::http_options(home.runtime().place().environment)),
          audit(home.runtime().home() / "audit", loop.clock()),
          repeats(home.runtime().store(), loop.clock()),
          sign_in(home.runtime().store(), std::move(admin), loop.clock()),
          service{.loop = loop,
                  .home = home,
                  .settings = settings,
                  .sign_in = sign_in,
                  .rates = rates,
                  .audit = audit,
                  .repeats = repeats,
                  .metrics = metrics,
                  .log = log,
                  .version = std::move(version),
                  .secret = home_secret(home.runtime().home()),
                  .folders = {home.runtime().home().string(), home.runtime().place().folder.string()},
                  .started = loop.clock().now()},
          routes(all_routes()),
          dispatcher(service, routes)
    {
        service.routes = &routes;
        service.streams = std::make_shared<Streams>(service);
        tell_of_policies();
        open_to_tokens(log);
        tell_collector(log);
        if (settings.four_eyes) sign_in.want_four_eyes();
        // of a proxy in front all connections come from one address
        const auto most = static_cast<std::size_t>(settings.connections);
        const auto of_address = static_cast<std::size_t>(settings.connections_per_address);
        const auto count = std::make_shared<net::ConnectionCount>(most, settings.behind_proxy ? most : of_address);
        for (std::size_t i = 0; i < settings.listen.size(); ++i) {
            const std::string& listen = settings.listen[i];
            const auto address = find_address(listen);
            if (!address) throw Error(Code::invalid, listen + " is not an address");
            net::HttpServerOptions options{.host = address->host, .port = address->port, .count = count, .log = log};
            if (i < descriptors.size()) options.descriptor = descriptors[i];
            if (!settings.tls_cert.empty()) options.tls = net::TlsFiles{settings.tls_cert, settings.tls_key};
            doors.push_back(std::make_unique<net::HttpServer>(loop, dispatcher, std::move(options)));
        }
        set_gate();
    }

    ~Impl()
    {
        if (home::OperatorFile* file = service.home.runtime().guards().operator_file()) file->set_watcher({});
    }

    /// Those of the operator hold for all tasks, so that whoever watches one hears of it.
    void tell_of_policies()
    {
        home::OperatorFile* file = service.home.runtime().guards().operator_file();
        if (!file) return;
        file->set_watcher([this](const auto& before, const auto& now) {
            const Time at = service.loop.clock().now();
            for (const FeedEventPtr& event : policy_updates(before, now, "operator", at))
                service.streams->feed().tell_all(event);
        });
    }

    void set_gate()
    {
        std::vector<std::string> names = urls();
        if (!settings.public_url.empty()) names.push_back(settings.public_url);
        dispatcher.set_gate(Gate(names, settings.allowed_origins));
    }

    std::vector<std::string> reload(config::ServerSettings wanted, std::optional<ApiKey> admin)
    {
        for (const auto& door : doors) door->reload_tls();
        if (home::OperatorFile* file = service.home.runtime().guards().operator_file()) file->refresh(true);
        std::vector<std::string> later;
        // what is part of the sockets, and of who was let in without a token, stays
        const auto keep = [&later](const char* name, auto& now, const auto& before) {
            if (now != before) later.emplace_back(name);
            now = before;
        };
        keep("listen", wanted.listen, settings.listen);
        keep("tls_cert", wanted.tls_cert, settings.tls_cert);
        keep("tls_key", wanted.tls_key, settings.tls_key);
        keep("auth", wanted.auth, settings.auth);
        keep("otlp_endpoint", wanted.otlp_endpoint, settings.otlp_endpoint);
        keep("connections", wanted.connections, settings.connections);
        keep("connections_per_address", wanted.connections_per_address, settings.connections_per_address);
        const bool has_other_tokens = wanted.jwt != settings.jwt;
        settings = std::move(wanted);
        if (has_other_tokens) open_to_tokens(service.log);
        if (admin) sign_in.change_admin(std::move(*admin));
        sign_in.want_four_eyes(settings.four_eyes);
        set_gate();
        service.documents.forget();
        return later;
    }

    /// Where spans go, if somewhere.
    void tell_collector(const Log& log)
    {
        const auto& environment = service.home.runtime().place().environment;
        std::string url = settings.otlp_endpoint;
        if (url.empty()) url = environment("OTEL_EXPORTER_OTLP_ENDPOINT").value_or("");
        if (url.empty()) return;
        while (url.ends_with('/')) url.pop_back();
        OtlpOptions options{.url = url + "/v1/traces", .version = service.version};
        options.headers = otlp_headers(environment("OTEL_EXPORTER_OTLP_HEADERS").value_or(""));
        otlp.emplace(service.loop, http, std::move(options), metrics, log);
        task_spans.emplace(service.loop, service.streams->feed(), *otlp, log);
        service.otlp = &*otlp;
    }

    Async<> finish_spans()
    {
        if (!otlp) co_return;
        service.otlp = nullptr;
        co_await task_spans->finish();
        task_spans.reset();
        co_await otlp->finish(kCollectorGrace);
    }

    /// Where the settings name an issuer.
    void open_to_tokens(const Log& log)
    {
        const Clock& clock = service.loop.clock();
        const Secret secret = jwt_secret(service.home.runtime().place().environment);
        if (!wants_tokens(settings.jwt, secret)) return sign_in.accept(nullptr);
        auto source = key_source(settings.jwt, secret, http, clock, log);
        sign_in.accept(std::make_unique<TokenSignIn>(settings.jwt, std::move(source), clock));
    }

    std::vector<std::string> urls() const
    {
        std::vector<std::string> all;
        for (const auto& door : doors) all.push_back(door->url());
        return all;
    }

    config::ServerSettings settings;
    Metrics metrics;
    RateBuckets rates;
    net::HttpClient http;  // for the keys of tokens
    Audit audit;
    Repeats repeats;
    SignIn sign_in;
    Service service;
    RouteTable routes;
    Dispatcher dispatcher;
    std::optional<OtlpExporter> otlp;
    std::optional<TaskSpans> task_spans;
    std::vector<std::unique_ptr<net::HttpServer>> doors;
};

Server::Server(net::Loop& loop, home::HomeOwner& home, const config::ServerSettings& settings,
               std::optional<ApiKey> admin, Log log, std::string version, const std::vector<int>& descriptors)
    : impl_(std::make_unique<Impl>(loop, home, settings, std::move(admin), std::move(log), std::move(version),
                                   descriptors))
{}

Server::~Server() = default;

std::vector<std::string> Server::urls() const
{
    return impl_->urls();
}

void Server::open()
{
    impl_->service.ready = true;
}

std::vector<std::string> Server::reload(config::ServerSettings settings, std::optional<ApiKey> admin)
{
    return impl_->reload(std::move(settings), std::move(admin));
}

Async<> Server::drain()
{
    Service& service = impl_->service;
    service.draining = true;
    service.drained.notify();
    // as long as something is under way, others are told, too, and may still answer and cancel
    const Instant due = later(service.loop.now(), std::chrono::seconds(impl_->settings.drain_seconds));
    co_await impl_->dispatcher.idle_by(due);
    for (const auto& door : impl_->doors)
        co_await door->close(std::max(Millis(0), std::chrono::ceil<Millis>(due - service.loop.now())));
    service.commands.cancel();
    co_await impl_->finish_spans();
    try {
        co_await impl_->audit.flush();
    } catch (const Error& error) {
        service.log.error("the audit cannot be written", {{"what", error.what()}});
    }
}

}  // namespace cadre::server
