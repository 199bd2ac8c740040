// One connection of an HttpServer. Only the server itself includes this.
#pragma once

#include "base/async_fwd.hpp"
#include "base/cancel.hpp"
#include "base/signal.hpp"
#include "net/http_server.hpp"
#include "net/stream.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

/// Reads ahead all the time, because that is how it notices that the client has gone. Lives in the frame of the coroutine that
/// awaits run().
class HttpConnection final : HttpExchange {
public:
    /// With an identity, the connection begins with TLS.
    HttpConnection(Stream::Socket socket, HttpHandler& handler, const HttpServerOptions& options,
                   std::shared_ptr<const TlsIdentity> identity);

    /// Until the connection is closed. Throws nothing but Cancelled.
    Async<> run();
    /// After the request under way, or at once when there is none.
    void stop() noexcept;

private:
    enum class Answer { none, begun, ended, upgraded };

    const HttpHead& head() const override;
    const std::string& peer() const override { return peer_; }
    void limit_body(std::size_t most) override { parser_->limit_body(most); }
    Async<std::optional<std::string_view>> read() override;
    Async<> reply(HttpAnswer answer) override;
    Async<> begin(int status, HttpHeaders headers) override;
    Async<> write(std::string piece) override;
    Async<> end() override;
    bool answered() const override { return answer_ != Answer::none; }
    void cut() noexcept override;
    Async<> upgrade(HttpHeaders headers) override;

    Async<bool> begin_tls();
    Async<> converse();
    Async<> pump();
    Async<> serve();
    Async<bool> read_head();
    Async<> answer_request();
    Async<> handle_under_scope();
    Async<> answer_failure(std::exception_ptr failure);
    HttpAnswer refusal(const std::exception_ptr& failure);
    HttpAnswer form(HttpFailure why, const Error& error);
    std::string report(const std::exception_ptr& failure) const;
    Async<> skip_rest_of_body();
    Async<> linger();
    /// False: nothing more will come.
    Async<bool> more();
    bool feed();
    Async<> send(std::string text);
    std::size_t send_some(std::string_view text);
    Async<> send_rest(std::string text, std::size_t sent);
    [[noreturn]] void client_gone();
    HttpHeadText how(HttpFraming framing, std::size_t length = 0);
    bool is_head_request() const { return head().method == "HEAD"; }

    std::string peer_;
    Stream stream_;
    HttpHandler& handler_;
    const HttpServerOptions& options_;
    std::shared_ptr<const TlsIdentity> identity_;  // until the handshake is over
    std::string received_;                         // and not understood yet
    std::string piece_;                            // what read() gave last
    std::optional<HttpRequestParser> parser_;      // of this request; none once the connection is upgraded
    CancelScope* under_way_ = nullptr;             // of the request that is being handled
    Signal arrived_;                               // bytes, the end, or the wish to stop
    Signal drained_;
    Answer answer_ = Answer::none;
    HttpFraming framing_ = HttpFraming::none;
    std::size_t sent_ = 0;     // since others had their turn
    bool first_ = true;        // request of this connection
    bool understood_ = false;  // its head, as a whole
    bool gone_ = false;        // nothing more will come
    bool keep_ = true;         // the connection, after this answer
    bool stopping_ = false;
    bool idle_ = false;      // no byte of the next request has come
    bool continue_ = false;  // the client waits for it
    bool lingers_ = false;   // the client may still be sending what nobody reads
};

}  // namespace cadre::net
