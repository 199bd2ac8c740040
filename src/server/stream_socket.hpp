// A stream as a WebSocket: bare objects as document 004 has them, or with their numbers around them.
#pragma once

#include "base/async_fwd.hpp"
#include "net/websocket.hpp"
#include "server/stream_pass.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::server {

class Call;

/// The protocol that is spoken, for clients that offer one.
inline constexpr std::string_view kSubprotocol = "cadre.v1";

/// How a WebSocket is closed: a code of RFC 6455, or one of ours.
std::uint16_t close_code(StreamEnd end);
std::string close_reason(StreamEnd end);

/// `{"seq":7,"event":…}` or `{"after":7,"offset":120,"chunk":…}`, `seen` being the 7; `prefix` are members before those, each with its comma.
std::string envelope_of(const StreamItem& item, std::uint32_t seen, std::string_view prefix = {});

/// Answers the handshake of the call; then its head is gone.
Async<> accept_socket(Call& call, net::WebSocket& socket);
/// Answers the call with a WebSocket, until the stream ends or the client goes.
Async<> stream_socket(Call& call, StreamSource& source, bool in_envelopes);

}  // namespace cadre::server
