// Regular expressions as schemas write them (ECMA-262, Unicode), matched in linear time by RE2.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace cadre::schema {

class Budget;

/// Immutable; any number of threads may search at once.
class Pattern {
public:
    /// Throws Error(invalid) that quotes the pattern: a mistake in it, or what needs backtracking (look-around, back
    /// references) or more than `memory` bytes.
    Pattern(std::string_view ecma, std::size_t memory);
    Pattern(Pattern&&) noexcept;
    ~Pattern();

    /// Whether it matches somewhere in `text`; patterns are not anchored.
    bool found_in(std::string_view text, Budget& budget) const;

    const std::string& text() const { return text_; }

private:
    std::string text_;
    std::unique_ptr<re2::RE2> regex_;
    std::size_t size_ = 0;  // of the compiled program
};

/// Whether it is one by ECMA-262, even if Pattern cannot match it.
bool is_pattern(std::string_view ecma);

}  // namespace cadre::schema
