// A Markdown text as a channel shows it, in pieces that it takes. No model, no clock: the same text and rules give the same bytes.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

enum class ChannelKind : std::uint8_t { sms, whatsapp, email, teams };
enum class SplitAt : std::uint8_t { sentence, paragraph, word };

/// What a channel shows of Markdown. What it does not is said in words: a heading as a line, a table as `Column: value`, a link as
/// `text: address`, an image by its description.
struct ShownMarkdown {
    bool bold = false;
    bool italic = false;
    bool headers = false;
    bool tables = false;
    bool links = false;
    bool code = false;
};

struct ChannelRules {
    ChannelKind channel = ChannelKind::sms;
    /// Code points of a piece, with its indicator; of a Teams card, of the text in it. What the vendor takes bounds it in any case.
    std::optional<std::size_t> max_length{};
    ShownMarkdown markdown{};  // nothing of it is shown in an SMS; cards have headings, tables and code of their own
    bool emojis = true;
    SplitAt split = SplitAt::sentence;
};

struct MessagePiece {
    int sequence = 1;
    /// Exactly what is sent, with its indicator: text, for Teams the JSON of an Adaptive Card 1.5.
    std::string content{};
    /// Where the channel has a second form: the HTML of an e-mail, the plain text of a card.
    std::string alternative{};
    std::string continuation_indicator{};  // `(1/3)`; empty when there is one piece
};

struct RenderedMessage {
    std::string content{};               // of the first piece
    std::vector<MessagePiece> pieces{};  // in order; never empty
    /// `markdown_removed`, `emojis_used`; sms: `encoding`, `characters`, `units`, `segments` of all pieces; email: `html`; teams: `text`.
    boost::json::object metadata{};
};

/// At most this many bytes of Markdown: Error(too_large).
inline constexpr std::size_t kMaxMarkdown = 4 << 20;

RenderedMessage render(std::string_view markdown, const ChannelRules& rules);

}  // namespace cadre::text
