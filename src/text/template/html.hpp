// Text for HTML and out of it.
#pragma once

#include <string>
#include <string_view>

namespace cadre::text::tpl {

/// & < > ' " as entities.
std::string escaped(std::string_view text);
/// Without comments and tags, spaces made one, and entities turned into their characters.
std::string without_tags(std::string_view text);
/// Entities turned into their characters.
std::string unescaped(std::string_view text);
/// Percent encoding; for a query a slash is encoded, too, and a space becomes a plus sign.
std::string url_encoded(std::string_view text, bool query);

}  // namespace cadre::text::tpl
