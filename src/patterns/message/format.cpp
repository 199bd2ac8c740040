#include "patterns/message/format.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"
#include "text/channel/markdown.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

using model::MessageSetup;
using model::conversation::Channel;
using model::conversation::MarkdownFeature;
using model::conversation::SplitStrategy;

namespace {

text::ChannelKind kind_of(Channel channel)
{
    switch (channel) {
    case Channel::sms: return text::ChannelKind::sms;
    case Channel::email: return text::ChannelKind::email;
    case Channel::whatsapp: return text::ChannelKind::whatsapp;
    case Channel::teams: return text::ChannelKind::teams;
    }
    return text::ChannelKind::sms;
}

text::SplitAt split_of(SplitStrategy strategy)
{
    switch (strategy) {
    case SplitStrategy::sentence: return text::SplitAt::sentence;
    case SplitStrategy::paragraph: return text::SplitAt::paragraph;
    case SplitStrategy::word: return text::SplitAt::word;
    }
    return text::SplitAt::sentence;
}

bool has_greeting(std::string_view text)
{
    const std::string begin = lower(text.substr(0, 24));
    for (const std::string_view greeting : {"hi ", "hi,", "hi!", "hello", "hey ", "hey,", "hey!", "dear ",
                                            "good morning", "good afternoon", "good evening"})
        if (begin.starts_with(greeting)) return true;
    return false;
}

/// Whether words may stand before it in its line: before a heading, a list or a table they may not.
bool begins_in_line(std::string_view text)
{
    const text::Markdown read = text::read_markdown(text.substr(0, text.find("\n\n")));
    return read.blocks.empty() ||
           (read.blocks.front().kind == text::Block::Kind::paragraph && read.blocks.front().within.empty());
}

std::string greeting_for(std::string_view text, const MessageSetup& setup)
{
    const auto& wants = setup.style.formatting;
    const bool names = wants.use_user_name;
    const bool knows = setup.user_name && !setup.user_name->empty();
    if (!wants.greeting || (names && !knows) || has_greeting(text)) return "";
    if (begins_in_line(text)) return names ? "Hi " + *setup.user_name + ", " : "Hi! ";
    return (names ? "Hi " + *setup.user_name + "," : std::string("Hi!")) + "\n\n";
}

}  // namespace

text::ChannelRules rules_of(const MessageSetup& setup)
{
    const auto& channel = setup.channel;
    text::ChannelRules rules{.channel = kind_of(channel.channel),
                             .emojis = channel.supports_emojis && setup.style.emojis.enabled,
                             .split = split_of(channel.split_strategy)};
    if (channel.max_length) rules.max_length = static_cast<std::size_t>(*channel.max_length);
    for (const MarkdownFeature feature :
         channel.supports_markdown ? channel.markdown_features : std::vector<MarkdownFeature>()) {
        switch (feature) {
        case MarkdownFeature::bold: rules.markdown.bold = true; break;
        case MarkdownFeature::italic: rules.markdown.italic = true; break;
        case MarkdownFeature::headers: rules.markdown.headers = true; break;
        case MarkdownFeature::tables: rules.markdown.tables = true; break;
        case MarkdownFeature::links: rules.markdown.links = true; break;
        case MarkdownFeature::code: rules.markdown.code = true; break;
        }
    }
    return rules;
}

std::string dressed(std::string_view text, const MessageSetup& setup)
{
    const std::string_view words = trimmed(text);
    std::string out = words.empty() ? "" : greeting_for(words, setup) + std::string(words);
    if (setup.style.formatting.sign_off && !words.empty()) out += "\n\n" + setup.style.brand_name;
    return out;
}

text::RenderedMessage rendered(std::string_view text, const MessageSetup& setup)
{
    return text::render(dressed(text, setup), rules_of(setup));
}

model::conversation::FormattedResponse formatted(const text::RenderedMessage& message, const std::string& request_id,
                                                 const MessageSetup& setup, Time now)
{
    model::conversation::FormattedResponse response{.request_id = request_id,
                                                    .channel = setup.channel.channel,
                                                    .content = message.content,
                                                    .is_split = message.pieces.size() > 1,
                                                    .metadata = message.metadata,
                                                    .formatted_at = now};
    response.metadata["style_guide_version"] = setup.style.version;
    for (const text::MessagePiece& piece : message.pieces)
        if (response.is_split)
            response.parts.push_back({.sequence = piece.sequence,
                                      .content = piece.content,
                                      .continuation_indicator = piece.continuation_indicator});
    return response;
}

std::string seen_text(const text::RenderedMessage& message)
{
    std::string all;
    for (const text::MessagePiece& piece : message.pieces) {
        const bool is_card = message.metadata.contains("text");
        std::string_view said = is_card ? piece.alternative : piece.content;
        if (!piece.continuation_indicator.empty()) said.remove_suffix(piece.continuation_indicator.size() + 1);
        if (!all.empty()) all += '\n';
        all += said;
    }
    return all;
}

}  // namespace cadre::patterns
