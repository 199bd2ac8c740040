// However a stream of lines is cut, the same messages come out; what was read as a message is read again from what is written.
#include "base/error.hpp"
#include "expect.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/line_framing.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace cadre;

namespace {

std::vector<std::string> lines_of(std::string_view text, std::size_t piece)
{
    mcp::LineFraming framing(1 << 14);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::string_view part = text.substr(at, piece);
        const auto alive = std::make_unique<char[]>(part.size());  // the sanitizer sees who looks beyond it
        std::memcpy(alive.get(), part.data(), part.size());
        framing.feed({alive.get(), part.size()});
        while (const auto line = framing.next()) lines.emplace_back(*line);
    }
    return lines;
}

/// Our own word for an answer that says nothing; it is never sent.
bool is_senseless(const mcp::Message& message)
{
    const auto* response = std::get_if<mcp::Response>(&message);
    const auto* error = response ? std::get_if<mcp::RpcError>(&response->outcome) : nullptr;
    return error && error->code == mcp::kSenseless;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    if (text.size() > 1 << 13) return 0;
    const auto whole = lines_of(text, text.size() + 1);
    for (const std::size_t piece : {1, 3, 64}) EXPECT(lines_of(text, piece) == whole);
    for (const std::string& line : whole) {
        try {
            for (const mcp::Message& message : mcp::read_messages(line)) {
                if (is_senseless(message)) continue;
                const std::string written = mcp::to_text(message);
                EXPECT(written.find('\n') == std::string::npos);
                const auto again = mcp::read_messages(written, {.bytes = 1 << 20});
                EXPECT(again.size() == 1);
                EXPECT(mcp::to_text(again[0]) == written);
            }
        } catch (const Error&) {
            // refused
        }
    }
    return 0;
}
