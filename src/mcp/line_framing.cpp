#include "mcp/line_framing.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace cadre::mcp {

namespace {

/// One long line does not hold its memory for ever.
constexpr std::size_t kKeptCapacity = 64 << 10;

bool is_blank(std::string_view line)
{
    return std::ranges::all_of(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

}  // namespace

std::optional<std::string_view> LineFraming::next()
{
    while (true) {
        if (shown_) {
            kept_.clear();
            if (kept_.capacity() > kKeptCapacity) kept_.shrink_to_fit();
            shown_ = false;
        }
        const std::size_t end = rest_.find('\n');
        if (kept_.size() + std::min(end, rest_.size()) > longest_)
            throw Error(Code::too_large, "a line of more than " + std::to_string(longest_) + " bytes");
        if (end == rest_.npos) {
            kept_ += rest_;
            rest_ = {};
            return std::nullopt;
        }
        std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        if (!kept_.empty()) {
            kept_ += line;
            line = kept_;
            shown_ = true;
        }
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!is_blank(line)) return line;
    }
}

}  // namespace cadre::mcp
