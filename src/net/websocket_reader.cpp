#include "base/utf8.hpp"
#include "net/websocket.hpp"

#include <wslay/wslay.h>

#include <algorithm>
#include <list>
#include <new>
#include <utility>

namespace cadre::net {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestReason = 123;  // a control frame carries 125 bytes, and the code takes two

bool is_utf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

/// Codes that may stand in a frame (RFC 6455 §7.4, and what has been registered since).
bool may_be_sent(std::uint16_t code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

std::string frame_text(unsigned opcode, std::string_view payload)
{
    std::string out;
    out.reserve(payload.size() + 10);
    out += static_cast<char>(0x80u | opcode);  // whole
    const std::size_t size = payload.size();
    const int bytes = size < 126 ? 0 : size < 65'536 ? 2 : 8;
    out += static_cast<char>(bytes == 0 ? size : bytes == 2 ? 126 : 127);
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 0xFF);
    out += payload;
    return out;
}

std::size_t head_size(const wslay_frame_iocb& frame)
{
    const std::size_t length = frame.payload_length < 126 ? 0 : frame.payload_length < 65'536 ? 2 : 8;
    return 2 + length + (frame.mask ? 4 : 0);
}

struct FramesFreeing {
    void operator()(wslay_frame_context* frames) const { ::wslay_frame_context_free(frames); }
};

}  // namespace

std::string websocket_frame(WebSocketKind kind, std::string_view data)
{
    return frame_text(kind == WebSocketKind::text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, data);
}

std::string websocket_ping(std::string_view data)
{
    return frame_text(WSLAY_PING, data.substr(0, 125));
}

std::string websocket_close(std::uint16_t code, std::string_view reason)
{
    std::string payload{static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)};
    payload += utf8_prefix(reason, kLongestReason);
    return frame_text(WSLAY_CONNECTION_CLOSE, payload);
}

/// wslay reads the frames, of which it has one at a time; what they mean together is decided here. Its own layer for that judges some
/// closes by how they are split, and answers broken frames without a code.
struct WebSocketReader::Impl {
    explicit Impl(const WebSocketLimits& l) : limits(l) {}

    void read(std::string_view bytes)
    {
        rest = bytes;
        if (!frames) begin_frames();
        while (!end) {
            wslay_frame_iocb part{};
            const ssize_t result = ::wslay_frame_recv(frames.get(), &part);
            if (result == WSLAY_ERR_WANT_READ) break;
            if (result < 0) fail(WSLAY_CODE_PROTOCOL_ERROR, "a frame is malformed");
            else take(part);
        }
        if (end || (received == used && !in_frame)) frames.reset();  // an idle conversation costs no buffer
    }
    void begin_frames()
    {
        const wslay_frame_callbacks callbacks{nullptr, give, nullptr};
        wslay_frame_context_ptr made = nullptr;
        if (::wslay_frame_context_init(&made, &callbacks, this) != 0) throw std::bad_alloc();
        frames.reset(made);
        received = used = 0;
    }
    static ssize_t give(std::uint8_t* to, std::size_t size, int, void* self)
    {
        Impl& me = *static_cast<Impl*>(self);
        const std::size_t count = std::min(size, me.rest.size());
        std::copy_n(me.rest.data(), count, reinterpret_cast<char*>(to));
        me.rest.remove_prefix(count);
        me.received += count;
        return count > 0 ? static_cast<ssize_t>(count) : -1;
    }

    /// A piece of a frame; often all of it.
    void take(const wslay_frame_iocb& part)
    {
        const bool control = wslay_is_ctrl_frame(part.opcode);
        if (!in_frame) {
            if (!(control ? control_may_begin(part) : data_may_begin(part))) return;
            in_frame = true;
            left = part.payload_length;
            used += head_size(part);
        }
        (control ? control_data : message.data).append(reinterpret_cast<const char*>(part.data), part.data_length);
        used += part.data_length;
        left -= part.data_length;
        if (left > 0) return;
        in_frame = false;
        if (control) control_came(part.opcode);
        else if (part.fin) message_came();
    }

