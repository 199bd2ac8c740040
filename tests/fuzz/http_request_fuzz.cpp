// Any bytes are requests or refused with a status; how they are split changes nothing, and nothing grows past its limit.
#include "expect.hpp"
#include "net/http_request_parser.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace cadre;
using namespace cadre::net;

namespace {

constexpr HttpLimits kLimits{.head = 2048, .headers = 20, .target = 512, .body = 4096};

struct Seen {
    HttpHead head{};
    std::string body{};
    bool done = false;

    bool operator==(const Seen&) const = default;
};

struct Outcome {
    std::vector<Seen> requests{};
    int refused = 0;

    bool operator==(const Outcome&) const = default;
};

/// One connection's requests, one after the other.
Outcome read(std::string_view bytes, std::size_t piece)
{
    Outcome out;
    std::string waiting;
    HttpRequestParser parser(kLimits);
    Seen seen;
    try {
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            waiting += bytes.substr(at, piece);
            while (true) {
                const std::size_t used = parser.feed(waiting);
                EXPECT(used <= waiting.size());
                waiting.erase(0, used);
                seen.body += parser.take_body();
                if (!parser.done() && used == 0) break;
                if (!parser.done()) continue;
                seen.head = parser.head();
                seen.done = true;
                EXPECT(seen.body.size() <= kLimits.body);
                EXPECT(seen.head.headers.size() <= kLimits.headers);
                EXPECT(!seen.head.path.empty());
                out.requests.push_back(std::exchange(seen, {}));
                parser = HttpRequestParser(kLimits);
                if (waiting.empty()) break;
            }
        }
    } catch (const HttpRefusal& refusal) {
        out.refused = refusal.status();
        EXPECT(out.refused >= 400 && out.refused < 600);
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view bytes = fuzz::text_of(data, size);
    if (bytes.size() > 1 << 13) return 0;
    const Outcome whole = read(bytes, bytes.size() + 1);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
        const Outcome split = read(bytes, piece);
        EXPECT(split.requests == whole.requests);
        // a head that comes in pieces is looked at when it is whole, so a fault in half a head may not be known yet
        EXPECT(split.refused == 0 || whole.refused != 0);
    }
    return 0;
}
