// The page at /docs: every route, what it takes and answers, from the table alone; one file that loads nothing from elsewhere.
#pragma once

#include "server/route.hpp"

#include <span>
#include <string>
#include <string_view>

namespace cadre::server {

std::string docs_page(std::span<const Route> routes, std::string_view version);

/// `text` as it can stand in HTML, in attributes too.
std::string html_text(std::string_view text);

}  // namespace cadre::server
