#include "server/dispatcher.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "base/id.hpp"
#include "base/random.hpp"
#include "server/audit.hpp"
#include "server/call.hpp"
#include "server/client_address.hpp"
#include "server/deed.hpp"
#include "server/otlp.hpp"
#include "server/rate_settings.hpp"
#include "server/service.hpp"
#include "server/sign_in.hpp"
#include "server/stream_pass.hpp"
#include "server/tickets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace cadre::server {
namespace {

constexpr std::size_t kLongestRequestId = 64;

/// What the client calls the request, if that can stand in a header and a log.
std::string request_id_of(const net::HttpHead& head)
{
    const auto given = net::find_header(head.headers, "X-Request-ID");
    const auto is_plain = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-'; };
    if (given && !given->empty() && given->size() <= kLongestRequestId && std::ranges::all_of(*given, is_plain))
        return std::string(*given);
    return to_string(new_id());
}

std::string address_of(const net::HttpExchange& exchange, const Service& service)
{
    return client_address(exchange.head(), exchange.peer(), service.settings);
}

bool is_forbidden(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return error.code() == Code::forbidden;
    } catch (...) {
        return false;
    }
}

/// Whose bucket a request takes from: what is made, is made by a tenant; who is nobody is known by their address.
std::string payer_of(const Route& route, const engine::Principal& by, const std::string& address)
{
    if (!route.act) return "address/" + address;
    return route.rate == RateClass::create ? by.tenant : by.tenant + "/" + by.subject;
}

[[noreturn]] void refuse_unknown_path(const net::HttpHead& head)
{
    throw net::HttpRefusal(404, Code::not_found,
                           "there is no " + in_quotes(head.path) + " here; /docs lists what there is");
}

/// A request, as long as it is being answered, however that ends.
struct UnderWay {
    UnderWay(std::size_t& c, Signal& i) : count(c), idle(i) { ++count; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay()
    {
        if (--count == 0) idle.notify();
    }
    std::size_t& count;
    Signal& idle;
};

}  // namespace

Dispatcher::Dispatcher(Service& service, const RouteTable& routes)
    : service_(service),
      routes_(routes),
      gate_({}, {}),
      requests_(service.metrics.counters("cadre_http_requests_total", "Requests that were answered.",
                                         {"method", "route", "status"})),
      durations_(service.metrics.histograms("cadre_http_request_duration_seconds",
                                            "From a request's head to the end of its answer.", {"route"})),
      in_flight_(service.metrics.gauge("cadre_http_in_flight", "Requests that are being answered.")),
      rate_limited_(service.metrics.counters("cadre_rate_limited_total", "Requests that came too often.", {"class"})),
      sign_ins_(service.metrics.counters("cadre_auth_total", "Who came in, and who did not, and why.", {"result"}))
{}

Async<> Dispatcher::handle(net::HttpExchange& exchange)
{
    Record record{.id = request_id_of(exchange.head()),
                  .trace = trace_context_of(net::find_header(exchange.head().headers, "traceparent").value_or(""),
                                            system_random())};
    const Instant begin = service_.loop.now();
    in_flight_.add(1);
    const UnderWay under_way(under_way_, idle_);
    std::exception_ptr failure;
    try {
        co_await serve(exchange, record);
    } catch (...) {
        failure = std::current_exception();
    }
    in_flight_.add(-1);
    if (failure && !exchange.answered()) {
        co_await tell_denial(exchange, failure, record);
        co_await answer_failure(exchange, failure, record);
        failure = nullptr;
    }
    tell(record, begin);
    if (failure) std::rethrow_exception(failure);
}

Async<> Dispatcher::idle()
{
    while (under_way_ > 0) co_await idle_.wait();
}

Async<> Dispatcher::idle_by(Instant due)
{
    const Millis left = std::chrono::ceil<Millis>(due - service_.loop.now());
    if (left.count() > 0) co_await ends_within(idle(), left);
}

Async<> Dispatcher::serve(net::HttpExchange& exchange, Record& record)
{
    const net::HttpHead& head = exchange.head();
    RouteMatch match = routes_.find(head.method, head.path, head.query.find("raw=1") != std::string::npos);
    const bool by_signature = match.kind == RouteMatch::Kind::found && match.route->by_signature;
    if (!by_signature) gate_.expect(head, exchange.peer() == "unix");
    switch (match.kind) {
    case RouteMatch::Kind::not_found: refuse_unknown_path(head);
    case RouteMatch::Kind::not_allowed:
        throw net::HttpRefusal(405, Code::malformed, fmt::format("{} takes {}", head.path, match.allow),
                               {{"Allow", match.allow}});
    case RouteMatch::Kind::options: {
        net::HttpHeaders headers = gate_.cors(head);
        if (!headers.empty()) {
            headers.push_back({"Access-Control-Allow-Methods", match.allow});
            headers.push_back(
                {"Access-Control-Allow-Headers",
                 "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, "
                 "X-Request-ID, traceparent"});
            headers.push_back({"Access-Control-Max-Age", "600"});
        }
        headers.push_back({"Allow", match.allow});
        record.status = 204;
        co_return co_await exchange.reply({.status = 204, .headers = std::move(headers)});
    }
    case RouteMatch::Kind::found: break;
    }
    record.route = match.route;
    co_await dispatch(exchange, std::move(match), record);
}

