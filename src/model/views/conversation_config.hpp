// How answers look on each channel and how they sound (document 001): agents/config/channels.yaml and style_guide.yaml.
#pragma once

#include "model/views/conversation.hpp"

namespace cadre::model::conversation {

enum class MarkdownFeature : std::uint8_t { bold, italic, headers, tables, links, code };
std::span<const EnumName> names_of(const MarkdownFeature*);

enum class SplitStrategy : std::uint8_t { sentence, paragraph, word };
std::span<const EnumName> names_of(const SplitStrategy*);

struct ChannelSpecification {
    Channel channel = Channel::sms;
    std::optional<int> max_length{};
    bool supports_markdown = false;
    std::vector<MarkdownFeature> markdown_features{};
    bool supports_emojis = true;
    SplitStrategy split_strategy = SplitStrategy::sentence;
    bool operator==(const ChannelSpecification&) const = default;
};
const Entity& describe(const ChannelSpecification*);

/// channels.yaml. A channel that is not in it has its built-in specification.
struct Channels {
    std::vector<ChannelSpecification> channels{};
    bool operator==(const Channels&) const = default;
};
const Entity& describe(const Channels*);

/// What holds for a channel that no file speaks of (S-11).
ChannelSpecification built_in(Channel channel);
/// The file's specification, or the built-in one.
ChannelSpecification specification_of(const Channels& channels, Channel channel);

struct ToneSettings {
    std::string default_tone = "conversational";  // `default` on the wire, a keyword here
    std::string error = "empathetic";
    std::string success = "encouraging";
    bool operator==(const ToneSettings&) const = default;
};
const Entity& describe(const ToneSettings*);

struct EmojiSettings {
    bool enabled = true;
    std::string success = "✅";
    std::string warning = "⚠️";
    std::string error = "❌";
    std::string info = "ℹ️";
    bool operator==(const EmojiSettings&) const = default;
};
const Entity& describe(const EmojiSettings*);

struct HumorSettings {
    bool enabled = true;
    std::string style = "light, work-related";
    std::string frequency = "occasional";
    bool operator==(const HumorSettings&) const = default;
};
const Entity& describe(const HumorSettings*);

struct FormattingPreferences {
    bool greeting = true;
    bool sign_off = false;
    bool use_user_name = true;
    bool operator==(const FormattingPreferences&) const = default;
};
const Entity& describe(const FormattingPreferences*);

/// style_guide.yaml.
struct StyleGuide {
    std::string version{};
    std::string brand_name{};
    std::string personality{};
    ToneSettings tone{};
    EmojiSettings emojis{};
    HumorSettings humor{};
    FormattingPreferences formatting{};
    std::string graceful_failure = "Sorry, I can't give you a reliable answer right now. Please try again later.";
    bool operator==(const StyleGuide&) const = default;
};
const Entity& describe(const StyleGuide*);

}  // namespace cadre::model::conversation
