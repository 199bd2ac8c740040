#include "model/views/conversation_config.hpp"

#include "model/describe.hpp"

#include <set>

namespace cadre::model::conversation {

namespace {

constexpr int kMaxWhatsapp = 4096;

void check_sms_length(const ChannelSpecification& specification, const Path& path, Problems& problems)
{
    if (specification.channel == Channel::sms && specification.max_length > int(kMaxSms))
        problems.add(Path(path, "max_length"), "must be at most 1600 for sms");
}

void check_channels(const Channels& file, const Path& path, Problems& problems)
{
    std::set<Channel> seen;
    const Path list(path, "channels");
    for (std::size_t i = 0; i < file.channels.size(); ++i) {
        const Path entry(list, i);
        const Path here(entry, "channel");
        if (problems.is_read(here) && !seen.insert(file.channels[i].channel).second)
            problems.add(here, ProblemKind::duplicate, "is here twice; remove one of them");
    }
}

}  // namespace

std::span<const EnumName> names_of(const MarkdownFeature*)
{
    using enum MarkdownFeature;
    static constexpr EnumName names[] = {{int(bold), "bold"},     {int(italic), "italic"}, {int(headers), "headers"},
                                         {int(tables), "tables"}, {int(links), "links"},   {int(code), "code"}};
    return names;
}

std::span<const EnumName> names_of(const SplitStrategy*)
{
    static constexpr EnumName names[] = {{int(SplitStrategy::sentence), "sentence"},
                                         {int(SplitStrategy::paragraph), "paragraph"},
                                         {int(SplitStrategy::word), "word"}};
    return names;
}

const Entity& describe(const ChannelSpecification*)
{
    using Specification = ChannelSpecification;
    static const Entity entity{
        .name = "channel_specification",
        .doc = "What a channel can show.",
        .fields =
            {
                field("channel", &Specification::channel, "The channel.", {.required = true}),
                field("max_length", &Specification::max_length,
                      "Characters that one message may have; null for any number.", {.min = 1}),
                field("supports_markdown", &Specification::supports_markdown,
                      "Whether it shows markdown; sms does not."),
                field("markdown_features", &Specification::markdown_features, "What of markdown it shows."),
                field("supports_emojis", &Specification::supports_emojis, "Whether emojis stay in the text."),
                field("split_strategy", &Specification::split_strategy, "Where a long text is cut."),
            },
        .demands = {{.when = {is("channel", {"sms"})},
                     .then = is("supports_markdown", {"false"}),
                     .says = "must be false for sms, which shows markdown as it is"}},
        .checks = {check<Specification>({"channel", "max_length"}, "`max_length` of `sms` is at most 1600.",
                                        check_sms_length,
                                        R"({
            "if":{"properties":{"channel":{"const":"sms"}}},"then":{"properties":{"max_length":{"maximum":1600}}}})")},
        .example = R"({"channel":"whatsapp","max_length":4096,"supports_markdown":true,
            "markdown_features":["bold","italic","code"],"supports_emojis":true,"split_strategy":"paragraph"})",
    };
    return entity;
}

const Entity& describe(const Channels*)
{
    static const Entity entity{
        .name = "channels",
        .doc = "The channels that differ from the built-in ones.",
        .fields = {field("channels", &Channels::channels, "One entry a channel.", {.required = true})},
        .home = {Home::Kind::yaml_file, "`config/channels.yaml`"},
        .checks = {check<Channels>({}, "No channel is there twice.", check_channels)},
        .example = R"({"channels":[{"channel":"sms","max_length":1600,"supports_markdown":false,
            "markdown_features":[],"supports_emojis":false,"split_strategy":"sentence"}]})",
    };
    return entity;
}

ChannelSpecification built_in(Channel channel)
{
    using enum MarkdownFeature;
    switch (channel) {
    case Channel::sms: return {.channel = channel, .max_length = int(kMaxSms)};
    case Channel::email:
        return {.channel = channel,
                .supports_markdown = true,
                .markdown_features = {bold, italic, headers, tables, links, code}};
    case Channel::whatsapp:
        return {.channel = channel,
                .max_length = kMaxWhatsapp,
                .supports_markdown = true,
                .markdown_features = {bold, italic, code}};
    case Channel::teams:  // the text inside its card: what Adaptive Cards show
        return {.channel = channel, .supports_markdown = true, .markdown_features = {bold, italic, links}};
    }
    return {.channel = channel};
}

