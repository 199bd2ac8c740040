#include "text/channel/render.hpp"

#include "base/error.hpp"
#include "text/channel/card.hpp"
#include "text/channel/grapheme.hpp"
#include "text/channel/pieces.hpp"
#include "text/channel/shown.hpp"
#include "text/channel/sms.hpp"
#include "text/channel/text_dialects.hpp"

#include <fmt/core.h>

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::text {

namespace {

namespace json = boost::json;

/// Each emoji of the text once, in order.
json::array emojis_in(std::string_view text)
{
    json::array found;
    std::vector<std::string_view> seen;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        const bool may_have = std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) >= 0xE2; });
        std::size_t begin = 0;
        for (const std::size_t to : may_have ? grapheme_ends(line) : std::vector<std::size_t>()) {
            const std::string_view one = line.substr(begin, to - begin);
            begin = to;
            if (!is_emoji(one) || std::ranges::find(seen, one) != seen.end()) continue;
            seen.push_back(one);
            found.emplace_back(json::string(one));
        }
    }
    return found;
}

void add_sms_size(json::object& metadata, const std::vector<MessagePiece>& pieces)
{
    SmsSize all;
    for (const MessagePiece& piece : pieces) {
        const SmsSize size = sms_size(piece.content);
        if (size.encoding == SmsEncoding::ucs2) all.encoding = size.encoding;
        all.characters += size.characters;
        all.units += size.units;
        all.segments += size.segments;
    }
    metadata["encoding"] = name_of(all.encoding);
    metadata["characters"] = all.characters;
    metadata["units"] = all.units;
    metadata["segments"] = all.segments;
}

std::vector<Part> all_parts(const Pieces& pieces)
{
    std::vector<Part> all;
    for (const auto& parts : pieces.parts) all.insert(all.end(), parts.begin(), parts.end());
    return all;
}

}  // namespace

std::unique_ptr<Dialect> make_dialect(const ChannelRules& rules)
{
    switch (rules.channel) {
    case ChannelKind::sms: return make_sms(rules);
    case ChannelKind::whatsapp: return make_whatsapp(rules);
    case ChannelKind::email: return make_mail(rules);
    case ChannelKind::teams: return make_card(rules);
    }
    return make_sms(rules);
}

RenderedMessage render(std::string_view markdown, const ChannelRules& rules)
{
    if (markdown.size() > kMaxMarkdown)
        throw Error(Code::too_large,
                    fmt::format("a message has at most {} bytes, this one has {}", kMaxMarkdown, markdown.size()));
    const Markdown read = read_markdown(rules.emojis ? markdown : without_emojis(markdown));
    const std::vector<Block> blocks = shown_blocks(read, rules);
    const auto dialect = make_dialect(rules);
    const Pieces pieces = divided(blocks, *dialect, rules.split);
    RenderedMessage message;
    const std::size_t count = pieces.parts.size();
    for (std::size_t i = 0; i < count; ++i) {
        MessagePiece piece = dialect->piece(pieces.parts[i], count == 1 ? "" : indicator_of(i + 1, count));
        piece.sequence = static_cast<int>(i) + 1;
        message.pieces.push_back(std::move(piece));
    }
    message.content = message.pieces.front().content;
    message.metadata["markdown_removed"] = loses_markdown(read.uses, rules);
    message.metadata["emojis_used"] = rules.emojis ? emojis_in(markdown) : json::array();
    if (rules.channel == ChannelKind::sms) add_sms_size(message.metadata, message.pieces);
    if (rules.channel == ChannelKind::email)
        message.metadata["html"] =
            count == 1 ? message.pieces.front().alternative : dialect->piece(all_parts(pieces), "").alternative;
    if (rules.channel == ChannelKind::teams)
        message.metadata["text"] =
            count == 1 ? message.pieces.front().alternative : dialect->piece(all_parts(pieces), "").alternative;
    return message;
}

}  // namespace cadre::text
