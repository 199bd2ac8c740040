// Connection: requests and their answers over a Transport. Ids, clocks, cancellation; what a method means is nobody's business here.
#pragma once

#include "base/async_scope.hpp"
#include "base/log.hpp"
#include "base/wait.hpp"
#include "mcp/transport.hpp"
#include "tools/tool.hpp"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cadre::mcp {

/// The server answered with an error: it has seen the request, and what came of it is known.
class ServerError : public Error {
public:
    ServerError(const std::string& text, RpcError error, int status);

    const RpcError& error() const { return error_; }
    int status() const { return status_; }  // of HTTP, or 0

private:
    RpcError error_;
    int status_;
};

/// The server has forgotten our session and has done nothing.
class SessionOver : public Error {
public:
    using Error::Error;
};

struct Progress {
    double progress = 0;
    std::optional<double> total{};
    std::string message{};
};

/// How one request is made. The server's silence is borne for `idle`, which progress begins anew, and all of it for `cap`; while the
/// server itself waits for an answer of ours, both stand still.
struct ExchangeOptions {
    Millis idle{60'000};
    Millis cap{3'600'000};
    net::HttpHeaders headers{};
    std::function<void(const Progress&)> on_progress{};  // also: a progress token is sent
    /// Answers what the server asks for the sake of this request. Runs within answer().
    std::function<Async<boost::json::object>(std::string method, boost::json::object params)> on_question{};
    bool tells_end = true;  // the server is told when nobody waits any more
};

class Connection;

/// One request under way, begun by being made. Dies before its connection; unanswered, the server is told that nobody waits.
class Exchange {
public:
    Exchange(Connection& connection, std::string method, boost::json::object params, ExchangeOptions options);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    ~Exchange();

    std::int64_t id() const { return id_; }
    const std::string& method() const { return method_; }

    /// The result. Throws ServerError, SessionOver, tools::NotDispatched, or another Error when what came of it is not known.
    Async<boost::json::object> answer();
    /// Whether there is an answer, or a failure, before `due` and before a nudge. Nobody is told when not.
    Async<bool> wait(Instant due);
    /// Whoever waits is to look whether it still wants to.
    void nudge() noexcept;

private:
    friend class Connection;
    class Ring;
    struct Question {
        Id id;
        std::string method;
        boost::json::object params;
    };

    Async<> settle();
    Async<> settle_and_answer();
    Async<> reply(Question question);
    [[noreturn]] void time_out(Millis limit);
    boost::json::object take();
    void ring() noexcept;
    void end(std::variant<boost::json::object, std::exception_ptr> outcome) noexcept;

    Connection& connection_;
    std::int64_t id_;
    std::string method_;
    ExchangeOptions options_;
    Instant begun_;
    Instant touched_;  // when the server last gave a sign of life
    Instant asked_{};  // since when it waits for us
    int asking_ = 0;
    bool nudged_ = false;
    Monotonic::duration waited_for_us_{};
    std::vector<Question> questions_;
    Ring* ring_ = nullptr;
    std::optional<std::variant<boost::json::object, std::exception_ptr>> outcome_;
};

/// What a connection does not settle by itself.
class ConnectionListener {
public:
    virtual void notified(const Notification& notification) = 0;
    /// An answer that needs no waiting; nothing: whoever's request it belongs to is asked.
    virtual std::optional<boost::json::object> answer_at_once(const Request& request) = 0;
    /// Greet it anew before the next request.
    virtual void session_over() = 0;

protected:
    ~ConnectionListener() = default;
};

/// Lives on one loop; `listener` outlives it.
class Connection {
public:
    Connection(Loop& loop, std::unique_ptr<Transport> transport, ConnectionListener& listener, std::string server,
               Log log);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    void notify(std::string method, boost::json::object params, net::HttpHeaders headers = {});
    /// A request whose answer nobody needs.
    void tell(std::string method, boost::json::object params, net::HttpHeaders headers = {});
    bool is_open() const { return !closed_; }
    Transport& transport() { return *transport_; }
    bool is_http() const { return transport_->is_http(); }
    bool tells_origin() const { return transport_->tells_origin(); }
    const std::string& server() const { return server_; }
    /// How many requests wait for an answer.
    std::size_t waiting() const { return exchanges_.size(); }
    /// In good order. What waits fails first.
    Async<> close();

    /// Giving up an answer tells the server already.
    bool abandoning_is_enough = false;
    /// How notifications about the end of requests are sent: modern servers want headers there too.
    std::function<net::HttpHeaders(const std::string& method)> headers_for{};

private:
    friend class Exchange;

    Async<> read();
    void take(Arrived arrived);
    void take(Lost lost);
    void take_response(Response response);
    void take_request(Request request, std::optional<std::int64_t> during);
    bool take_progress(const Notification& notification);
    void refuse(const Id& id, std::int64_t code, std::string text);
    Exchange* find(std::optional<std::int64_t> id);
    Exchange* whose_question(std::optional<std::int64_t> during);
    void forget(Exchange& exchange) noexcept;
    void fail_all(const std::string& why) noexcept;

    Loop& loop_;
    ConnectionListener& listener_;
    std::string server_;
    Log log_;
    std::int64_t last_id_ = 0;
    bool closed_ = false;
    std::map<std::int64_t, Exchange*> exchanges_;
    std::unique_ptr<Transport> transport_;
    AsyncScope scope_;
};

}  // namespace cadre::mcp
