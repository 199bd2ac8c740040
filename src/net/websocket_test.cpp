// The reader of frames without a socket: every rule of RFC 6455 that a client can break, and our limits.
#include "net/websocket.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::net;
using namespace std::chrono_literals;

namespace {

constexpr unsigned kFin = 0x80, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;
constexpr unsigned kMasked = 0x80;

struct Shape {
    unsigned first = kFin | kText;
    int length_bytes = -1;  // of the extended length; -1: the shortest that fits
    bool masked = true;
};

/// As a client sends it.
std::string frame(Shape shape, std::string_view payload)
{
    const std::size_t size = payload.size();
    const int bytes = shape.length_bytes >= 0 ? shape.length_bytes : size < 126 ? 0 : size < 65'536 ? 2 : 8;
    std::string out(1, static_cast<char>(shape.first));
    const std::size_t length = bytes == 0 ? size : bytes == 2 ? 126 : 127;
    out += static_cast<char>(length | (shape.masked ? kMasked : 0));
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 0xFF);
    const std::string key = "\x12\xF4\x56\x78";
    if (shape.masked) out += key;
    for (std::size_t i = 0; i < size; ++i)
        out += static_cast<char>(shape.masked ? payload[i] ^ key[i % 4] : payload[i]);
    return out;
}

std::string frame(unsigned first, std::string_view payload)
{
    return frame(Shape{.first = first}, payload);
}

std::string code(unsigned number, std::string_view reason = "")
{
    return std::string{static_cast<char>(number >> 8), static_cast<char>(number & 0xFF)} + std::string(reason);
}

struct Read {
    std::vector<WebSocketMessage> messages{};
    std::string replies{};
    int code = 0;  // 0: not over
    std::string reason{};

    bool operator==(const Read&) const = default;
};

Read read(std::string_view bytes, std::size_t piece, WebSocketLimits limits = {})
{
    WebSocketReader reader(limits);
    Read out;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.feed(bytes.substr(at, piece), Instant{});
        while (auto message = reader.next()) out.messages.push_back(std::move(*message));
        out.replies += reader.take_replies();
    }
    if (reader.end()) {
        out.code = reader.end()->code;
        out.reason = reader.end()->reason;
    }
    return out;
}

}  // namespace

TEST_CASE("websocket: messages of every length come out as they were sent, however they are split")
{
    for (const std::size_t size : {0u, 1u, 125u, 126u, 127u, 4095u, 4096u, 65'535u, 65'536u}) {
        CAPTURE(size);
        const std::string text(size, 'x');
        const std::string bytes = frame(kFin | kText, text) + frame(kFin | kBinary, text);
        const std::vector<WebSocketMessage> sent{{WebSocketKind::text, text}, {WebSocketKind::binary, text}};
        for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{4096}, bytes.size()})
            CHECK(read(bytes, piece) == Read{.messages = sent});
    }
}

TEST_CASE("websocket: fragments are one message, and control frames may stand between them")
{
    const std::string bytes = frame(kText, "one ") + frame(kFin | kPing, "p") + frame(0, "t\xC3") +
                              frame(kFin | kPong, "") + frame(0, "") + frame(kFin | 0, "\xA4o") +
                              frame(kFin | kText, "next");
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        const Read got = read(bytes, piece);
        CHECK(got.messages ==
              std::vector<WebSocketMessage>{{WebSocketKind::text, "one t\xC3\xA4o"}, {WebSocketKind::text, "next"}});
        CHECK(got.replies == std::string("\x8A\x01p"));
        CHECK(got.code == 0);
    }
}

