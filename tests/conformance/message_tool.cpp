// message_tool segments|sms|whatsapp|email|teams: reads texts, one JSON string a line, and writes for each what a carrier counts (`GSM-7 2`),
// or the contents of its pieces as a JSON array, for message_judge_test.mjs.
#include "base/error.hpp"
#include "base/json.hpp"
#include "text/channel/render.hpp"
#include "text/channel/sms.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

using namespace cadre;

namespace {

void segments(std::string_view text)
{
    const text::SmsSize size = text::sms_size(text);
    std::cout << text::name_of(size.encoding) << ' ' << size.segments;
}

void render(std::string_view text, text::ChannelKind channel)
{
    text::ChannelRules rules{.channel = channel};
    if (channel != text::ChannelKind::sms) rules.markdown = {true, true, true, true, true, true};
    boost::json::array pieces;
    for (const text::MessagePiece& piece : text::render(text, rules).pieces) pieces.emplace_back(piece.content);
    std::cout << to_text(pieces);
}

}  // namespace

int main(int count, char** words)
{
    const std::string_view mode = count == 2 ? words[1] : "";
    using enum text::ChannelKind;
    const struct {
        std::string_view name;
        text::ChannelKind channel;
    } channels[] = {{"sms", sms}, {"whatsapp", whatsapp}, {"email", email}, {"teams", teams}};
    const auto* found = std::ranges::find(channels, mode, [](const auto& one) { return one.name; });
    if (found == std::end(channels) && mode != "segments") return 2;
    std::ios::sync_with_stdio(false);
    try {
        for (std::string line; std::getline(std::cin, line);) {
            const json::value value = parse_json(line, {.bytes = std::size_t{1} << 28});
            if (mode == "segments") segments(value.as_string());
            else render(value.as_string(), found->channel);
            std::cout << '\n';
        }
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
