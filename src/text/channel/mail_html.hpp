// Parts of a text as the HTML of an e-mail: our own tags only, styles inline, nothing that is fetched.
#pragma once

#include "text/channel/dialect.hpp"

#include <span>
#include <string>
#include <string_view>

namespace cadre::text {

/// A whole document. Links lead to the web, to mail and to telephones; anything else in it is text.
std::string mail_html(std::span<const Part> parts, std::string_view indicator);

}  // namespace cadre::text
