// All patterns of a set as one machine of steps, over classes of characters that no pattern tells apart.
#pragma once

#include "guardrails/pattern_syntax.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

using ClassId = std::uint16_t;
/// Of a character that is not seen: no step is made.
inline constexpr ClassId kNoClass = 0xFFFF;

/// What assertions ask of the character on either side of a place.
enum class Neighbour : std::uint8_t { none, word, newline, other };

struct NfaNode {
    enum class Type : std::uint8_t { characters, split, assertion, match };

    Type type = Type::match;
    Assertion assertion{};
    std::uint32_t set = 0;  // characters: which of the sets; match: which pattern
    std::uint32_t out = 0;
    std::uint32_t other = 0;  // split
};

/// Immutable once seal() was called.
class Nfa {
public:
    static constexpr std::size_t kMaxNodes = 200'000;
    /// Of the match of a pattern that only says where text may be cut.
    static constexpr std::uint32_t kCutOnly = 0xFFFFFFFF;

    /// False, with nothing added: all together would have more than kMaxNodes.
    bool add(const PatternNode& pattern, std::uint32_t id);
    /// Makes the classes, after the last pattern.
    void seal();

    const std::vector<NfaNode>& nodes() const { return nodes_; }
    const std::vector<std::uint32_t>& starts() const { return starts_; }
    bool empty() const { return starts_.empty(); }

    /// Without the one that stands for the end of the text.
    std::size_t classes() const { return neighbours_.size(); }
    ClassId end_class() const { return static_cast<ClassId>(neighbours_.size()); }
    /// Of a character as it came, folded on the way.
    ClassId class_of(char32_t c) const { return c < basic_.size() ? basic_[c] : class_of_folded_high(c); }
    bool has(std::uint32_t set, ClassId c) const { return members_[set * classes() + c]; }
    /// What the class is to an assertion, as far as any of them asks.
    Neighbour neighbour(ClassId c) const { return c == end_class() ? Neighbour::none : neighbours_[c]; }
    Neighbour begin() const { return asks_begin_ ? Neighbour::none : Neighbour::other; }

private:
    class Builder;

    ClassId class_of_folded_high(char32_t c) const;
    ClassId class_of_folded(char32_t c) const;
    void make_classes();

    std::vector<NfaNode> nodes_{};
    std::vector<std::uint32_t> starts_{};
    std::map<CharSet, std::uint32_t> sets_{};
    bool asks_word_ = false;
    bool asks_line_ = false;
    bool asks_begin_ = false;

    std::vector<char32_t> firsts_{};  // of each interval of characters that are in the same class
    std::vector<ClassId> interval_class_{};
    std::vector<Neighbour> neighbours_{};
    std::vector<bool> members_{};
    std::vector<ClassId> basic_{};  // the basic plane
};

/// Whether it can stay alive over blanks without end, as `a.*b` does: a stream would be held back to its end.
bool holds_over_blanks(const PatternNode& pattern);

}  // namespace cadre::guardrails
