// Transport: carries messages to one MCP server and back, over whatever it is.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/protocol.hpp"
#include "net/http.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace cadre::mcp {

struct Outgoing {
    Message message{};
    net::HttpHeaders headers{};  // for those who have headers
};

/// A message of the server's, and the request in whose answer it came, where that can be told.
struct Arrived {
    Message message{};
    std::optional<std::int64_t> during{};
};

/// A request of ours that gets no answer, though the connection as a whole may well live.
struct Lost {
    std::int64_t id = 0;  // 0: none in particular; the session is over
    Code code = Code::upstream;
    std::string text{};
    bool dispatched = true;     // false: surely not a byte of it has left
    int status = 0;             // of HTTP, when that is what went wrong
    bool session_over = false;  // the server has forgotten us, and has done nothing: greet it anew, ask again
    std::optional<RpcError> error{};
};

using Incoming = std::variant<Arrived, Lost>;
/// Messages that may wait to be received.
inline constexpr std::size_t kInbox = 1024;

/// Lives on one loop. At most one coroutine receives.
class Transport {
public:
    virtual ~Transport() = default;

    /// Never waits; in order. What becomes of it is received. Ids of our requests are integers above 0.
    virtual void send(Outgoing message) = 0;
    /// Nobody waits for that answer any more. True when surely not a byte of the request has left.
    virtual bool abandon(std::int64_t id) noexcept = 0;
    /// Nothing when the connection is closed, for ever; then end() says why. Throws no Error.
    virtual Async<std::optional<Incoming>> receive() = 0;
    /// "ended with exit code 1"
    virtual std::string end() const = 0;
    /// In good order: the server is told. Afterwards only destroyed.
    virtual Async<> close() = 0;

    /// The server is greeted: this is how it speaks.
    virtual void established(Era, const std::string& /*version*/) {}
    /// Headers matter, and giving up an answer tells a modern server to stop.
    virtual bool is_http() const { return false; }
    /// Whether requests of the server's say in whose answer they came.
    virtual bool tells_origin() const { return false; }
};

}  // namespace cadre::mcp
