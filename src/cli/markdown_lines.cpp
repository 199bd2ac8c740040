#include "cli/markdown_lines.hpp"

#include <algorithm>
#include <string_view>

namespace cadre::cli {
namespace {

/// The end of what is opened by `mark` at the beginning of the text: the place of the mark that closes it, or npos.
std::size_t closing(std::string_view text, std::string_view mark)
{
    const std::size_t end = text.find(mark, mark.size());
    const bool is_empty = end == mark.size();
    const bool has_space = text.size() > mark.size() && text[mark.size()] == ' ';
    return is_empty || has_space ? std::string_view::npos : end;
}

std::size_t heading_marks(std::string_view line)
{
    const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
    return marks > 0 && marks <= 6 && marks < line.size() && line[marks] == ' ' ? marks : 0;
}

}  // namespace

std::string MarkdownLines::with_marks(std::string_view line) const
{
    std::string text;
    while (!line.empty()) {
        const bool is_bold = line.starts_with("**");
        const std::string_view mark = is_bold ? "**" : line.front() == '`' ? "`" : "";
        const std::size_t end = mark.empty() ? line.npos : closing(line, mark);
        if (end == line.npos) {
            text += line.front();
            line.remove_prefix(1);
            continue;
        }
        text += paint_(is_bold ? Tone::bold : Tone::yellow, line.substr(mark.size(), end - mark.size()));
        line.remove_prefix(end + mark.size());
    }
    return text;
}

std::string MarkdownLines::shown(std::string line)
{
    if (!paint_.on) return line;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view rest = std::string_view(line).substr(indent);
    if (rest.starts_with("```")) {
        in_code_ = !in_code_;
        return paint_(Tone::dim, line);
    }
    if (in_code_) return line;
    if (const std::size_t marks = heading_marks(line); marks > 0) return paint_(Tone::bold, line.substr(marks + 1));
    if (rest.starts_with("- ") || rest.starts_with("* "))
        return std::string(indent, ' ') + (utf8_ ? "• " : "- ") + with_marks(rest.substr(2));
    return with_marks(line);
}

}  // namespace cadre::cli
