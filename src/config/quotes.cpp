#include "config/quotes.hpp"

#include <algorithm>

namespace cadre::config {

namespace {

/// Behind the quote that closes the one at the front.
std::size_t quote_end(std::string_view text)
{
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

}  // namespace

std::string with_quotes(std::string_view text, const std::function<std::string(std::string_view piece)>& shown)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t start = std::min(text.find('"'), text.size());
        result += text.substr(0, start);
        text.remove_prefix(start);
        if (text.empty()) break;
        const std::size_t end = quote_end(text);
        result += shown(text.substr(0, end));
        text.remove_prefix(end);
    }
    return result;
}

}  // namespace cadre::config
