#include "cli/shell_word.hpp"

#include <algorithm>
#include <cctype>

namespace cadre::cli {
namespace {

bool needs_no_quotes(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || byte >= 0x80 || std::string_view("/._-+,@%:=").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view text)
{
    if (!text.empty() && std::ranges::all_of(text, needs_no_quotes)) return std::string(text);
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace cadre::cli
