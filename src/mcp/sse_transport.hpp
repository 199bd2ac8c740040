// MCP over HTTP+SSE, as of 2024-11-05: one stream of events that says where to post to, and on which all answers come.
#pragma once

#include "mcp/http_transport.hpp"

#include <deque>

namespace cadre::mcp {

/// `http` outlives it.
class SseTransport final : public Transport {
public:
    SseTransport(Loop& loop, net::Http& http, HttpPlace place, Log log, MessageLimits limits = {});
    ~SseTransport() override;

    void send(Outgoing message) override;
    bool abandon(std::int64_t id) noexcept override;
    Async<std::optional<Incoming>> receive() override;
    std::string end() const override { return end_; }
    Async<> close() override;

private:
    Async<> read();
    Async<> read_events();
    Async<> take_event(std::string type, std::string data);
    Async<> post();

    net::Http& http_;
    HttpPlace place_;
    Log log_;
    MessageLimits limits_;
    std::string endpoint_;  // empty until the server has said it
    std::string end_ = "has ended";
    bool ended_ = false;
    bool posting_ = false;
    std::deque<Outgoing> outbox_;
    Channel<Incoming> inbox_;
    AsyncScope scope_;
};

/// Where to post to, out of what the server says and where its stream is. Only places of the same origin; throws Error(forbidden).
std::string endpoint_url(const std::string& stream_url, std::string_view said);

}  // namespace cadre::mcp
