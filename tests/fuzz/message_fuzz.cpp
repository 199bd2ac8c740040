// Whatever a text holds, what is sent of it is UTF-8 without control characters, in pieces that fit.
#include "base/utf8.hpp"
#include "expect.hpp"
#include "text/channel/render.hpp"
#include "text/code_point.hpp"

#include <string>

using namespace cadre;

namespace {

void expect_text(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        EXPECT(length > 0);
        EXPECT(length > 1 || text[0] == '\n' || text[0] == '\t' || static_cast<unsigned char>(text[0]) >= 0x20);
        text.remove_prefix(length);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view markdown = fuzz::text_of(data, size);
    using enum text::ChannelKind;
    for (const auto channel : {sms, whatsapp, email, teams}) {
        text::ChannelRules rules{
            .channel = channel, .emojis = size % 2 == 0, .split = static_cast<text::SplitAt>(size % 3)};
        const bool can = channel != sms;
        rules.markdown = {.bold = can, .italic = can, .headers = can, .tables = can, .links = can, .code = can};
        if (channel == sms) rules.max_length = 70 + size % 100;
        const text::RenderedMessage message = text::render(markdown, rules);
        EXPECT(!message.pieces.empty());
        for (const text::MessagePiece& piece : message.pieces) {
            expect_text(piece.content);
            expect_text(piece.alternative);
            if (rules.max_length) EXPECT(text::count_code_points(piece.content) <= *rules.max_length);
        }
    }
    return 0;
}
