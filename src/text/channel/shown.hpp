// What a channel cannot show, said in words: blocks that its dialect can write one by one.
#pragma once

#include "text/channel/markdown.hpp"
#include "text/channel/render.hpp"

#include <vector>

namespace cadre::text {

std::vector<Block> shown_blocks(const Markdown& markdown, const ChannelRules& rules);

/// Whether something of it is not shown as it was written.
bool loses_markdown(const MarkdownUse& uses, const ChannelRules& rules);

/// `Column: value` lines of a row below the header, which begins with what its table does.
Block row_in_words(const Block& table, std::size_t row);

/// `javascript:` and the like lead nowhere: only the web, mail and telephones, and addresses without a scheme, which are words only.
bool may_be_shown(std::string_view address);
bool may_be_linked(std::string_view address);

}  // namespace cadre::text
