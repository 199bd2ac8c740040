// A WebSocket client of tests: it masks what it sends, and takes apart what comes.
#pragma once

#include "base/json.hpp"
#include "support/served_home.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace cadre::server::testing {

class SocketClient {
public:
    explicit SocketClient(ServedHome& at) : at_(at), client_(at.loop) {}

    /// The head of the answer; 101 unless the server refuses.
    std::string open(const std::string& path, const std::string& headers = "")
    {
        const std::string head =
            at_.wait(at_.talk_to(client_,
                                 "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(at_.door->port()) +
                                     "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                                     headers + "\r\n",
                                 "\r\n\r\n"));
        const std::size_t end = head.find("\r\n\r\n") + 4;
        bytes_ = head.substr(end);
        return head.substr(0, end);
    }

    /// The next text; nothing when the server has said goodbye, and close_code() says how. Answers pings.
    std::optional<std::string> next() { return at_.wait(next_message()); }
    json::value next_json()
    {
        const auto text = next();
        REQUIRE(text);
        return parse_json(*text);
    }
    Async<std::optional<std::string>> next_message()
    {
        while (true) {
            const unsigned opcode = static_cast<unsigned char>(co_await byte(0)) & 0x0F;
            std::size_t size = static_cast<unsigned char>(co_await byte(1)), head = 2;
            if (size >= 126) {
                const std::size_t width = size == 126 ? 2 : 8;
                size = 0;
                for (std::size_t i = 0; i < width; ++i)
                    size = size << 8 | static_cast<unsigned char>(co_await byte(head + i));
                head += width;
            }
            if (size > 0) co_await byte(head + size - 1);
            const std::string payload = bytes_.substr(head, size);
            bytes_.erase(0, head + size);
            if (opcode == 1) co_return payload;
            if (opcode == 9) {
                ++pings;
                if (answers_pings) co_await client_.send(frame(10, payload));
            }
            if (opcode != 8) continue;
            close_code = static_cast<unsigned char>(payload.at(0)) << 8 | static_cast<unsigned char>(payload.at(1));
            close_reason = payload.substr(2);
            co_await client_.send(frame(8, payload.substr(0, 2)));
            co_return std::nullopt;
        }
    }
    void send(const std::string& text) { at_.wait(client_.send(frame(1, text))); }
    Client& client() { return client_; }

    int close_code = 0;
    std::string close_reason;
    int pings = 0;
    bool answers_pings = true;

private:
    static std::string frame(unsigned opcode, std::string_view payload)
    {
        std::string out(1, static_cast<char>(0x80U | opcode));
        if (payload.size() < 126) {
            out += static_cast<char>(0x80U | payload.size());
        } else {
            out += static_cast<char>(0x80U | 126U);
            out += static_cast<char>(payload.size() >> 8);
            out += static_cast<char>(payload.size() & 0xFFU);
        }
        const std::string key = "\x12\x34\x56\x78";
        out += key;
        for (std::size_t i = 0; i < payload.size(); ++i) out += static_cast<char>(payload[i] ^ key[i % 4]);
        return out;
    }
    Async<char> byte(std::size_t index)
    {
        while (bytes_.size() <= index) {
            const std::string more = co_await client_.read_some();
            if (more.empty()) throw Error(Code::upstream, "the connection has ended without a goodbye");
            bytes_ += more;
        }
        co_return bytes_[index];
    }

    ServedHome& at_;
    Client client_;
    std::string bytes_;
};

}  // namespace cadre::server::testing
