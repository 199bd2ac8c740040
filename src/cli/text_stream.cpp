#include "cli/text_stream.hpp"

#include "cli/output.hpp"

namespace cadre::cli {
namespace {

constexpr std::string_view kTabSpaces = "    ";

/// How much of the text is whole characters; the rest may become one.
std::size_t whole_characters(std::string_view text)
{
    constexpr std::size_t kLongest = 4;
    for (std::size_t back = 1; back < kLongest && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t needs = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return needs > back ? text.size() - back : text.size();
    }
    return text.size();
}

}  // namespace

std::string terminal_text(std::string_view text)
{
    std::string result;
    while (true) {
        const std::size_t end = text.find_first_of("\t\r");
        result += printable(text.substr(0, end));
        if (end == std::string_view::npos) return result;
        if (text[end] == '\t') result += kTabSpaces;
        text.remove_prefix(end + 1);
    }
}

std::string TextStream::take(std::string_view piece)
{
    cut_ += piece;
    const std::size_t whole = whole_characters(cut_);
    std::string text = terminal_text(std::string_view(cut_).substr(0, whole));
    cut_.erase(0, whole);
    return text;
}

}  // namespace cadre::cli
