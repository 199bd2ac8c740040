// Whatever a header says, what is read of it can be written and read again; a scope is read as itself.
#include "expect.hpp"
#include "mcp/oauth/challenge.hpp"

#include <cstring>
#include <memory>
#include <string>

using namespace cadre;

namespace {

std::string written(const std::vector<mcp::oauth::AnyChallenge>& challenges)
{
    std::string text;
    for (const auto& challenge : challenges) {
        text += text.empty() ? "" : ", ";
        text += challenge.scheme;
        const char* between = " ";
        for (const auto& [name, value] : challenge.parameters) {
            text += between + name + "=\"";
            for (const char c : value) text += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
            text += '"';
            between = ", ";
        }
    }
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    if (text.size() > 1 << 12) return 0;
    const auto alive = std::make_unique<char[]>(text.size());  // the sanitizer sees who looks beyond it
    std::memcpy(alive.get(), text.data(), text.size());
    const std::string_view exact(alive.get(), text.size());
    const auto challenges = mcp::oauth::read_challenges(exact);
    EXPECT(mcp::oauth::read_challenges(written(challenges)) == challenges);

    const std::string scope = mcp::oauth::canonical_scope(exact);
    EXPECT(mcp::oauth::canonical_scope(scope) == scope);
    EXPECT(mcp::oauth::covers(scope, scope));
    EXPECT(mcp::oauth::united_scope(scope, scope) == scope);
    return 0;
}
