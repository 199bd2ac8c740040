// What token vocabularies ask of a character: letter of which case, mark, number, space.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cadre::text {

enum class CharClass : std::uint8_t {
    other,    // punctuation, symbols, controls, what is not assigned, bytes that are no character
    space,    // White_Space, but for the next
    newline,  // \r and \n
    upper,    // Lu, Lt
    lower,    // Ll
    letter,   // Lm, Lo
    mark,     // M
    number,   // N
    end,      // behind the last character
};

struct Character {
    CharClass kind = CharClass::end;
    std::uint8_t bytes = 0;
};

/// The classes of Unicode 17. One table for all threads, made at first use.
class CharClasses {
public:
    static const CharClasses& table();

    /// The character that begins at `at`; a byte that begins none is an `other` of one byte.
    Character character(std::string_view text, std::size_t at) const
    {
        if (at >= text.size()) return {};
        const auto byte = static_cast<unsigned char>(text[at]);
        return byte < 0x80 ? Character{low_[byte], 1} : long_character(text.substr(at));
    }

private:
    struct Run {
        char32_t first;
        CharClass kind;
    };

    CharClasses();
    Character long_character(std::string_view text) const;

    std::array<CharClass, 0x10000> low_{};  // the basic plane
    std::vector<Run> high_{};               // the planes above it
};

}  // namespace cadre::text
