#include "mcp/connection.hpp"

#include "base/async.hpp"
#include "mcp/members.hpp"

#include <fmt/core.h>

namespace cadre::mcp {

namespace {

std::string described(const RpcError& error)
{
    if (error.code == kSenseless) return "sent an answer that makes no sense: " + error.message;
    if (error.message.empty()) return fmt::format("answered with error {}", error.code);
    return fmt::format("answered: {} (error {})", error.message, error.code);
}

std::optional<std::int64_t> number_of(const json::value* value)
{
    const auto id = find_id(value);
    if (!id || !std::holds_alternative<std::int64_t>(*id)) return std::nullopt;
    return std::get<std::int64_t>(*id);
}

}  // namespace

ServerError::ServerError(const std::string& text, RpcError error, int status)
    : Error(status == 401   ? Code::unauthorized
            : status == 403 ? Code::forbidden
                            : Code::upstream,
            text),
      error_(std::move(error)),
      status_(status)
{}

Connection::Connection(Loop& loop, std::unique_ptr<Transport> transport, ConnectionListener& listener,
                       std::string server, Log log)
    : loop_(loop),
      listener_(listener),
      server_(std::move(server)),
      log_(std::move(log)),
      transport_(std::move(transport)),
      scope_(loop)
{
    scope_.spawn(read());
}

Connection::~Connection()
{
    closed_ = true;
}

void Connection::notify(std::string method, json::object params, net::HttpHeaders headers)
{
    if (closed_) return;
    transport_->send({Notification{.method = std::move(method), .params = std::move(params)}, std::move(headers)});
}

void Connection::tell(std::string method, json::object params, net::HttpHeaders headers)
{
    if (closed_) return;
    transport_->send(
        {Request{.id = ++last_id_, .method = std::move(method), .params = std::move(params)}, std::move(headers)});
}

Async<> Connection::read()
{
    while (true) {
        auto incoming = co_await transport_->receive();
        if (!incoming) break;
        std::visit([this](auto&& one) { take(std::move(one)); }, std::move(*incoming));
    }
    fail_all(transport_->end());
}

void Connection::fail_all(const std::string& why) noexcept
{
    closed_ = true;
    for (const auto& [id, exchange] : exchanges_)
        exchange->end(std::make_exception_ptr(Error(
            Code::upstream, fmt::format("MCP server {}: {} before {} was answered", server_, why, exchange->method_))));
}

void Connection::take(Arrived arrived)
{
    if (auto* response = std::get_if<Response>(&arrived.message)) return take_response(std::move(*response));
    if (auto* request = std::get_if<Request>(&arrived.message))
        return take_request(std::move(*request), arrived.during);
    const auto& notification = std::get<Notification>(arrived.message);
    if (notification.method == "notifications/progress" && take_progress(notification)) return;
    listener_.notified(notification);
}

void Connection::take_response(Response response)
{
    const auto* id = response.id ? std::get_if<std::int64_t>(&*response.id) : nullptr;
    Exchange* exchange = id ? find(*id) : nullptr;
    if (!exchange) {  // late, twice, or made up
        log_.debug("an answer that nothing waits for", {{"server", server_}});
        return;
    }
    if (auto* error = std::get_if<RpcError>(&response.outcome)) {
        const std::string text = fmt::format("MCP server {} {}", server_, described(*error));
        return exchange->end(std::make_exception_ptr(ServerError(text, std::move(*error), 0)));
    }
    exchange->end(std::move(std::get<json::object>(response.outcome)));
}

void Connection::take(Lost lost)
{
    if (lost.session_over && lost.id == 0) return listener_.session_over();
    Exchange* exchange = find(lost.id);
    if (!exchange) return;
    const std::string text = fmt::format("MCP server {}: {}", server_, lost.text);
    if (lost.session_over) exchange->end(std::make_exception_ptr(SessionOver(Code::unavailable, text)));
    else if (lost.error || lost.status != 0) {
        RpcError error = lost.error.value_or(RpcError{.code = kSenseless, .message = lost.text});
        const std::string said =
            lost.error ? fmt::format("MCP server {} {} (HTTP {})", server_, described(error), lost.status) : text;
        exchange->end(std::make_exception_ptr(ServerError(said, std::move(error), lost.status)));
    } else if (!lost.dispatched) exchange->end(std::make_exception_ptr(tools::NotDispatched(lost.code, text)));
    else exchange->end(std::make_exception_ptr(Error(lost.code, text)));
}

bool Connection::take_progress(const Notification& notification)
{
    Exchange* exchange = find(number_of(notification.params.if_contains("progressToken")));
    if (!exchange || !exchange->options_.on_progress) return false;
    exchange->touched_ = loop_.now();  // whoever waits sees it when its old time is over
    Progress progress;
    if (const auto* done = notification.params.if_contains("progress"); done && done->is_number())
        progress.progress = done->to_number<double>();
    if (const auto* total = notification.params.if_contains("total"); total && total->is_number())
        progress.total = total->to_number<double>();
    progress.message = text_in(notification.params, "message");
    exchange->options_.on_progress(progress);
    return true;
}

void Connection::refuse(const Id& id, std::int64_t code, std::string text)
{
    transport_->send({Response{.id = id, .outcome = RpcError{.code = code, .message = std::move(text)}},
                      headers_for ? headers_for("") : net::HttpHeaders{}});
}

Exchange* Connection::find(std::optional<std::int64_t> id)
{
    if (!id) return nullptr;
    const auto found = exchanges_.find(*id);
    return found == exchanges_.end() ? nullptr : found->second;
}

/// The server is told to stop what nobody waits for; it may answer all the same.
void Connection::forget(Exchange& exchange) noexcept
{
    if (exchanges_.erase(exchange.id_) == 0 || exchange.outcome_ || closed_) return;
    const bool unsent = transport_->abandon(exchange.id_);
    if (unsent || !exchange.options_.tells_end || abandoning_is_enough) return;
    try {
        const std::string method = "notifications/cancelled";
        notify(method, {{"requestId", exchange.id_}, {"reason", "nothing waits for the answer any more"}},
               headers_for ? headers_for(method) : net::HttpHeaders{});
    } catch (const std::exception& error) {
        log_.warning("a cancellation could not be sent", {{"server", server_}, {"why", error.what()}});
    }
}

Async<> Connection::close()
{
    if (!closed_) fail_all("was closed");
    scope_.cancel();
    co_await scope_.close();
    co_await transport_->close();
}

}  // namespace cadre::mcp
