// A request under way: its route, who sent it, and the answer to it. Handlers are ordinary functions of described structs:
//     Async<TaskView> respond(Call& call, Respond body);
//     typed({.method = Method::post, .path = "/tasks/{task_id}/hitl/{request_id}/respond", …}, respond)
#pragma once

#include "base/async.hpp"
#include "base/id.hpp"
#include "base/sha256.hpp"
#include "engine/principal.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "net/http_server.hpp"
#include "server/problem.hpp"
#include "server/route_table.hpp"
#include "server/trace_context.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace cadre::server {

struct Service;  // server/service.hpp

/// Lives as long as its handler runs.
class Call {
public:
    Call(net::HttpExchange& exchange, const Route& route, PathValues values, engine::Principal by,
         std::string request_id, Service& service);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const Route& route() const { return route_; }
    const net::HttpHead& head() const { return exchange_.head(); }
    net::HttpExchange& exchange() { return exchange_; }
    const engine::Principal& by() const { return by_; }
    /// From where it came.
    std::string address() const;
    const std::string& request_id() const { return request_id_; }
    Service& service() { return service_; }
    /// What showed who sends it, as an `Authorization` header: what lasts looks again later whether it is still good.
    const net::HttpHead& credentials() const { return credentials_; }
    void set_credentials(net::HttpHead credentials) { credentials_ = std::move(credentials); }

    /// The trace that it belongs to.
    const TraceContext& trace() const { return trace_; }
    void set_trace(TraceContext trace) { trace_ = std::move(trace); }

    /// The value of a parameter of the path.
    const std::string& path(std::string_view name) const;
    /// `{task_id}`. Throws Error(not_found) for what is not a whole id.
    Id task() const;
    /// The first header of that name; empty: none.
    std::string_view header(std::string_view name) const;

    /// What the query says, as the route's query entity. Throws BadRequest.
    template <class T>
    T query() const
    {
        T out{};
        read_query(&out, model::type_of<T>());
        return out;
    }
    /// What the body says; an empty one is `{}`. Throws BadRequest.
    template <class T>
    Async<T> body()
    {
        T out{};
        co_await read_body(&out, model::type_of<T>());
        co_return out;
    }

    /// The same as it came.
    Async<boost::json::value> json();

    // The answer; the handler's result is its body.
    void set_status(int status) { status_ = status; }
    int status() const { return status_; }
    void add_header(std::string name, std::string value) { headers_.push_back({std::move(name), std::move(value)}); }
    Async<> reply(std::string json);
    /// Answers 304 in its place where the client has said that it knows the ETag that was added.
    Async<> reply_text(std::string type, std::string text);
    /// Without a body.
    Async<> reply_empty(int status);
    /// A header that was added; empty: it was not.
    std::string_view added(std::string_view name) const;
    /// What a repeat of this request is told in place of the answer, where that says something that is told only once.
    void tell_repeats(std::string json) { for_repeats_ = std::move(json); }
    const std::optional<std::string>& for_repeats() const { return for_repeats_; }
    /// What every answer has, and what was added.
    net::HttpHeaders take_headers();

    const PathValues& values() const { return values_; }
    /// Reads all of the body, unless that was done before.
    Async<> take_body();
    /// SHA-256 of the body as it was sent; all zero: none was read.
    const Hash& body_hash() const { return body_hash_; }
    /// As it came; empty: none was read.
    std::string body_text() const { return body_.value_or(""); }
    /// Whether the client says that it has what has that ETag (`If-None-Match`).
    bool knows(std::string_view tag) const;
    /// An earlier attempt at this request (same Idempotency-Key) was cut off: how many records the task had before it. Nothing: this is
    /// the first attempt.
    const std::optional<std::uint32_t>& cut_off_at() const { return cut_off_at_; }
    void set_cut_off_at(std::uint32_t seq) { cut_off_at_ = seq; }
    /// While this is held, no other request with an Idempotency-Key changes the same task.
    void hold(std::shared_ptr<void> turn) { turn_ = std::move(turn); }
    /// What it changes is changed; what follows only looks.
    void let_others() { turn_.reset(); }
    /// It stands in the audit.
    void set_audited() { audited_ = true; }
    bool audited() const { return audited_; }

    /// How long the client would have us wait for a task to rest (`Prefer: wait=N`, RFC 7240); 0: not at all.
    Millis patience() const;

private:
    void read_query(void* out, const model::Type& type) const;
    Async<> told();
    Async<> read_body(void* out, const model::Type& type);

    net::HttpExchange& exchange_;
    const Route& route_;
    PathValues values_;
    engine::Principal by_;
    std::string request_id_;
    Service& service_;
    net::HttpHead credentials_{};
    TraceContext trace_{};
    int status_;
    net::HttpHeaders headers_;
    std::optional<std::string> for_repeats_;
    std::optional<std::string> body_;  // once it was read
    Hash body_hash_{};
    bool audited_ = false;
    std::optional<std::uint32_t> cut_off_at_;
    std::shared_ptr<void> turn_;
};

// ---- routes from functions ----

namespace detail {

/// The result of the work. What changes something is done to its end even if the client goes away meanwhile: only the answer is lost.
Async<std::string> whole(Call& call, Async<std::string> work);

template <class Answer>
Async<std::string> json_of(Async<Answer> work)
{
    co_return model::to_json_text(co_await std::move(work));
}

template <class T>
const model::Entity& entity_of()
{
    return describe(static_cast<const T*>(nullptr));
}

template <class Answer>
Async<> answer(Call& call, Async<Answer> (*act)(Call&))
{
    std::string text = co_await whole(call, json_of(act(call)));
    co_await call.reply(std::move(text));
}

template <class Answer, class Input>
Async<> answer(Call& call, Async<Answer> (*act)(Call&, Input))
{
    Input input;
    if (call.route().request) input = co_await call.template body<Input>();
    else input = call.template query<Input>();
    std::string text = co_await whole(call, json_of(act(call, std::move(input))));
    co_await call.reply(std::move(text));
}

}  // namespace detail

/// The function answers with a described struct.
template <class Answer>
Route typed(Route route, Async<Answer> (*act)(Call&))
{
    route.response = &detail::entity_of<Answer>();
    route.handler = [act](Call& call) { return detail::answer(call, act); };
    return route;
}

/// The function also takes one: of GET and DELETE the query, of others the body.
template <class Answer, class Input>
Route typed(Route route, Async<Answer> (*act)(Call&, Input))
{
    const bool has_body = route.method != Method::get && route.method != Method::del;
    (has_body ? route.request : route.query) = &detail::entity_of<Input>();
    route.response = &detail::entity_of<Answer>();
    route.handler = [act](Call& call) { return detail::answer(call, act); };
    return route;
}

}  // namespace cadre::server
