// KeptText: the beginning and the end of a text that may be endless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::tools {

class KeptText {
public:
    explicit KeptText(std::size_t most) : half_(most / 2) {}

    void add(std::string_view piece);
    /// Bytes that were added, kept or not.
    std::uint64_t size() const { return size_; }
    /// With a line in the place of what is left out. Valid UTF-8: other bytes come out as U+FFFD.
    std::string text() const;
    /// Forgets what was before the end of `mark`, if that is in the beginning. False: it is not.
    bool drop_through(std::string_view mark);
    const std::string& beginning() const { return head_; }

private:
    std::size_t half_;
    std::uint64_t size_ = 0;
    std::string head_;
    std::string tail_;  // at most twice as long as it need be, so that it is seldom moved
};

/// U+FFFD for what is not UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace cadre::tools
