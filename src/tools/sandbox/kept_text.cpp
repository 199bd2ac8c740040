#include "tools/sandbox/kept_text.hpp"

#include "base/utf8.hpp"

#include <algorithm>

namespace cadre::tools {

void KeptText::add(std::string_view piece)
{
    size_ += piece.size();
    const std::size_t room = half_ - std::min(half_, head_.size());
    head_ += piece.substr(0, room);
    piece.remove_prefix(std::min(room, piece.size()));
    if (piece.size() > half_) piece.remove_prefix(piece.size() - half_);
    tail_ += piece;
    if (tail_.size() > 2 * half_) tail_.erase(0, tail_.size() - half_);
}

std::string KeptText::text() const
{
    const std::uint64_t after_head = size_ - head_.size();
    if (after_head <= tail_.size() && after_head <= half_) return valid_utf8(head_ + tail_);
    const std::size_t kept = std::min(half_, tail_.size());
    const std::string left_out = "\n[" + std::to_string(after_head - kept) + " bytes left out]\n";
    return valid_utf8(head_) + left_out + valid_utf8(std::string_view(tail_).substr(tail_.size() - kept));
}

bool KeptText::drop_through(std::string_view mark)
{
    const std::size_t place = head_.find(mark);
    if (place == std::string::npos) return false;
    const std::size_t end = place + mark.size();
    head_.erase(0, end);
    size_ -= end;
    return true;
}

std::string valid_utf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) out += "\xEF\xBF\xBD";
        else out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

}  // namespace cadre::tools
