// WebSocket (RFC 6455), the server's side: the handshake, frames without sockets, and a conversation over an upgraded exchange.
// docs/decisions/0020-websocket.md says what is wslay's and what is ours.
#pragma once

#include "base/async_fwd.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "net/http_server.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::net {

struct WebSocketLimits {
    std::size_t frame = 64 << 10;   // bytes that a frame carries
    std::size_t message = 1 << 20;  // bytes of all fragments of a message
    std::size_t fragments = 64;
    std::size_t controls = 20;  // pings, pongs and closes in a second
};

enum class WebSocketKind { text, binary };

struct WebSocketMessage {
    WebSocketKind kind = WebSocketKind::text;
    std::string data{};  // a text is UTF-8

    bool operator==(const WebSocketMessage&) const = default;
};

struct WebSocketEnd {
    std::uint16_t code = 1005;  // 1005: the client said none; 1006: it went without a word
    std::string reason{};

    bool operator==(const WebSocketEnd&) const = default;
};

/// What a request for a WebSocket offers.
struct WebSocketOffer {
    std::string key{};
    std::vector<std::string> protocols{};  // in the client's order
};
/// Whether the request wants to become a WebSocket at all.
bool wants_websocket(const HttpHead& head);
/// Throws HttpRefusal: 426 for one that does not want to, or wants another version, 400 for a handshake that is wrong.
WebSocketOffer websocket_offer(const HttpHead& head);
/// Sec-WebSocket-Accept of a key.
std::string websocket_accept(std::string_view key);

/// A message as one frame, unmasked as servers send them.
std::string websocket_frame(WebSocketKind kind, std::string_view data);
std::string websocket_ping(std::string_view data = {});
/// The reason is cut to the 123 bytes that fit.
std::string websocket_close(std::uint16_t code, std::string_view reason = {});

/// Messages out of a client's bytes, however they are split. It answers pings and closes, and closes what breaks a rule: what to
/// send is in replies(). Between messages it holds no buffer.
class WebSocketReader {
public:
    explicit WebSocketReader(const WebSocketLimits& limits = {});
    WebSocketReader(WebSocketReader&&) noexcept;
    WebSocketReader& operator=(WebSocketReader&&) noexcept;
    ~WebSocketReader();

    void feed(std::string_view bytes, Instant now);
    /// The next message; nothing when it is not whole yet, or none will come.
    std::optional<WebSocketMessage> next();
    /// Frames that have to be sent, since this was asked last.
    std::string take_replies();
    /// How it ended: by the client's close, or by ours, which is among the replies. What is fed after it is dropped.
    const std::optional<WebSocketEnd>& end() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// One conversation, in the handler of an exchange, which outlives it. One coroutine reads; any others send. Lives on its loop.
class WebSocket {
public:
    explicit WebSocket(HttpExchange& exchange, const WebSocketLimits& limits = {});
    WebSocket(const WebSocket&) = delete;
    WebSocket& operator=(const WebSocket&) = delete;

    /// Answers the handshake; `protocol` is one that the client offered, or none. Throws HttpRefusal.
    Async<> accept(std::string protocol = {});

    /// The next message; nothing when the conversation is over, and end() says how.
    Async<std::optional<WebSocketMessage>> read();
    /// Whole frames, as websocket_frame() makes them. False: it is over, or about to be.
    Async<bool> send(std::string frames);
    /// Says that it is over and waits, not for long, until the client has agreed. Whoever reads meanwhile gets nothing more.
    Async<> close(std::uint16_t code, std::string reason = {});
    /// Pings every so often, and cuts off a client of whom two pings in a row brought no sign of life. Until it is over; somebody
    /// must be reading.
    Async<> keep_alive(Millis every);

    const WebSocketEnd& end() const { return end_; }

private:
    Async<> write(std::string frames);
    Async<> until_over();

    HttpExchange& exchange_;
    WebSocketReader reader_;
    WebSocketEnd end_{.code = 1006, .reason = {}};
    Signal changed_;        // a write or the conversation has ended
    bool reading_ = false;  // somebody does
    bool writing_ = false;
    bool closing_ = false;  // our close frame has gone out: nothing may follow it
    bool over_ = false;
    bool heard_ = false;  // something, since the last ping
};

}  // namespace cadre::net
