#include "server/call.hpp"

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/trim.hpp"
#include "server/audit.hpp"
#include "server/client_address.hpp"
#include "server/deed.hpp"
#include "server/query.hpp"
#include "server/service.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>

namespace cadre::server {
namespace {

constexpr Millis kMostPatience{60'000};

bool is_json(std::string_view type)
{
    return same_in_any_case(trimmed(type.substr(0, type.find(';'))), "application/json");
}

/// Whether one of the tags of If-None-Match is this one.
bool names_tag(std::string_view list, std::string_view tag)
{
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        std::string_view one = trimmed(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (one.starts_with("W/")) one.remove_prefix(2);
        if (one == "*" || one == tag) return true;
    }
    return false;
}

}  // namespace

Call::Call(net::HttpExchange& exchange, const Route& route, PathValues values, engine::Principal by,
           std::string request_id, Service& service)
    : exchange_(exchange),
      route_(route),
      values_(std::move(values)),
      by_(std::move(by)),
      request_id_(std::move(request_id)),
      service_(service),
      status_(route.success)
{}

const std::string& Call::path(std::string_view name) const
{
    const auto found = std::ranges::find(values_, name, &PathValues::value_type::first);
    if (found == values_.end())
        throw Error(Code::internal, "route " + std::string(route_.name) + " has no parameter " + std::string(name));
    return found->second;
}

Id Call::task() const
{
    const std::string& text = path("task_id");
    if (const auto id = find_id(text)) return *id;
    throw Error(Code::not_found, "there is no task " + in_quotes(text) + "; an id here is a whole UUID");
}

std::string_view Call::header(std::string_view name) const
{
    return net::find_header(head().headers, name).value_or("");
}

void Call::read_query(void* out, const model::Type& type) const
{
    model::Problems problems;
    model::read_value(query_object(head().query, type.entity()), out, type, {}, problems, {});
    if (!problems.empty()) throw BadRequest(std::move(problems));
}

Async<> Call::take_body()
{
    if (body_) co_return;
    body_ = co_await net::read_all(exchange_);
    body_hash_ = sha256(*body_);
}

Async<json::value> Call::json()
{
    co_await take_body();
    if (!body_->empty() && !is_json(header("Content-Type")))
        throw net::HttpRefusal(415, Code::malformed, "the body must be JSON, with Content-Type: application/json");
    co_return body_->empty() ? json::value(json::object()) : parse_json(*body_);
}

Async<> Call::read_body(void* out, const model::Type& type)
{
    const json::value value = co_await json();
    model::Problems problems;
    model::read_value(value, out, type, {}, problems, {});
    if (!problems.empty()) throw BadRequest(std::move(problems));
}

std::string Call::address() const
{
    return client_address(head(), exchange_.peer(), service_.settings);
}

bool Call::knows(std::string_view tag) const
{
    return names_tag(header("If-None-Match"), tag);
}

std::string_view Call::added(std::string_view name) const
{
    return net::find_header(headers_, name).value_or("");
}

net::HttpHeaders Call::take_headers()
{
    net::HttpHeaders headers = std::move(headers_);
    headers.push_back({"X-Request-ID", request_id_});
    if (!trace_.trace.empty()) headers.push_back({"traceparent", traceparent_of(trace_)});
    if (!net::find_header(headers, "Cache-Control")) headers.push_back({"Cache-Control", "no-store"});
    headers.push_back({"X-Content-Type-Options", "nosniff"});
    return headers;
}

Async<> Call::reply(std::string json)
{
    return status_ == 204 ? reply_empty(204) : reply_text("application/json", std::move(json));
}

/// Of handlers that answer by themselves: what they did stands in the audit before anybody hears of it.
Async<> Call::told()
{
    if (is_audited(route_) && !audited_) co_await tell_audit(*this);
}

Async<> Call::reply_empty(int status)
{
    status_ = status;
    co_await told();
    co_await exchange_.reply({.status = status, .headers = take_headers()});
}

Async<> Call::reply_text(std::string type, std::string text)
{
    const auto tag = net::find_header(headers_, "ETag");
    const bool reads = route_.method == Method::get;
    if (tag && reads && knows(*tag)) co_return co_await reply_empty(304);
    co_await told();
    net::HttpAnswer answer{.status = status_, .headers = take_headers(), .body = std::move(text)};
    answer.headers.push_back({"Content-Type", std::move(type)});
    co_await exchange_.reply(std::move(answer));
}

Millis Call::patience() const
{
    constexpr std::string_view kWait = "wait=";
    std::string_view wishes = header("Prefer");
    while (!wishes.empty()) {
        const std::size_t end = std::min(wishes.find_first_of(",;"), wishes.size());
        std::string_view one = trimmed(wishes.substr(0, end));
        wishes.remove_prefix(std::min(end + 1, wishes.size()));
        if (!one.starts_with(kWait)) continue;
        one.remove_prefix(kWait.size());
        int seconds = 0;
        std::from_chars(one.data(), one.data() + one.size(), seconds);
        return std::clamp(Millis(seconds * 1000LL), Millis(0), kMostPatience);
    }
    return Millis(0);
}

namespace detail {

Async<std::string> whole(Call& call, Async<std::string> work)
{
    if (call.route().method == Method::get) co_return co_await std::move(work);
    // which request it is depends on all that was sent, and some handlers read that themselves
    if (!call.header("Idempotency-Key").empty()) co_await call.take_body();
    Service& service = call.service();
    co_return co_await done_once(call, std::move(work)).under({.loop = &service.loop, .scope = &service.commands});
}

}  // namespace detail
}  // namespace cadre::server
