// Any bytes are messages, or closed with a code; how they are split changes nothing, and nothing grows past its limit.
#include "expect.hpp"
#include "net/websocket.hpp"

#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::net;

namespace {

constexpr WebSocketLimits kLimits{.frame = 300, .message = 400, .fragments = 4, .controls = 6};

struct Seen {
    std::vector<WebSocketMessage> messages{};
    std::string replies{};
    std::optional<WebSocketEnd> end{};

    bool operator==(const Seen&) const = default;
};

Seen read(std::string_view bytes, std::size_t piece)
{
    WebSocketReader reader(kLimits);
    Seen seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.feed(bytes.substr(at, piece), Instant{});
        while (auto message = reader.next()) {
            EXPECT(message->data.size() <= kLimits.message);
            seen.messages.push_back(std::move(*message));
        }
        seen.replies += reader.take_replies();
    }
    seen.end = reader.end();
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view bytes = fuzz::text_of(data, size);
    if (bytes.size() > 1 << 13) return 0;
    const Seen whole = read(bytes, bytes.size() + 1);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) EXPECT(read(bytes, piece) == whole);
    return 0;
}
