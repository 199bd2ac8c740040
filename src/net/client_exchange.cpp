#include "net/client_exchange.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "net/http_request_text.hpp"

#include <charconv>
#include <utility>

namespace cadre::net {
namespace {

constexpr int kMostInterim = 32;

/// `Keep-Alive: timeout=5, max=100`: for how long the server keeps the connection, less what a request needs to get there.
std::optional<Millis> idle_time(const HttpHeaders& headers)
{
    constexpr std::string_view kTimeout = "timeout=";
    const std::string_view text = find_header(headers, "Keep-Alive").value_or("");
    const std::size_t at = text.find(kTimeout);
    std::uint32_t seconds = 0;
    if (at == std::string_view::npos) return std::nullopt;
    const char* const digits = text.data() + at + kTimeout.size();
    if (std::from_chars(digits, text.data() + text.size(), seconds).ec != std::errc()) return std::nullopt;
    return Millis(1000) * seconds - Millis(1000);
}

}  // namespace

ClientExchange::ClientExchange(std::unique_ptr<PooledConnection> connection, ClientExchangeOptions options)
    : connection_(std::move(connection)),
      options_(std::move(options)),
      parser_(options_.method, options_.limits),
      sent_before_(connection_->stream().sent()),
      spoiled_(options_.method == "CONNECT")  // what is left of a refused tunnel leads nowhere
{}

ClientExchange::~ClientExchange()
{
    finish();
}

Async<bool> ClientExchange::ask(std::string& head, std::string& body)
{
    try {
        const bool answered = co_await converse(head, body);
        if (answered && parser_.done() && options_.method != "CONNECT") finish();
        co_return answered;
    } catch (const Error& error) {
        fail(error);
    }
}

Async<bool> ClientExchange::converse(std::string& head, std::string& body)
{
    if (!options_.expects_continue) head += std::exchange(body, {});  // one packet where one is enough
    bool sent = co_await write(head);
    if (sent && options_.expects_continue) {
        const Head heard = co_await await_continue();
        if (heard != Head::proceed) {
            spoiled_ = true;  // the server still waits for a body that does not come
            co_return heard == Head::final;
        }
        sent = co_await write(body);
    }
    if (!sent) spoiled_ = true;
    if (sent && !is_safe(options_.method)) {  // what is sent is sent, and a model may think for long
        std::string().swap(head);
        std::string().swap(body);
    }
    co_return co_await with_timeout(read_head(false), options_.patience.first_byte, "the answer") == Head::final;
}

/// False: the peer takes no more of it, because it has answered already or is gone.
Async<bool> ClientExchange::write(const std::string& bytes)
{
    sending_ = true;
    for (std::size_t at = 0; at < bytes.size();) {
        const IoResult result = connection_->stream().try_write(std::string_view(bytes).substr(at));
        if (result.state == IoState::closed || result.state == IoState::failed) {
            failure_ = connection_->stream().failure();
            co_return false;
        }
        at += result.size;
        if (result.state == IoState::done) continue;
        const IoState answer = connection_->try_fill().state;
        if (answer != IoState::wants_read && answer != IoState::wants_write) {
            connection_->waited();
            co_return false;
        }
        connection_->slim();
        co_await wait(result.state, options_.patience.idle, "sending the request");
    }
    sending_ = false;
    co_return true;
}

/// The head of the final answer is there, or the peer is gone without a word. Throws when it stopped in the middle.
Async<ClientExchange::Head> ClientExchange::read_head(bool stop_at_continue)
{
    while (true) {
        while (!parser_.has_head() && !connection_->received().empty()) {
            heard_ = true;
            const std::size_t used = parser_.next(connection_->received()).used;
            connection_->use(used);
            if (used == 0) break;
        }
        if (parser_.has_head()) {
            const int status = parser_.status();
            if (status >= 200) co_return Head::final;
            if (++interim_ > kMostInterim) throw Error(Code::upstream, "too many answers that are not final");
            parser_ = HttpResponseParser(options_.method, options_.limits);
            if (status == 100 && stop_at_continue) co_return Head::proceed;
        } else if (!co_await fill(Millis::max())) {
            if (!heard_) co_return Head::none;
            if (!failure_.empty()) throw Error(Code::upstream, failure_);
            parser_.end();
        }
    }
}

/// A server that knows nothing of it says nothing, and then the body goes all the same (RFC 9110 §10.1.1).
Async<ClientExchange::Head> ClientExchange::await_continue()
{
    try {
        co_return co_await with_timeout(read_head(true), options_.continue_time, "");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    co_return Head::proceed;
}

Async<std::optional<std::string_view>> ClientExchange::read()
{
    try {
        while (!parser_.done()) {
            if (!connection_) throw Error(Code::upstream, failure_);
            if (!connection_->received().empty()) {
                const auto [used, body] = parser_.next(connection_->received());
                connection_->use(used);
                if (!body.empty()) co_return body;
                if (used > 0) continue;
            }
            if (co_await fill(options_.patience.idle)) continue;
            spoiled_ = true;
            if (!failure_.empty()) throw Error(Code::upstream, "the answer was cut off: " + failure_);
            parser_.end();
        }
    } catch (const Error& error) {
        fail(error);
    }
    finish();
    co_return std::nullopt;
}

/// More has been received. False: the peer has closed; failure_ says so when that was not in good order.
Async<bool> ClientExchange::fill(Millis limit)
{
    while (true) {
        IoState wanted = IoState::wants_read;
        if (connection_->may_have_more()) {
            wanted = connection_->try_fill().state;
            if (wanted == IoState::done) co_return true;
            if (wanted == IoState::failed) failure_ = connection_->stream().failure();
            if (wanted == IoState::failed || wanted == IoState::closed) co_return false;
        }
        connection_->slim();
        co_await wait(wanted, limit, "the next piece of the answer");
        connection_->waited();
    }
}

Async<> ClientExchange::wait(IoState wanted, Millis limit, const char* what)
{
    const Context& outer = co_await this_context();
    Deadline deadline(outer, later(outer.loop->now(), limit));
    Async<> stirred = connection_->stream().wait(wanted);  // dies before the deadline that it runs under
    try {
        co_await std::move(stirred).under(deadline.context());
        co_return;
    } catch (const Cancelled&) {
        if (!deadline.expired() || (outer.scope && outer.scope->cancelled())) throw;
    }
    throw_timeout(what, limit);
}

/// The connection goes back to its pool if the answer has ended, or its end is here and unread; else it is closed.
void ClientExchange::finish() noexcept
{
    auto connection = std::exchange(connection_, nullptr);
    if (connection && sending_) connection->stream().abort();
    if (!connection || spoiled_ || !parser_.has_head() || !parser_.keep_alive()) return;
    try {
        for (bool filled = false; !parser_.done();) {
            const std::size_t used = connection->received().empty() ? 0 : parser_.next(connection->received()).used;
            connection->use(used);
            if (used > 0) continue;
            if (std::exchange(filled, true) || connection->try_fill().state != IoState::done) return;
        }
        if (!connection->received().empty()) return;  // it says more than it was asked
        HttpPool& pool = connection->pool();
        pool.give(std::move(connection), idle_time(parser_.headers()));
    } catch (const std::exception&) {  // malformed to the end: it is closed
    }
}

void ClientExchange::fail(const Error& error)
{
    failure_ = error.what();
    const bool sent = heard_ || (connection_ && dispatched());
    spoiled_ = true;
    finish();
    throw HttpError(error.code(), options_.peer + ": " + failure_, sent);
}

}  // namespace cadre::net
