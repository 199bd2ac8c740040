// What a server sent, as text: by its type and character set.
#pragma once

#include "tools/fetch/html_markdown.hpp"

#include <optional>

namespace cadre::tools {

/// HTML as Markdown unless `raw`; other text as it is, in UTF-8. Nothing when it is no text. `type` is the Content-Type, which may be
/// missing; `url` is the page's.
std::optional<MarkdownText> page_text(std::string_view body, std::string_view type, std::string_view url, bool raw,
                                      std::size_t most);

/// The same text in UTF-8. Of character sets we know UTF-8 and Latin-1 (as Windows-1252); `charset` is as a page names it, or empty.
std::string to_utf8(std::string_view text, std::string_view charset);

}  // namespace cadre::tools
