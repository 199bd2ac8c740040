#include "base/timeout.hpp"
#include "mcp/connection.hpp"
#include "mcp/members.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp {

namespace {

/// Questions that a server may have open for one request; a hostile one gets no more of anybody's time.
constexpr std::size_t kMaxQuestions = 16;

}  // namespace

/// Until something happens to the exchange, or the time has come.
class Exchange::Ring final : public Wait, Timer {
public:
    Ring(Exchange& exchange, Instant due) : exchange_(exchange), due_(due) {}
    ~Ring()
    {
        if (exchange_.ring_ == this) exchange_.ring_ = nullptr;
    }
    void await_resume() const { finish(); }
    using Wait::wake;

private:
    bool arm() override
    {
        exchange_.ring_ = this;
        if (due_ != kNever) loop().start(*this, due_);
        return true;
    }
    bool withdraw() noexcept override
    {
        stop();
        exchange_.ring_ = nullptr;
        return true;
    }
    void fire() noexcept override { wake(); }

    Exchange& exchange_;
    Instant due_;
};

Exchange::Exchange(Connection& connection, std::string method, json::object params, ExchangeOptions options)
    : connection_(connection),
      id_(++connection.last_id_),
      method_(std::move(method)),
      options_(std::move(options)),
      begun_(connection.loop_.now()),
      touched_(begun_)
{
    if (connection.closed_)
        throw tools::NotDispatched(Code::unavailable,
                                   fmt::format("MCP server {}: {}", connection.server_, connection.transport_->end()));
    if (options_.on_progress) {
        json::value& meta = params["_meta"];
        if (!meta.is_object()) meta.emplace_object();
        meta.get_object()["progressToken"] = id_;
    }
    connection.exchanges_.emplace(id_, this);
    connection.transport_->send(
        {Request{.id = id_, .method = method_, .params = std::move(params)}, std::move(options_.headers)});
}

Exchange::~Exchange()
{
    connection_.forget(*this);
}

void Exchange::ring() noexcept
{
    if (ring_) ring_->wake();
}

void Exchange::end(std::variant<json::object, std::exception_ptr> outcome) noexcept
{
    if (!outcome_) outcome_ = std::move(outcome);  // a second answer is none
    ring();
}

Async<bool> Exchange::wait(Instant due)
{
    while (!outcome_ && !nudged_ && connection_.loop_.now() < due) co_await Ring(*this, due);
    nudged_ = false;
    co_return outcome_.has_value();
}

void Exchange::nudge() noexcept
{
    nudged_ = true;
    ring();
}

Async<json::object> Exchange::answer()
{
    if (options_.on_question) co_await settle_and_answer();
    else co_await settle();
    co_return take();
}

/// Questions are answered within the caller's own context: with its deadline, and cancelled with it.
Async<> Exchange::settle_and_answer()
{
    AsyncScope replies(co_await this_context());
    std::exception_ptr failure;
    try {
        while (!outcome_) {
            for (Question& next : std::exchange(questions_, {})) {
                if (asking_++ == 0) asked_ = connection_.loop_.now();
                replies.spawn(reply(std::move(next)));
            }
            co_await settle();
        }
    } catch (...) {
        failure = std::current_exception();
    }
    co_await replies.close();
    if (failure) std::rethrow_exception(failure);
}

Async<> Exchange::reply(Question question)
{
    Response response{.id = question.id};
    try {
        response.outcome = co_await options_.on_question(std::move(question.method), std::move(question.params));
    } catch (const ServerError& error) {
        response.outcome = error.error();
    } catch (const Error& error) {
        response.outcome = RpcError{.code = kInternalError, .message = error.what()};
    }
    if (--asking_ == 0) {
        touched_ = connection_.loop_.now();
        waited_for_us_ += touched_ - asked_;
    }
    if (connection_.is_open())
        connection_.transport_->send(
            {std::move(response), connection_.headers_for ? connection_.headers_for("") : net::HttpHeaders{}});
    ring();
}

/// Until there is an outcome, or a question to answer.
Async<> Exchange::settle()
{
    while (!outcome_ && questions_.empty()) {
        const Instant hard =
            later(begun_, options_.cap) == kNever ? kNever : later(begun_, options_.cap) + waited_for_us_;
        const Instant quiet = later(touched_, options_.idle);
        const Instant due = asking_ > 0 ? kNever : std::min(hard, quiet);
        if (connection_.loop_.now() >= due) time_out(hard <= quiet ? options_.cap : options_.idle);
        co_await Ring(*this, due);
    }
}

void Exchange::time_out(Millis limit)
{
    const std::string text =
        fmt::format("MCP server {} did not answer {} within {}", connection_.server_, method_, cadre::to_text(limit));
    const bool unsent = connection_.transport_->abandon(id_);
    if (!unsent) {
        connection_.forget(*this);
        throw Error(Code::timeout, text);
    }
    options_.tells_end = false;
    connection_.forget(*this);
    throw tools::NotDispatched(Code::timeout, text);
}

json::object Exchange::take()
{
    if (auto* failure = std::get_if<std::exception_ptr>(&*outcome_)) std::rethrow_exception(*failure);
    return std::move(std::get<json::object>(*outcome_));
}

void Connection::take_request(Request request, std::optional<std::int64_t> during)
{
    if (auto answer = listener_.answer_at_once(request)) {
        transport_->send({Response{.id = request.id, .outcome = std::move(*answer)},
                          headers_for ? headers_for("") : net::HttpHeaders{}});
        return;
    }
    Exchange* asker = whose_question(during);
    if (!asker) return refuse(request.id, kMethodNotFound, "nothing here answers " + request.method.substr(0, 100));
    if (asker->questions_.size() + static_cast<std::size_t>(asker->asking_) >= kMaxQuestions)
        return refuse(request.id, kInternalError, "too many questions at once");
    asker->questions_.push_back({request.id, std::move(request.method), std::move(request.params)});
    asker->ring();
}

/// Where the transport cannot tell, there must be exactly one who could be meant: nobody pays for another's question.
Exchange* Connection::whose_question(std::optional<std::int64_t> during)
{
    if (Exchange* known = find(during)) return known->options_.on_question ? known : nullptr;
    Exchange* only = nullptr;
    for (const auto& [id, exchange] : exchanges_) {
        if (!exchange->options_.on_question) continue;
        if (only) return nullptr;
        only = exchange;
    }
    return only;
}

}  // namespace cadre::mcp
