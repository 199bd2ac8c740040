// Where in its file a character of a text stands: texts are quoted, escaped, or begin on the next line.
#include "base/utf8.hpp"
#include "config/document.hpp"

#include <algorithm>
#include <string_view>

namespace cadre::config {

namespace {

/// Line number `number` of the text and what follows it.
std::string_view from_line(std::string_view text, std::size_t number)
{
    for (std::size_t i = 1; i < number; ++i) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    return text;
}

std::string_view without_characters(std::string_view text, std::size_t count)
{
    for (; count > 0 && !text.empty(); --count) text.remove_prefix(std::max<std::size_t>(utf8_length(text), 1));
    return text;
}

/// How many characters of a quoted text stand for its first `count`.
std::size_t written_for(std::string_view quoted, std::size_t count, char quote)
{
    std::size_t written = 0;
    for (; count > 0 && !quoted.empty() && quoted[0] != '\n'; --count) {
        std::size_t length = 1;
        if (quote == '"' && quoted[0] == '\\') length = quoted.size() > 1 && quoted[1] == 'u' ? 6 : 2;
        if (quote == '\'' && quoted.starts_with("''")) length = 2;
        written += length;
        quoted = without_characters(quoted, length);
    }
    return written;
}

std::size_t indentation_of(std::string_view block)
{
    while (true) {
        const std::size_t first = block.find_first_not_of(' ');
        if (first == block.npos || block[first] != '\n') return first == block.npos ? 0 : first;
        block.remove_prefix(first + 1);
    }
}

}  // namespace

Position Document::inside(const PathSteps& path, std::size_t line, std::size_t column) const
{
    const Found found = find(value, root, path);
    const Position at = found.place->at;
    if (!found.exact || at == kNowhere || !found.place->written.empty()) return at;
    const std::string_view begin = without_characters(from_line(text, at.line), at.column - 1);
    if (begin.empty()) return at;
    if (begin[0] == '|') {
        const std::string_view block = from_line(begin, 2);
        return {at.line + line, indentation_of(block) + column};
    }
    if (line != 1 || begin[0] == '>') return at;  // folded: lines there are not lines here
    if (begin[0] == '"' || begin[0] == '\'')
        return {at.line, at.column + 1 + written_for(begin.substr(1), column - 1, begin[0])};
    return {at.line, at.column + column - 1};
}

}  // namespace cadre::config