TEST_CASE("websocket: what breaks a rule is closed with the code for it, however it is split")
{
    const WebSocketLimits small{.frame = 100, .message = 150, .fragments = 3, .controls = 2};
    struct {
        const char* name;
        std::string bytes;
        int closed;
        const char* says;
    } const cases[] = {
        {"no mask", frame(Shape{.masked = false}, "hello"), 1002, "not masked"},
        {"reserved bit", frame(kFin | 0x40 | kText, "x"), 1002, "reserved bit"},
        {"compressed", frame(kFin | 0x20 | kText, "x"), 1002, "reserved bit"},
        {"unknown data opcode", frame(kFin | 3, "x"), 1002, "opcode is unknown"},
        {"another one", frame(kFin | 7, ""), 1002, "opcode is unknown"},
        {"unknown control opcode", frame(kFin | 11, "x"), 1002, "opcode is unknown"},
        {"the last one", frame(kFin | 15, ""), 1002, "opcode is unknown"},
        {"long form of a short length", frame(Shape{.length_bytes = 2}, "x"), 1002, "malformed"},
        {"longest form of a short length", frame(Shape{.length_bytes = 8}, "x"), 1002, "malformed"},
        {"length beyond 63 bits", "\x81\xFF" + std::string(8, '\xFF') + std::string(20, 'x'), 1002, "malformed"},
        {"ping of 126 bytes", frame(kFin | kPing, std::string(126, 'x')), 1002, "malformed"},
        {"ping in fragments", frame(kPing, "x"), 1002, "malformed"},
        {"continues nothing", frame(kFin | 0, "x"), 1002, "no message to continue"},
        {"continues what has ended", frame(kFin | kText, "x") + frame(kFin | 0, "x"), 1002, "no message to continue"},
        {"text inside a message", frame(kText, "x") + frame(kFin | kText, "x"), 1002, "has not ended"},
        {"frame too large", frame(kFin | kText, std::string(101, 'x')), 1009, "a frame is too large"},
        {"message too large", frame(kText, std::string(100, 'x')) + frame(kFin | 0, std::string(51, 'x')), 1009,
         "a message is too large"},
        {"too many fragments", frame(kText, "") + frame(0, "") + frame(0, "") + frame(0, ""), 1008,
         "too many fragments"},
        {"too many pings", frame(kFin | kPing, "") + frame(kFin | kPong, "") + frame(kFin | kPing, ""), 1008,
         "too many control frames"},
        {"text that is not UTF-8", frame(kFin | kText, "a\xFFz"), 1007, "a text is not UTF-8"},
        {"text that ends inside a character", frame(kFin | kText, "a\xC3"), 1007, "a text is not UTF-8"},
        {"surrogate", frame(kFin | kText, "\xED\xA0\x80"), 1007, "a text is not UTF-8"},
        {"overlong", frame(kFin | kText, "\xC0\xAF"), 1007, "a text is not UTF-8"},
        {"half a code", frame(kFin | kClose, "\x03"), 1002, "half a code"},
        {"code 999", frame(kFin | kClose, code(999)), 1002, "never sent"},
        {"code 1004", frame(kFin | kClose, code(1004)), 1002, "never sent"},
        {"code 1005", frame(kFin | kClose, code(1005)), 1002, "never sent"},
        {"code 1006", frame(kFin | kClose, code(1006)), 1002, "never sent"},
        {"code 1015", frame(kFin | kClose, code(1015)), 1002, "never sent"},
        {"code 2999", frame(kFin | kClose, code(2999)), 1002, "never sent"},
        {"code 5000", frame(kFin | kClose, code(5000)), 1002, "never sent"},
        {"reason that is not UTF-8", frame(kFin | kClose, code(1000, "a\xFFz")), 1007, "a reason is not UTF-8"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const Read whole = read(c.bytes, c.bytes.size(), small);
        CHECK(whole.code == c.closed);
        CHECK(whole.reason.c_str() == doctest::Contains(c.says));
        CHECK(whole.replies.ends_with(websocket_close(static_cast<std::uint16_t>(c.closed), whole.reason)));
        for (const std::size_t piece : {1u, 2u, 5u}) CHECK(read(c.bytes, piece, small) == whole);
    }
}

TEST_CASE("websocket: a close is answered with its code, and nothing after it counts")
{
    for (const unsigned number : {1000u, 1001u, 1003u, 1007u, 1011u, 1014u, 3000u, 4999u}) {
        const Read got = read(frame(kFin | kClose, code(number, "b\xC3\xBC")) + frame(kFin | kText, "late"), 3);
        CHECK(got == Read{.replies = std::string("\x88\x02") + code(number),
                          .code = static_cast<int>(number),
                          .reason = "b\xC3\xBC"});
    }
    CHECK(read(frame(kFin | kClose, ""), 9) == Read{.replies = std::string("\x88\0", 2), .code = 1005});
}

TEST_CASE("websocket: control frames are counted by the second")
{
    WebSocketReader reader({.controls = 2});
    for (int second = 0; second < 5; ++second) {
        reader.feed(frame(kFin | kPing, "a") + frame(kFin | kPing, "b"), Instant{} + second * 1s);
        CHECK(!reader.end());
        CHECK(reader.take_replies() == "\x8A\x01"
                                       "a\x8A\x01"
                                       "b");
    }
    reader.feed(frame(kFin | kPing, ""), Instant{} + 4s + 999ms);
    CHECK(reader.end()->code == 1008);
}

TEST_CASE("websocket: a server's frames are whole, unmasked and as short as they can be")
{
    CHECK(websocket_frame(WebSocketKind::text, "hi") == "\x81\x02hi");
    CHECK(websocket_frame(WebSocketKind::binary, std::string(126, 'x')).substr(0, 4) ==
          std::string("\x82\x7E\0\x7E", 4));
    CHECK(websocket_frame(WebSocketKind::text, std::string(65'536, 'x')).substr(0, 10) ==
          std::string("\x81\x7F\0\0\0\0\0\x01\0\0", 10));
    CHECK(websocket_ping("x") == "\x89\x01x");
    CHECK(websocket_close(1000) == "\x88\x02\x03\xE8");
    CHECK(websocket_close(4008, std::string(200, 'x')).size() == 2 + 125);
}

TEST_CASE("websocket: a handshake that is wrong is refused, and the answer names the version")
{
    const HttpHeaders good{{"Host", "a"},
                           {"connection", "keep-alive, Upgrade"},
                           {"Upgrade", "WebSocket"},
                           {"Sec-WebSocket-Version", "13"},
                           {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                           {"Sec-WebSocket-Protocol", "cadre.v1, bearer.abc"},
                           {"Sec-WebSocket-Protocol", "x"}};
    const auto status = [&](const char* name, const char* value, const char* method = "GET") {
        HttpHead head{.method = method, .path = "/", .headers = good};
        std::erase_if(head.headers, [&](const HttpHeader& header) { return header.name == name; });
        if (*value) head.headers.push_back({name, value});
        try {
            websocket_offer(head);
        } catch (const HttpRefusal& refusal) {
            if (refusal.status() == 426) CHECK(find_header(refusal.headers(), "Sec-WebSocket-Version") == "13");
            return refusal.status();
        }
        return 101;
    };
    CHECK(status("X", "1") == 101);
    CHECK(status("Upgrade", "h2c") == 426);
    CHECK(status("connection", "close") == 426);
    CHECK(status("Sec-WebSocket-Version", "8") == 426);
    CHECK(status("Sec-WebSocket-Version", "") == 426);
    CHECK(status("Sec-WebSocket-Key", "") == 400);
    CHECK(status("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ") == 400);
    CHECK(status("Sec-WebSocket-Key", "AAAA") == 400);
    CHECK(status("Sec-WebSocket-Key", "!!hlIHNhbXBsZSBub25jZQ==") == 400);
    CHECK(status("Content-Length", "5") == 400);
    CHECK(status("Transfer-Encoding", "chunked") == 400);
    CHECK(status("X", "1", "POST") == 400);
    CHECK(websocket_offer({.method = "GET", .headers = good}).protocols ==
          std::vector<std::string>{"cadre.v1", "bearer.abc", "x"});
    CHECK(websocket_accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // RFC 6455 §1.3
}