Async<> Dispatcher::dispatch(net::HttpExchange& exchange, RouteMatch match, Record& record)
{
    const Route& route = *match.route;
    engine::Principal by;
    net::HttpHead credentials;
    if (route.act) by = co_await sign_in(exchange, record, credentials);
    else if (route.tells_more) by = co_await find_sender(exchange, record);
    record.is_known = route.act.has_value();
    record.subject = by.subject;
    record.tenant = by.tenant;
    net::HttpHeaders rate = take_rate(route, exchange, by);
    if (service_.draining && route.shed == Shed::creating)
        throw net::HttpRefusal(503, Code::unavailable, "the server is shutting down", {{"Retry-After", "5"}});
    if (route.act) engine::expect_may(by, *route.act);
    exchange.limit_body(route.body_limit);

    Call call(exchange, route, std::move(match.values), std::move(by), record.id, service_);
    call.set_credentials(std::move(credentials));
    call.set_trace(record.trace);
    for (net::HttpHeader& header : rate) call.add_header(std::move(header.name), std::move(header.value));
    for (net::HttpHeader& header : gate_.cors(exchange.head()))
        call.add_header(std::move(header.name), std::move(header.value));
    record.status = route.success;
    co_await route.handler(call);
    if (is_audited(route) && !call.audited()) co_await tell_audit(call);
    record.status = call.status();
}

/// Who shows something that is not good is told so ten times a minute; from then on, that it is too often. Good credentials are good
/// whoever else is behind the same address.
Async<engine::Principal> Dispatcher::sign_in(const net::HttpExchange& exchange, const Record& record,
                                             net::HttpHead& credentials)
{
    std::optional<SignInRefusal> refused;
    try {
        credentials = credentials_of(service_, exchange.head());
        engine::Principal by = co_await service_.sign_in.who(credentials);
        sign_ins_.with({"good"}).add();
        co_return by;
    } catch (const SignInRefusal& refusal) {
        refused = refusal;
    }
    sign_ins_.with({refused->reason()}).add();
    if (!refused->is_guess()) throw SignInRefusal(*refused);
    const std::string address = address_of(exchange, service_);
    const Rate rate = rate_of(RateClass::sign_in, service_.settings.rates);
    const RateVerdict verdict = service_.rates.take(RateClass::sign_in, address, rate, service_.loop.now());
    AuditEntry entry{.kind = "sign_in_refused",
                     .verb = std::string(record.route->name),
                     .address = address,
                     .reason = refused->reason(),
                     .request_id = record.id,
                     .status = verdict.allowed ? refused->status() : 429};
    co_await tell_refusal(std::string(engine::kLocalTenant), std::move(entry));
    if (verdict.allowed) throw SignInRefusal(*refused);
    rate_limited_.with({name_of(RateClass::sign_in)}).add();
    throw net::HttpRefusal(429, Code::rate_limited, "too many tokens from this address were not good",
                           rate_headers(RateClass::sign_in, rate, verdict));
}

/// Where nobody has to say who they are: what is shown and not good counts as everywhere else.
Async<engine::Principal> Dispatcher::find_sender(const net::HttpExchange& exchange, const Record& record)
{
    net::HttpHead credentials;
    try {
        co_return co_await sign_in(exchange, record, credentials);
    } catch (const SignInRefusal&) {}
    co_return engine::Principal{};
}

/// What somebody was not allowed to do.
Async<> Dispatcher::tell_denial(const net::HttpExchange& exchange, std::exception_ptr failure, const Record& record)
{
    if (!record.is_known || !is_forbidden(failure)) co_return;
    AuditEntry entry{.kind = "denied",
                     .verb = std::string(record.route->name),
                     .subject = record.subject,
                     .address = address_of(exchange, service_),
                     .target = exchange.head().path,
                     .reason = std::string(engine::name_of(*record.route->act)),
                     .request_id = record.id,
                     .status = 403};
    co_await tell_refusal(record.tenant, std::move(entry));
}

/// Nothing was done, so it is refused even if that cannot be written down.
Async<> Dispatcher::tell_refusal(std::string tenant, AuditEntry entry)
{
    std::string why;
    try {
        co_await service_.audit.refused(std::move(tenant), std::move(entry));
    } catch (const Error& error) {
        why = error.what();
    }
    if (!why.empty()) service_.log.error("the audit cannot be written", {{"what", why}});
}

