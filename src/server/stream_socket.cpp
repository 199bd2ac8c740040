#include "server/stream_socket.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/race.hpp"
#include "model/write.hpp"
#include "server/call.hpp"
#include "server/service.hpp"
#include "server/streams.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::server {
namespace {

constexpr std::uint16_t kNoMessages = 1003;

class SocketOut final : public StreamOut {
public:
    SocketOut(net::WebSocket& socket, bool in_envelopes, const StreamSource& source)
        : socket_(socket), in_envelopes_(in_envelopes), told_(source.seen())
    {}

    void add(std::string& out, const StreamItem& item, const StreamSource& source) override
    {
        told_ = source.seen();
        // of several tasks, one number does not bring a client back
        if (!source.prefix().empty())
            return frame(out,
                         envelope_of(item, told_, fmt::format(R"({}"place":"{}",)", source.prefix(), source.place())));
        if (in_envelopes_) return frame(out, envelope_of(item, told_));
        const auto* event = std::get_if<FeedEventPtr>(&item);
        if (event) frame(out, (*event)->json);
        else frame(out, model::to_json_text(std::get<StreamPiece>(item).chunk));
    }
    /// Pings are signs of life enough; this is for what was passed over.
    void add_beat(std::string& out, const StreamSource& source) override
    {
        if (in_envelopes_ && source.prefix().empty() && source.seen() != told_)
            frame(out, fmt::format(R"({{"seq":{}}})", source.seen()));
        told_ = source.seen();
    }
    Async<bool> write(std::string text) override { return socket_.send(std::move(text)); }

private:
    static void frame(std::string& out, std::string_view text)
    {
        out += net::websocket_frame(net::WebSocketKind::text, text);
    }

    net::WebSocket& socket_;
    bool in_envelopes_;
    std::uint32_t told_;  // the last number
};

Async<> send_all(Service& service, net::WebSocket& socket, StreamSource& source, StreamGuard& guard, bool in_envelopes)
{
    SocketOut out(socket, in_envelopes, source);
    StreamEnd end = StreamEnd::failed;
    try {
        end = co_await pass_on(service, source, guard, out, service.streams->limits().beat);
    } catch (const std::exception& failure) {
        service.log.error("a stream has failed", {{"what", failure.what()}});
    }
    service.streams->count_end(name_of(end));
    co_await socket.close(close_code(end), close_reason(end));
}

/// Nothing is expected of the client, but its goodbye.
Async<> read_nothing(net::WebSocket& socket)
{
    if (co_await socket.read())
        co_await socket.close(kNoMessages, "this stream takes no messages; use REST to change something");
}

}  // namespace

std::uint16_t close_code(StreamEnd end)
{
    switch (end) {
    case StreamEnd::ended:
    case StreamEnd::gone: return 1000;
    case StreamEnd::drained: return 1001;
    case StreamEnd::removed: return 4404;
    case StreamEnd::signed_out: return 4401;
    case StreamEnd::forbidden: return 4403;
    case StreamEnd::failed: break;
    }
    return 1011;
}

std::string close_reason(StreamEnd end)
{
    if (end == StreamEnd::drained) return "the server is shutting down";
    return std::string(name_of(end));
}

std::string envelope_of(const StreamItem& item, std::uint32_t seen, std::string_view prefix)
{
    if (const auto* event = std::get_if<FeedEventPtr>(&item))
        return fmt::format(R"({{{}"seq":{},"event":{}}})", prefix, (*event)->number, (*event)->json);
    const auto& piece = std::get<StreamPiece>(item);
    return fmt::format(R"({{{}"after":{},"offset":{},"chunk":{}}})", prefix, seen, piece.offset,
                       model::to_json_text(piece.chunk));
}

Async<> accept_socket(Call& call, net::WebSocket& socket)
{
    const auto offer = net::websocket_offer(call.head());
    const bool offers_ours = std::ranges::find(offer.protocols, kSubprotocol) != offer.protocols.end();
    call.set_status(101);
    co_await socket.accept(offers_ours ? std::string(kSubprotocol) : "");
}

Async<> stream_socket(Call& call, StreamSource& source, bool in_envelopes)
{
    Service& service = call.service();
    StreamGuard guard(call);
    net::WebSocket socket(call.exchange());
    co_await accept_socket(call, socket);
    AsyncScope scope(co_await this_context());
    scope.spawn(socket.keep_alive(service.streams->limits().ping));
    scope.spawn(send_all(service, socket, source, guard, in_envelopes));
    co_await finally(read_nothing(socket), scope.close());
}

}  // namespace cadre::server
