// MCP over streamable HTTP: a POST for each message, answered at once or with a stream of events. Both eras; the older one has
// sessions, a stream for what belongs to no request, and streams that can be taken up again.
#pragma once

#include "base/async_scope.hpp"
#include "base/channel.hpp"
#include "base/log.hpp"
#include "base/signal.hpp"
#include "mcp/transport.hpp"

#include <map>
#include <memory>
#include <string>

namespace cadre::net {
class SseDecoder;
}

namespace cadre::mcp {

struct HttpPlace {
    std::string url{};
    net::HttpHeaders headers{};  // the operator's own, with every request
};

/// `http` outlives it.
class HttpTransport final : public Transport {
public:
    HttpTransport(Loop& loop, net::Http& http, HttpPlace place, Log log, MessageLimits limits = {});
    ~HttpTransport() override;

    void send(Outgoing message) override;
    bool abandon(std::int64_t id) noexcept override;
    Async<std::optional<Incoming>> receive() override;
    std::string end() const override { return "was closed"; }
    Async<> close() override;
    void established(Era era, const std::string& version) override;
    bool is_http() const override { return true; }
    bool tells_origin() const override { return true; }

private:
    struct Resume {
        std::string last_id{};
        std::optional<Millis> retry{};
    };

    Async<> post(Outgoing message, std::int64_t id);
    Async<> take_reply(std::unique_ptr<net::HttpReply> reply, std::int64_t id, std::string session);
    Async<> take_stream(std::unique_ptr<net::HttpReply> reply, std::int64_t id);
    Async<bool> take_events(net::HttpReply& reply, std::int64_t id, Resume& resume);
    Async<bool> take_text(std::string_view text, std::int64_t id);
    Async<Lost> refusal(net::HttpReply& reply, std::int64_t id, const std::string& session);
    Async<> listen();
    net::HttpRequest request(std::string method) const;

    Loop& loop_;
    net::Http& http_;
    HttpPlace place_;
    Log log_;
    MessageLimits limits_;
    std::string session_;
    std::string version_;
    Era era_ = Era::legacy;
    bool greeting_ = false;  // the server is being told that it was greeted; requests come after that
    Signal settled_;
    Channel<Incoming> inbox_;
    std::map<std::int64_t, std::unique_ptr<AsyncScope>> posts_;  // a scope each, so that one can be given up
    std::unique_ptr<AsyncScope> stream_;
    AsyncScope scope_;
};

/// What an answer that is none says to the operator.
std::string refusal_text(int status);
/// The beginning of a body; that it breaks off changes nothing.
Async<std::string> read_some(net::HttpReply& reply, std::size_t most);

}  // namespace cadre::mcp
