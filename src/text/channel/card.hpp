// An Adaptive Card 1.5 for Teams.
#pragma once

#include "text/channel/dialect.hpp"

#include <memory>

namespace cadre::text {

/// Content: the card's JSON. Alternative: its text.
std::unique_ptr<Dialect> make_card(const ChannelRules& rules);

/// What a TextBlock shows as `text` itself: the marks of its Markdown are escaped where they would format.
std::string card_text(std::string_view text);

}  // namespace cadre::text
