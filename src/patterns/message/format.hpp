// An answer as its channel shows it: the branding agent's work, which needs no model.
#pragma once

#include "model/message_setup.hpp"
#include "text/channel/render.hpp"

#include <string>
#include <string_view>

namespace cadre::patterns {

text::ChannelRules rules_of(const model::MessageSetup& setup);

/// With greeting and closing line, as the style guide wants them: a greeting only where the name is known, or not used, and the text
/// has none.
std::string dressed(std::string_view text, const model::MessageSetup& setup);

/// What is sent.
text::RenderedMessage rendered(std::string_view text, const model::MessageSetup& setup);

model::conversation::FormattedResponse formatted(const text::RenderedMessage& message, const std::string& request_id,
                                                 const model::MessageSetup& setup, Time now);

/// What a reader sees, piece by piece, without indicators: what criteria are held against.
std::string seen_text(const text::RenderedMessage& message);

}  // namespace cadre::patterns
