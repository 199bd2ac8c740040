// However an answer is cut into pieces, it says the same, or is refused with the same kind of error, and never exceeds its limits.
#include "base/error.hpp"
#include "expect.hpp"
#include "net/http_response.hpp"

#include <cstring>
#include <memory>
#include <string>

using namespace cadre;

namespace {

constexpr net::HttpResponseLimits kLimits{.head = 1 << 12, .body = 1 << 12};

/// All that came of it, as a text.
std::string heard(std::string_view text, std::size_t piece, const char* method)
{
    net::HttpResponseParser parser(method, kLimits);
    std::string body;
    std::size_t begin = 0;
    try {
        for (std::size_t end = std::min(piece, text.size()); !parser.done();) {
            const std::string_view part = text.substr(begin, end - begin);
            const auto alive = std::make_unique<char[]>(part.size());  // the sanitizer sees who looks beyond it
            std::memcpy(alive.get(), part.data(), part.size());
            const auto [used, found] =
                part.empty() ? net::HttpResponseParser::Step{} : parser.next({alive.get(), part.size()});
            EXPECT(used <= part.size());
            body += found;
            begin += used;
            if (used > 0) continue;
            if (end == text.size()) {
                parser.end();
                break;
            }
            end = std::min(end + piece, text.size());
        }
    } catch (const Error& error) {
        EXPECT(error.code() == Code::upstream || error.code() == Code::too_large);
        EXPECT(std::string_view(error.what()).size() < 200);
        return "refused";
    }
    EXPECT(parser.has_head() && parser.done());
    EXPECT(body.size() <= kLimits.body);
    std::string all =
        std::to_string(parser.status()) + (parser.keep_alive() ? "+" : "-") + std::to_string(begin) + "\n";
    for (const net::HttpHeader& header : parser.headers()) {
        EXPECT(header.value.find_first_of("\r\n") == std::string::npos);
        all += header.name + ":" + header.value + "\n";
    }
    return all + body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    if (text.size() > 1 << 13) return 0;
    for (const char* method : {"GET", "HEAD", "CONNECT"}) {
        const std::string whole = heard(text, text.size() + 1, method);
        for (const std::size_t piece : {1, 2, 3, 17, 256}) EXPECT(heard(text, piece, method) == whole);
    }
    return 0;
}
