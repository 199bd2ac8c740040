// What a sentence quotes: names and values that people wrote, or that a variable holds.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cadre::config {

/// `text` with every piece in double quotes, quotes included, replaced by what `shown` makes of it.
std::string with_quotes(std::string_view text, const std::function<std::string(std::string_view piece)>& shown);

}  // namespace cadre::config
