// Text as searches see it: what looks alike or is not seen makes no difference. Character by character, so that a stream can be
// folded as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

/// Of characters that nobody sees (Default_Ignorable_Code_Point): they are left out.
inline constexpr char32_t kNotSeen = 0xFFFFFFFF;

/// The lower case (Unicode's simple case folding) of the usual width, a plain blank for all blanks, a newline for all line
/// separators; or kNotSeen. Unicode 14, as RE2 has it.
char32_t folded(char32_t c);

/// Only the width: for patterns, whose letters mean something in either case.
char32_t of_usual_width(char32_t c);

/// A text folded, and where its bytes came from.
struct Folded {
    std::string text{};                   // UTF-8, whatever the bytes were
    std::vector<std::uint32_t> origin{};  // of each byte and of the end; empty: each is where it was

    std::size_t place(std::size_t at) const { return origin.empty() ? at : origin[at]; }
    /// Where what ends at `at` ended in `original`: before the unseen characters that follow it there.
    std::size_t end_place(std::size_t at, std::string_view original) const;
};

Folded fold(std::string_view text);

}  // namespace cadre::text
