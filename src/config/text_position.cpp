#include "config/text_position.hpp"

#include "base/utf8.hpp"

#include <algorithm>

namespace cadre::config {
namespace {

/// The line with that number, from 1 on, without its end.
std::string_view line_of(std::string_view text, std::size_t number)
{
    for (; number > 1; --number) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

/// What is left of it behind so many characters.
std::string_view behind(std::string_view text, std::size_t characters)
{
    for (; characters > 0 && !text.empty(); --characters)
        text.remove_prefix(std::max<std::size_t>(utf8_length(text), 1));
    return text;
}

std::string_view before(std::string_view text, std::size_t characters)
{
    return text.substr(0, text.size() - behind(text, characters).size());
}

/// A block behind `|`: every line of the text stands in a line of its own, indented.
Position position_in_block(const TextInFile& text, Position wanted)
{
    const std::string_view meant = line_of(text.text, wanted.line);
    const std::string_view written = line_of(text.file, text.at.line + wanted.line);
    const std::size_t indent = std::min(written.find_first_not_of(' '), written.size());
    const std::size_t own_indent = std::min(meant.find_first_not_of(' '), meant.size());
    if (indent < own_indent || !written.substr(indent - own_indent).starts_with(meant)) return text.at;
    return {text.at.line + wanted.line, indent - own_indent + wanted.column};
}

}  // namespace

Position position_in_text(const TextInFile& text, Position wanted)
{
    std::string_view written = behind(line_of(text.file, text.at.line), text.at.column - 1);
    if (written.starts_with('|')) return position_in_block(text, wanted);
    const bool is_quoted = written.starts_with('"') || written.starts_with('\'');
    if (is_quoted) written.remove_prefix(1);
    if (wanted.line != 1 || !written.starts_with(before(text.text, wanted.column - 1))) return text.at;
    return {text.at.line, text.at.column + (is_quoted ? 1 : 0) + wanted.column - 1};
}

}  // namespace cadre::config
