#include "net/websocket.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "base/base64.hpp"
#include "base/timeout.hpp"
#include "base/trim.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>
#include <utility>

namespace cadre::net {
namespace {

constexpr std::string_view kVersion = "13";
/// RFC 6455 §1.3.
constexpr std::string_view kAcceptSalt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// For a client's answer to our close.
constexpr Millis kGoodbye{5'000};
constexpr int kUnansweredPings = 2;

[[noreturn]] void refuse_handshake(const std::string& text)
{
    throw HttpRefusal(400, Code::malformed, text);
}

/// The words between commas of all headers of that name.
std::vector<std::string> words_of(const HttpHeaders& headers, std::string_view name)
{
    std::vector<std::string> words;
    for (const HttpHeader& header : headers) {
        if (!same_in_any_case(header.name, name)) continue;
        for (std::string_view rest = header.value; !rest.empty();) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            const std::string_view word = trimmed(rest.substr(0, comma));
            if (!word.empty()) words.emplace_back(word);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return words;
}

bool says(const HttpHeaders& headers, std::string_view name, std::string_view word)
{
    return std::ranges::any_of(words_of(headers, name),
                               [&](const std::string& said) { return same_in_any_case(said, word); });
}

/// Set for as long as it lives.
class WhileTrue {
public:
    explicit WhileTrue(bool& flag) : flag_(flag) { flag_ = true; }
    WhileTrue(const WhileTrue&) = delete;
    WhileTrue& operator=(const WhileTrue&) = delete;
    ~WhileTrue() { flag_ = false; }

private:
    bool& flag_;
};

}  // namespace

bool wants_websocket(const HttpHead& head)
{
    return says(head.headers, "Upgrade", "websocket") && says(head.headers, "Connection", "upgrade");
}

WebSocketOffer websocket_offer(const HttpHead& head)
{
    const HttpHeaders advice{{"Upgrade", "websocket"}, {"Sec-WebSocket-Version", std::string(kVersion)}};
    if (!wants_websocket(head))
        throw HttpRefusal(426, Code::invalid, "this is a WebSocket; ask for an upgrade", advice);
    if (words_of(head.headers, "Sec-WebSocket-Version") != std::vector{std::string(kVersion)})
        throw HttpRefusal(426, Code::invalid, "only version 13 of WebSocket is spoken here", advice);
    if (head.method != "GET" || head.minor == 0) refuse_handshake("a WebSocket begins with GET and HTTP/1.1");
    if (find_header(head.headers, "Transfer-Encoding") ||
        find_header(head.headers, "Content-Length").value_or("0") != "0")
        refuse_handshake("a request for a WebSocket has no body");
    const auto keys = words_of(head.headers, "Sec-WebSocket-Key");
    const auto bytes = keys.size() == 1 && keys[0].size() == 24 ? from_base64(keys[0]) : std::nullopt;
    if (!bytes || bytes->size() != 16) refuse_handshake("a WebSocket needs one Sec-WebSocket-Key of 16 bytes");
    return {keys[0], words_of(head.headers, "Sec-WebSocket-Protocol")};
}

std::string websocket_accept(std::string_view key)
{
    const std::string text = std::string(key) + std::string(kAcceptSalt);
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
    unsigned size = 0;
    ::EVP_Digest(text.data(), text.size(), hash.data(), &size, ::EVP_sha1(), nullptr);
    return to_base64({reinterpret_cast<const char*>(hash.data()), size});
}

WebSocket::WebSocket(HttpExchange& exchange, const WebSocketLimits& limits) : exchange_(exchange), reader_(limits)
{}

Async<> WebSocket::accept(std::string protocol)
{
    const WebSocketOffer offer = websocket_offer(exchange_.head());
    if (!protocol.empty() && std::ranges::find(offer.protocols, protocol) == offer.protocols.end())
        throw Error(Code::internal, "the client did not offer the protocol " + in_quotes(protocol));
    HttpHeaders headers{
        {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", websocket_accept(offer.key)}};
    if (!protocol.empty()) headers.push_back({"Sec-WebSocket-Protocol", std::move(protocol)});
    co_await exchange_.upgrade(std::move(headers));
}

Async<std::optional<WebSocketMessage>> WebSocket::read()
{
    const WhileTrue reading(reading_);
    const Context& context = co_await this_context();
    while (!over_) {
        if (auto message = reader_.next()) {
            if (!closing_) co_return message;
            continue;  // who has said goodbye hears no more
        }
        if (reader_.end()) {
            end_ = *reader_.end();
            break;
        }
        const auto bytes = co_await exchange_.read();
        if (!bytes) break;
        heard_ = true;
        reader_.feed(*bytes, context.loop->now());
        std::string replies = reader_.take_replies();
        if (replies.empty() || closing_) continue;
        if (reader_.end()) closing_ = true;
        co_await write(std::move(replies));
    }
    over_ = true;
    changed_.notify();
    co_return std::nullopt;
}

Async<bool> WebSocket::send(std::string frames)
{
    if (closing_ || over_) co_return false;
    co_await write(std::move(frames));
    co_return true;
}

/// Frames of several coroutines one after the other, never one inside another.
Async<> WebSocket::write(std::string frames)
{
    while (writing_) co_await changed_.wait();
    struct Turn {
        explicit Turn(WebSocket& s) : socket(s) { socket.writing_ = true; }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn()
        {
            socket.writing_ = false;
            socket.changed_.notify();
        }
        WebSocket& socket;
    };
    const Turn turn(*this);
    co_await exchange_.write(std::move(frames));
}

Async<> WebSocket::close(std::uint16_t code, std::string reason)
{
    if (over_) co_return;
    if (!std::exchange(closing_, true)) co_await write(websocket_close(code, reason));
    bool late = false;
    try {
        co_await with_timeout(until_over(), kGoodbye, "the client's goodbye");
    } catch (const Error&) {
        late = true;
    }
    if (late) exchange_.cut();
}

Async<> WebSocket::until_over()
{
    if (!reading_) co_await read();
    while (!over_) co_await changed_.wait();
}

Async<> WebSocket::keep_alive(Millis every)
{
    for (int unanswered = 0; unanswered < kUnansweredPings; ++unanswered) {
        heard_ = false;
        if (!co_await send(websocket_ping())) co_return;
        co_await sleep_for(every);
        if (heard_) unanswered = -1;
    }
    exchange_.cut();
}

}  // namespace cadre::net