/// One more of the sender's.
net::HttpHeaders Dispatcher::take_rate(const Route& route, const net::HttpExchange& exchange,
                                       const engine::Principal& by)
{
    if (route.rate == RateClass::exempt) return {};
    const auto [rate, own] = bucket_of(route, by.subject, service_.settings.rates);
    const std::string name = payer_of(route, by, address_of(exchange, service_)) + own;
    const RateVerdict verdict = service_.rates.take(route.rate, name, rate, service_.loop.now());
    net::HttpHeaders headers = rate_headers(route.rate, rate, verdict);
    if (verdict.allowed) return headers;
    rate_limited_.with({name_of(route.rate)}).add();
    throw net::HttpRefusal(
        429, Code::rate_limited,
        fmt::format("too many requests of class {}: {} in {}", name_of(route.rate), rate.quota, to_text(rate.window)),
        std::move(headers));
}

Async<> Dispatcher::answer_failure(net::HttpExchange& exchange, std::exception_ptr thrown, Record& record)
{
    net::HttpFailure why;
    net::HttpAnswer answer;
    const auto form = [&](int status, const Error& error) {
        why.status = status;
        why.code = error.code();
        why.text = error.what();
        why.error = &error;
        answer = answer_of(problem_of(why, record.id, service_.folders));
    };
    try {
        std::rethrow_exception(thrown);
    } catch (const net::HttpRefusal& refusal) {
        form(refusal.status(), refusal);
        answer.headers.insert(answer.headers.end(), refusal.headers().begin(), refusal.headers().end());
    } catch (const Error& error) {
        // that we are not let in somewhere else is no fault of who asks us
        const bool is_ours = error.code() == Code::unauthorized;
        form(is_ours ? 503 : surface(error.code()).http, is_ours ? Error(Code::unavailable, error.what()) : error);
        if (error.code() == Code::internal)
            service_.log.error("internal error", {{"request", record.id}, {"what", error.what()}});
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& bug) {
        service_.log.error("internal error", {{"request", record.id}, {"what", bug.what()}});
        answer = answer_of(problem_of(why, record.id, service_.folders));
    } catch (...) {  // the home is being left
        form(503, Error(Code::unavailable, "the server is shutting down"));
        answer.headers.push_back({"Retry-After", "5"});
    }
    for (net::HttpHeader& header : gate_.cors(exchange.head())) answer.headers.push_back(std::move(header));
    answer.headers.push_back({"X-Request-ID", record.id});
    answer.headers.push_back({"traceparent", traceparent_of(record.trace)});
    record.status = answer.status;
    co_await exchange.reply(std::move(answer));
}

/// What never became a request: the parser refused it.
net::HttpAnswer Dispatcher::failure(const net::HttpFailure& why)
{
    const std::string id = to_string(new_id());
    net::HttpAnswer answer = answer_of(problem_of(why, id, service_.folders));
    answer.headers.push_back({"X-Request-ID", id});
    requests_.with({"_none", "_none", std::to_string(why.status)}).add();
    return answer;
}

void Dispatcher::tell(const Record& record, Instant begin)
{
    const std::string_view route = record.route ? record.route->name : "_none";
    const std::string_view method = record.route ? name_of(record.route->method) : "_none";
    const double seconds = std::chrono::duration<double>(service_.loop.now() - begin).count();
    const std::string status = std::to_string(record.status);
    requests_.with({method, route, status}).add();
    durations_.with({route}).observe(seconds);
    if (service_.otlp && record.trace.sampled) {
        const Time end = service_.loop.clock().now();
        OtlpSpan span{.trace = record.trace.trace,
                      .id = record.trace.span,
                      .parent = record.trace.parent,
                      .name = fmt::format("{} {}", method, record.route ? record.route->path : "_none"),
                      .kind = OtlpSpan::Kind::server,
                      .begin = end - std::chrono::duration_cast<Millis>(service_.loop.now() - begin),
                      .end = end,
                      .error = record.status >= 500 ? status : ""};
        span.attributes = {{"http.request.method", std::string(method)},
                           {"http.route", std::string(record.route ? record.route->path : "")},
                           {"http.response.status_code", std::int64_t{record.status}},
                           {"cadre.request", record.id}};
        service_.otlp->add(std::move(span));
    }
    service_.log.info("request", {{"request", record.id},
                                  {"method", method},
                                  {"route", route},
                                  {"status", record.status},
                                  {"seconds", seconds},
                                  {"trace", record.trace.trace},
                                  {"tenant", record.tenant},
                                  {"subject", record.subject}});
}

}  // namespace cadre::server
