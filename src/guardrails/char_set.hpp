// Sets of characters, as patterns name them.
#pragma once

#include <string>
#include <vector>

namespace cadre::guardrails {

/// Ranges in order, apart from each other; a value.
class CharSet {
public:
    struct Range {
        char32_t first;
        char32_t last;

        bool operator==(const Range&) const = default;
        auto operator<=>(const Range&) const = default;
    };
    static constexpr char32_t kLast = 0x10FFFF;

    CharSet() = default;
    static CharSet of(char32_t first, char32_t last) { return CharSet().add(first, last); }
    static CharSet any() { return of(0, kLast); }

    CharSet& add(char32_t first, char32_t last);
    CharSet& add(const CharSet& other);
    CharSet inverted() const;
    /// What the characters are when text is folded (text/fold.hpp), so that either case means both.
    CharSet folded() const;

    bool has(char32_t c) const;
    bool empty() const { return ranges_.empty(); }
    const std::vector<Range>& ranges() const { return ranges_; }

    bool operator==(const CharSet&) const = default;
    auto operator<=>(const CharSet&) const = default;

private:
    std::vector<Range> ranges_{};
};

}  // namespace cadre::guardrails
