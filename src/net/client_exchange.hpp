// One request over one connection, and its answer.
#pragma once

#include "net/http.hpp"
#include "net/http_pool.hpp"
#include "net/http_response.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cadre::net {

struct ClientExchangeOptions {
    std::string peer{};  // what errors call the other side
    std::string method{};
    HttpResponseLimits limits{};
    HttpPatience patience{};
    bool expects_continue = false;
    Millis continue_time{};
};

/// A reply once it has been asked for. When its end has come, the connection goes back to its pool.
class ClientExchange final : public HttpReply {
public:
    ClientExchange(std::unique_ptr<PooledConnection> connection, ClientExchangeOptions options);
    ~ClientExchange() override;

    /// Sends head and body and reads the head of the answer. False: the peer has closed, and not a byte of an answer had come.
    /// Throws HttpError. The texts are emptied when they cannot be needed again.
    Async<bool> ask(std::string& head, std::string& body);
    /// The system has taken a byte of the request for sending.
    bool dispatched() const { return connection_->stream().sent() > sent_before_; }
    /// After ask() was false: how it ended.
    const std::string& failure() const { return failure_; }
    /// The connection, for another use.
    std::unique_ptr<PooledConnection> take_connection() { return std::move(connection_); }

    int status() const override { return parser_.status(); }
    const HttpHeaders& headers() const override { return parser_.headers(); }
    Async<std::optional<std::string_view>> read() override;

private:
    enum class Head { none, proceed, final };

    Async<bool> converse(std::string& head, std::string& body);
    Async<bool> write(const std::string& bytes);
    Async<Head> read_head(bool stop_at_continue);
    Async<Head> await_continue();
    Async<bool> fill(Millis limit);
    Async<> wait(IoState wanted, Millis limit, const char* what);
    void finish() noexcept;
    [[noreturn]] void fail(const Error& error);

    std::unique_ptr<PooledConnection> connection_;  // null when there is nothing more to come
    ClientExchangeOptions options_;
    HttpResponseParser parser_;
    std::uint64_t sent_before_;
    std::string failure_;   // why nothing more can be read or written
    int interim_ = 0;       // answers before the final one
    bool heard_ = false;    // a byte of an answer
    bool sending_ = false;  // a part of the request is not sent
    bool spoiled_;          // the connection cannot be used again
};

}  // namespace cadre::net