ChannelSpecification specification_of(const Channels& channels, Channel channel)
{
    for (const ChannelSpecification& specification : channels.channels)
        if (specification.channel == channel) return specification;
    return built_in(channel);
}

const Entity& describe(const ToneSettings*)
{
    static const Entity entity{
        .name = "tone_settings",
        .doc = "How answers sound.",
        .fields = {field("default", &ToneSettings::default_tone, "Usually."),
                   field("error", &ToneSettings::error, "When something went wrong."),
                   field("success", &ToneSettings::success, "When something went well.")},
        .example = R"({"default":"conversational","error":"empathetic","success":"encouraging"})",
    };
    return entity;
}

const Entity& describe(const EmojiSettings*)
{
    static const Entity entity{
        .name = "emoji_settings",
        .doc = "Which emojis answers use.",
        .fields = {field("enabled", &EmojiSettings::enabled, "Whether they use any."),
                   field("success", &EmojiSettings::success, "For what went well."),
                   field("warning", &EmojiSettings::warning, "For what needs care."),
                   field("error", &EmojiSettings::error, "For what went wrong."),
                   field("info", &EmojiSettings::info, "For what is good to know.")},
        .example = R"({"enabled":true,"success":"✅","warning":"⚠️","error":"❌","info":"ℹ️"})",
    };
    return entity;
}

const Entity& describe(const HumorSettings*)
{
    static const Entity entity{
        .name = "humor_settings",
        .doc = "How funny answers are.",
        .fields = {field("enabled", &HumorSettings::enabled, "Whether they may be."),
                   field("style", &HumorSettings::style, "In which way."),
                   field("frequency", &HumorSettings::frequency, "How often.")},
        .example = R"({"enabled":true,"style":"light, work-related","frequency":"occasional"})",
    };
    return entity;
}

const Entity& describe(const FormattingPreferences*)
{
    static const Entity entity{
        .name = "formatting_preferences",
        .doc = "What stands around an answer.",
        .fields = {field("greeting", &FormattingPreferences::greeting, "A greeting before it."),
                   field("sign_off", &FormattingPreferences::sign_off, "A closing line after it."),
                   field("use_user_name", &FormattingPreferences::use_user_name, "The user's name in the greeting.")},
        .example = R"({"greeting":true,"sign_off":false,"use_user_name":true})",
    };
    return entity;
}

const Entity& describe(const StyleGuide*)
{
    static const Entity entity{
        .name = "style_guide",
        .doc = "How the brand speaks.",
        .fields =
            {
                field("version", &StyleGuide::version, "Of this guide.", {.required = true, .min_length = 1}),
                field("brand_name", &StyleGuide::brand_name, "The brand or product.",
                      {.required = true, .min_length = 1}),
                field("personality", &StyleGuide::personality, "Its traits, in a few words.", {.required = true}),
                field("tone", &StyleGuide::tone, "How answers sound.", {.required = true}),
                field("emojis", &StyleGuide::emojis, "Which emojis they use.", {.required = true}),
                field("humor", &StyleGuide::humor, "How funny they are.", {.required = true}),
                field("formatting", &StyleGuide::formatting, "What stands around them.", {.required = true}),
                field("graceful_failure", &StyleGuide::graceful_failure,
                      "What is sent when no answer passes validation.", {.min_length = 1, .extension = true}),
            },
        .home = {Home::Kind::yaml_file, "`config/style_guide.yaml`"},
        .example = R"({"version":"1.0.0","brand_name":"Acme Time","personality":"friendly, precise",
            "tone":{"default":"conversational","error":"empathetic","success":"encouraging"},
            "emojis":{"enabled":true,"success":"✅","warning":"⚠️","error":"❌","info":"ℹ️"},
            "humor":{"enabled":true,"style":"light, work-related","frequency":"occasional"},
            "formatting":{"greeting":true,"sign_off":false,"use_user_name":true}})",
    };
    return entity;
}

}  // namespace cadre::model::conversation