    bool may_begin(const wslay_frame_iocb& frame)
    {
        if (frame.rsv != 0) return fail(WSLAY_CODE_PROTOCOL_ERROR, "a reserved bit is set");
        if (!frame.mask) return fail(WSLAY_CODE_PROTOCOL_ERROR, "a frame is not masked");
        return true;
    }
    bool control_may_begin(const wslay_frame_iocb& frame)
    {
        if (!may_begin(frame)) return false;
        if (frame.opcode > WSLAY_PONG) return fail(WSLAY_CODE_PROTOCOL_ERROR, "an opcode is unknown");
        if (now - second >= 1s) {
            second = now;
            controls = 0;
        }
        if (++controls > limits.controls)
            return fail(WSLAY_CODE_POLICY_VIOLATION, "too many control frames in a second");
        control_data.clear();
        return true;
    }
    bool data_may_begin(const wslay_frame_iocb& frame)
    {
        if (!may_begin(frame)) return false;
        if (frame.opcode > WSLAY_BINARY_FRAME) return fail(WSLAY_CODE_PROTOCOL_ERROR, "an opcode is unknown");
        const bool continues = frame.opcode == WSLAY_CONTINUATION_FRAME;
        if (continues && fragments == 0) return fail(WSLAY_CODE_PROTOCOL_ERROR, "there is no message to continue");
        if (!continues && fragments > 0) return fail(WSLAY_CODE_PROTOCOL_ERROR, "a message has not ended yet");
        if (frame.payload_length > limits.frame) return fail(WSLAY_CODE_MESSAGE_TOO_BIG, "a frame is too large");
        if (message.data.size() + frame.payload_length > limits.message)
            return fail(WSLAY_CODE_MESSAGE_TOO_BIG, "a message is too large");
        if (++fragments > limits.fragments)
            return fail(WSLAY_CODE_POLICY_VIOLATION, "a message has too many fragments");
        if (!continues) message.kind = frame.opcode == WSLAY_TEXT_FRAME ? WebSocketKind::text : WebSocketKind::binary;
        return true;
    }

    bool message_came()
    {
        fragments = 0;
        if (message.kind == WebSocketKind::text && !is_utf8(message.data))
            return fail(WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA, "a text is not UTF-8");
        messages.push_back(std::exchange(message, {}));
        return true;
    }
    bool control_came(unsigned opcode)
    {
        if (opcode == WSLAY_PING) replies += frame_text(WSLAY_PONG, control_data);
        return opcode != WSLAY_CONNECTION_CLOSE || close_came();
    }
    bool close_came()
    {
        WebSocketEnd said;
        if (control_data.size() == 1) return fail(WSLAY_CODE_PROTOCOL_ERROR, "half a code is none");
        if (control_data.size() >= 2) {
            said.code = static_cast<std::uint16_t>(static_cast<unsigned char>(control_data[0]) << 8 |
                                                   static_cast<unsigned char>(control_data[1]));
            said.reason = control_data.substr(2);
            if (!may_be_sent(said.code)) return fail(WSLAY_CODE_PROTOCOL_ERROR, "this code is never sent");
            if (!is_utf8(said.reason)) return fail(WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA, "a reason is not UTF-8");
        }
        replies += frame_text(WSLAY_CONNECTION_CLOSE, std::string_view(control_data).substr(0, 2));
        end = std::move(said);
        return true;
    }
    /// False, for those who return it.
    bool fail(std::uint16_t code, std::string reason)
    {
        replies += websocket_close(code, reason);
        message = {};
        end = WebSocketEnd{.code = code, .reason = std::move(reason)};
        return false;
    }

    WebSocketLimits limits;
    std::unique_ptr<wslay_frame_context, FramesFreeing> frames;  // only while there is something that is not whole
    std::string_view rest;                                       // of what is being fed
    std::size_t received = 0, used = 0;  // bytes that the frames have got, and those of what came out of them
    bool in_frame = false;
    std::uint64_t left = 0;  // bytes of the frame
    std::string control_data;
    WebSocketMessage message;  // so far
    std::size_t fragments = 0;
    std::size_t controls = 0;  // since `second`
    Instant second{};
    Instant now{};
    std::list<WebSocketMessage> messages;
    std::string replies;
    std::optional<WebSocketEnd> end;
};

WebSocketReader::WebSocketReader(const WebSocketLimits& limits) : impl_(std::make_unique<Impl>(limits))
{}
WebSocketReader::WebSocketReader(WebSocketReader&&) noexcept = default;
WebSocketReader& WebSocketReader::operator=(WebSocketReader&&) noexcept = default;
WebSocketReader::~WebSocketReader() = default;

void WebSocketReader::feed(std::string_view bytes, Instant now)
{
    impl_->now = now;
    if (!impl_->end && !bytes.empty()) impl_->read(bytes);
}

std::optional<WebSocketMessage> WebSocketReader::next()
{
    if (impl_->messages.empty()) return std::nullopt;
    WebSocketMessage first = std::move(impl_->messages.front());
    impl_->messages.pop_front();
    return first;
}

std::string WebSocketReader::take_replies()
{
    return std::exchange(impl_->replies, {});
}

const std::optional<WebSocketEnd>& WebSocketReader::end() const
{
    return impl_->end;
}

}  // namespace cadre::net
