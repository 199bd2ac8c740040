// From a request to the handler of its route, in this order: Host and Origin, route, who sent it, how often, what they may do. No byte of
// a body is read before.
#pragma once

#include "base/metrics.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "engine/principal.hpp"
#include "net/http_server.hpp"
#include "server/gate.hpp"
#include "server/route_table.hpp"
#include "server/trace_context.hpp"

#include <cstddef>
#include <exception>
#include <string>

namespace cadre::server {

struct AuditEntry;
struct Service;

/// Lives on its loop, as long as the servers that it serves for.
class Dispatcher final : public net::HttpHandler {
public:
    Dispatcher(Service& service, const RouteTable& routes);

    /// Where clients reach the server, once that is known.
    void set_gate(Gate gate) { gate_ = std::move(gate); }

    /// Until no request is being answered, or that time has come.
    Async<> idle_by(Instant due);

    Async<> handle(net::HttpExchange& exchange) override;
    net::HttpAnswer failure(const net::HttpFailure& why) override;

private:
    /// What is told of a request once it is over.
    struct Record {
        std::string id{};
        TraceContext trace{};
        const Route* route = nullptr;
        int status = 0;
        std::string subject{};
        std::string tenant{};
        bool is_known = false;  // who sent it
    };

    Async<> idle();
    Async<> serve(net::HttpExchange& exchange, Record& record);
    Async<> dispatch(net::HttpExchange& exchange, RouteMatch match, Record& record);
    Async<> answer_failure(net::HttpExchange& exchange, std::exception_ptr failure, Record& record);
    /// `credentials` becomes what showed who it is.
    Async<engine::Principal> sign_in(const net::HttpExchange& exchange, const Record& record,
                                     net::HttpHead& credentials);
    Async<engine::Principal> find_sender(const net::HttpExchange& exchange, const Record& record);
    net::HttpHeaders take_rate(const Route& route, const net::HttpExchange& exchange, const engine::Principal& by);
    Async<> tell_denial(const net::HttpExchange& exchange, std::exception_ptr failure, const Record& record);
    Async<> tell_refusal(std::string tenant, AuditEntry entry);
    void tell(const Record& record, Instant begin);

    Service& service_;
    const RouteTable& routes_;
    Gate gate_;
    Labelled<Counter> requests_;
    Labelled<Histogram> durations_;
    Gauge in_flight_;
    std::size_t under_way_ = 0;  // requests
    Signal idle_;
    Labelled<Counter> rate_limited_;
    Labelled<Counter> sign_ins_;
};

}  // namespace cadre::server
