#include "net/http_connection.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/id.hpp"
#include "base/timeout.hpp"
#include "net/endpoint_text.hpp"

#include <array>
#include <exception>
#include <utility>

namespace cadre::net {
namespace {

constexpr std::size_t kAhead = 64 << 10;         // bytes that are read before anybody wants them
constexpr std::size_t kTurn = 256 << 10;         // bytes that are sent before others have their turn
constexpr std::size_t kMostSkipped = 256 << 10;  // of a body that nobody read, to keep the connection
constexpr Millis kLinger{1000};

/// Where bytes arrive before they are appended to those of their connection: an idle one costs no buffer.
thread_local std::array<char, kAhead> landing;

std::string name_of(const Stream::Socket& socket)
{
    boost::system::error_code error;
    const auto end = socket.remote_endpoint(error);
    return error ? "?" : text_of(end);
}

}  // namespace

HttpConnection::HttpConnection(Stream::Socket socket, HttpHandler& handler, const HttpServerOptions& options,
                               std::shared_ptr<const TlsIdentity> identity)
    : peer_(name_of(socket)),
      stream_(std::move(socket)),
      handler_(handler),
      options_(options),
      identity_(std::move(identity))
{}

Async<> HttpConnection::run()
{
    if (!identity_ || co_await begin_tls()) co_await converse();
    stream_.end();
    stream_.shut_down();
}

/// Who cannot agree with us on TLS has heard so from OpenSSL; we have nothing to add.
Async<bool> HttpConnection::begin_tls()
{
    const std::shared_ptr<const TlsIdentity> identity = std::move(identity_);
    try {
        co_await with_timeout(stream_.accept_tls(*identity), options_.patience.head, "the TLS handshake");
    } catch (const Error&) {
        co_return false;
    }
    co_return true;
}

const HttpHead& HttpConnection::head() const
{
    static const HttpHead none{};
    return parser_ ? parser_->head() : none;
}

Async<> HttpConnection::converse()
{
    AsyncScope reading(co_await this_context());
    reading.spawn(pump());
    std::exception_ptr failure;
    try {
        co_await serve();
        if (lingers_ && !gone_) co_await linger();
    } catch (...) {
        failure = std::current_exception();  // only that of a server that is closed at once
    }
    co_await reading.close();
    if (failure) std::rethrow_exception(failure);
}

void HttpConnection::stop() noexcept
{
    stopping_ = true;
    arrived_.notify();
}

Async<> HttpConnection::pump()
{
    IoState wanted = IoState::wants_read;
    while (true) {
        while (received_.size() >= kAhead) co_await drained_.wait();
        co_await stream_.wait(wanted);
        const IoResult result = stream_.try_read(landing.data(), landing.size());
        if (result.state == IoState::closed || result.state == IoState::failed) break;
        wanted = result.state == IoState::wants_write ? IoState::wants_write : IoState::wants_read;
        if (result.state != IoState::done) continue;
        received_.append(landing.data(), result.size);
        arrived_.notify();
    }
    gone_ = true;
    arrived_.notify();
    if (under_way_ && answer_ != Answer::upgraded) under_way_->cancel();
}

Async<> HttpConnection::serve()
{
    while (keep_ && !(gone_ && received_.empty())) {
        parser_.emplace(options_.limits);
        understood_ = false;
        answer_ = Answer::none;
        std::exception_ptr refusal;
        try {
            if (!co_await read_head()) co_return;
        } catch (const HttpRefusal&) {
            refusal = std::current_exception();
        }
        first_ = false;
        if (refusal) {
            keep_ = false;
            lingers_ = true;
            co_await answer_failure(refusal);
            co_return;
        }
        co_await answer_request();
    }
}

/// False: there is no further request.
Async<bool> HttpConnection::read_head()
{
    const auto& patience = options_.patience;
    try {
        idle_ = true;
        while (received_.empty()) {
            if (stopping_) co_return false;
            if (!co_await with_timeout(more(), first_ ? patience.head : patience.idle, "idle")) co_return false;
        }
        idle_ = false;
    } catch (const Error&) {
        co_return false;  // who has said nothing needs no answer
    }
    const Context& outer = co_await this_context();
    const Instant due = later(outer.loop->now(), patience.head);
    while (!feed()) {
        const auto left = std::chrono::ceil<Millis>(due - outer.loop->now());
        bool late = false;
        try {
            if (!co_await with_timeout(more(), left, "head")) co_return false;
        } catch (const Error&) {
            late = true;
        }
        if (late)
            throw HttpRefusal(408, Code::timeout, "the request's head did not come within " + to_text(patience.head));
    }
    understood_ = true;
    keep_ = parser_->keep_alive();
    continue_ = parser_->expects_continue() && !parser_->done();
    co_return true;
}

/// True when the head is there.
bool HttpConnection::feed()
{
    const std::size_t used = parser_->feed(received_);
    received_.erase(0, used);
    if (used > 0) drained_.notify();
    return parser_->has_head();
}

Async<bool> HttpConnection::more()
{
    if (gone_) co_return false;
    const std::size_t before = received_.size();
    while (!gone_ && received_.size() == before && !(idle_ && stopping_)) co_await arrived_.wait();
    co_return received_.size() > before || !gone_;
}

Async<> HttpConnection::answer_request()
{
    std::exception_ptr failure;
    try {
        co_await handle_under_scope();
        if (answer_ == Answer::begun) co_await end();
        if (answer_ == Answer::none) throw Error(Code::internal, "the handler gave no answer");
    } catch (const Cancelled&) {
        keep_ = false;  // the client is gone, or the whole server is cancelled, which the next wait says
        co_return;
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) co_await answer_failure(failure);
    if (answer_ == Answer::upgraded) {
        keep_ = false;
        lingers_ = true;
        co_return;
    }
    if (keep_ && !parser_->done()) co_await skip_rest_of_body();
    if (!keep_ && !parser_->done()) lingers_ = true;
}

/// So that the handler alone is cancelled when the client goes.
Async<> HttpConnection::handle_under_scope()
{
    struct UnderWay {
        UnderWay(CancelScope*& p, CancelScope& scope) : place(p) { place = &scope; }
        ~UnderWay() { place = nullptr; }
        CancelScope*& place;
    };
    const Context& outer = co_await this_context();
    CancelScope scope(outer.scope);
    const Context inner{outer.loop, &scope, outer.deadline};
    const UnderWay under_way(under_way_, scope);
    if (gone_) scope.cancel();
    Async<> work = handler_.handle(*this);
    co_await std::move(work).under(inner);
}

/// What is no Error is a bug, told to the log under this id.
std::string HttpConnection::report(const std::exception_ptr& failure) const
{
    const std::string id = to_string(new_id());
    try {
        std::rethrow_exception(failure);
    } catch (const Error&) {
    } catch (const std::exception& bug) {
        if (options_.log) options_.log->error("internal error", {{"id", id}, {"what", bug.what()}});
    } catch (...) {}
    return id;
}

HttpAnswer HttpConnection::refusal(const std::exception_ptr& failure)
{
    HttpFailure why{.head = understood_ ? &parser_->head() : nullptr};
    try {
        std::rethrow_exception(failure);
    } catch (const HttpRefusal& refused) {
        if (!parser_->done()) keep_ = false;
        why.status = refused.status();
        HttpAnswer answer = form(why, refused);
        answer.headers.insert(answer.headers.end(), refused.headers().begin(), refused.headers().end());
        return answer;
    } catch (const Error& error) {
        why.status = surface(error.code()).http;
        return form(why, error);
    } catch (...) {}
    why.text = "internal error " + report(failure);
    return handler_.failure(why);
}

HttpAnswer HttpConnection::form(HttpFailure why, const Error& error)
{
    why.code = error.code();
    why.text = error.what();
    why.error = &error;
    return handler_.failure(why);
}

/// What a handler, or the parser, threw becomes the answer, if there is none yet.
Async<> HttpConnection::answer_failure(std::exception_ptr failure)
{
    if (answer_ != Answer::none) {
        report(failure);
        cut();
        co_return;
    }
    HttpAnswer answer = refusal(failure);
    try {
        co_await reply(std::move(answer));
    } catch (const Cancelled&) {
        keep_ = false;
    }
}

Async<> HttpConnection::skip_rest_of_body()
{
    std::size_t skipped = 0;
    try {
        while (const auto piece = co_await read()) {
            skipped += piece->size();
            if (skipped > kMostSkipped) break;
        }
    } catch (const HttpRefusal&) {
    } catch (const Cancelled&) {
        keep_ = false;
        co_return;
    }
    if (!parser_->done()) keep_ = false;
}

/// Closing a connection on which something arrives unread would destroy the answer before the client has read it.
Async<> HttpConnection::linger()
{
    stream_.end();
    const Context& context = co_await this_context();
    const Instant due = later(context.loop->now(), kLinger);
    try {
        while (true) {
            received_.clear();
            drained_.notify();
            const auto left = std::chrono::ceil<Millis>(due - context.loop->now());
            if (!co_await with_timeout(more(), left, "linger")) break;
        }
    } catch (const Error&) {}
}

Async<std::optional<std::string_view>> HttpConnection::read()
{
    piece_.clear();
    if (answer_ == Answer::upgraded) {
        if (received_.empty() && !co_await more()) co_return std::nullopt;
        piece_.swap(received_);
        drained_.notify();
        co_return piece_;
    }
    if (continue_ && answer_ == Answer::none && received_.empty()) {
        feed();  // a body that is too large is refused before it is asked for
        co_await send("HTTP/1.1 100 Continue\r\n\r\n");
    }
    continue_ = false;
    while (!parser_->done()) {
        feed();
        piece_ = parser_->take_body();
        if (!piece_.empty()) co_return piece_;
        if (parser_->done()) break;
        bool late = false, came = false;
        try {
            came = co_await with_timeout(more(), options_.patience.body, "body");
        } catch (const Error&) {
            late = true;
        }
        if (late)
            throw HttpRefusal(408, Code::timeout,
                              "nothing of the request's body came for " + to_text(options_.patience.body));
        if (!came) client_gone();
    }
    co_return std::nullopt;
}

HttpHeadText HttpConnection::how(HttpFraming framing, std::size_t length)
{
    // who was not told to go on may send the body or not
    if (stopping_ || (continue_ && !parser_->done())) keep_ = false;
    if (framing == HttpFraming::end) keep_ = false;
    const bool has_head = parser_->has_head();
    return {.framing = framing,
            .length = length,
            .keep_alive = keep_,
            .minor = has_head ? head().minor : 1,
            .now = system_clock().now()};
}

Async<> HttpConnection::reply(HttpAnswer answer)
{
    if (answer_ != Answer::none) throw Error(Code::internal, "a request is answered once");
    const bool with_body = has_body(answer.status);
    std::string text = head_text(answer.status, answer.headers,
                                 how(with_body ? HttpFraming::length : HttpFraming::none, answer.body.size()));
    answer_ = Answer::ended;
    if (with_body && !(parser_->has_head() && is_head_request())) text += answer.body;
    co_await send(std::move(text));
}

Async<> HttpConnection::begin(int status, HttpHeaders headers)
{
    if (answer_ != Answer::none) throw Error(Code::internal, "a request is answered once");
    framing_ = !has_body(status) ? HttpFraming::none : head().minor == 0 ? HttpFraming::end : HttpFraming::chunks;
    std::string text = head_text(status, headers, how(framing_));
    answer_ = Answer::begun;
    if (is_head_request()) framing_ = HttpFraming::none;
    co_await send(std::move(text));
}

Async<> HttpConnection::write(std::string piece)
{
    if (answer_ != Answer::begun && answer_ != Answer::upgraded)
        throw Error(Code::internal, "a piece of an answer that has not begun, or has ended");
    if (piece.empty() || framing_ == HttpFraming::none) co_return;
    co_await send(framing_ == HttpFraming::chunks ? chunk_text(piece) : std::move(piece));
}

Async<> HttpConnection::end()
{
    if (answer_ != Answer::begun) co_return;
    answer_ = Answer::ended;
    if (framing_ == HttpFraming::chunks) co_await send(std::string(kLastChunk));
}

void HttpConnection::cut() noexcept
{
    if (answer_ != Answer::upgraded) answer_ = Answer::ended;
    keep_ = false;
    stream_.shut_down();
}

Async<> HttpConnection::upgrade(HttpHeaders headers)
{
    if (answer_ != Answer::none) throw Error(Code::internal, "a request is answered once");
    std::string text = head_text(101, headers, how(HttpFraming::none));
    answer_ = Answer::upgraded;
    framing_ = HttpFraming::end;
    parser_.reset();
    co_await send(std::move(text));
}

/// What the system takes at once, it gets at once, without a timer.
Async<> HttpConnection::send(std::string text)
{
    const std::size_t sent = send_some(text);
    sent_ += sent;
    if (sent < text.size()) co_await send_rest(std::move(text), sent);
    if (sent_ < kTurn) co_return;
    sent_ = 0;
    co_await yield();
}

/// How much the system takes now; TLS takes a record at a time.
std::size_t HttpConnection::send_some(std::string_view text)
{
    std::size_t sent = 0;
    while (sent < text.size()) {
        const IoResult result = stream_.try_write(text.substr(sent));
        if (result.state == IoState::closed || result.state == IoState::failed) client_gone();
        if (result.state != IoState::done) break;
        sent += result.size;
    }
    return sent;
}

Async<> HttpConnection::send_rest(std::string text, std::size_t sent)
{
    while (sent < text.size()) {
        bool late = false;
        try {
            co_await with_timeout(stream_.wait(IoState::wants_write), options_.patience.write, "write");
        } catch (const Error&) {
            late = true;
        }
        if (late) client_gone();
        sent += send_some(std::string_view(text).substr(sent));
    }
}

void HttpConnection::client_gone()
{
    cut();
    throw Cancelled{};
}

}  // namespace cadre::net
