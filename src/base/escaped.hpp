// Texts as JSON, URLs and forms write them.
#pragma once

#include <cstddef>
#include <string_view>

namespace cadre {

/// How many characters at the start of `text` say `plain`: as it is, or with some or all of its characters escaped in
/// the way of JSON (`\/`, `\u00e9`), URLs (`%2f`, `%2F`) or forms (`+` for a blank). 0 if they say something else.
std::size_t escaped_length(std::string_view text, std::string_view plain);

/// What such a text can begin with, besides the first character of `plain`.
inline constexpr std::string_view kEscapeBegins = "\\%+\xEF";

}  // namespace cadre
