// Characters as Python sees them: what is a space, a letter, printable; upper and lower case. Unicode 14, as the judge's Python has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::text::tpl {

struct CodePoint {
    char32_t value = 0;
    std::uint8_t bytes = 0;
};

/// The character at `at`, which must be inside the text. A byte that begins none counts as one character, U+FFFD.
CodePoint code_point(std::string_view text, std::size_t at);
void append_utf8(std::string& out, char32_t point);

bool is_ascii(std::string_view text);
/// As Python's ascii(): every other character becomes an escape.
std::string ascii_escaped(std::string_view text);
/// In characters.
std::size_t length_of(std::string_view text);
/// Where the character with this number begins; the text's size when there are fewer.
std::size_t offset_of(std::string_view text, std::size_t index);

enum CharacterProperty : std::uint8_t {
    space = 1,
    printable = 2,
    word = 4,  // \w: letters, digits, numerals, underscore
    name_start = 8,
    name_part = 16,
    digit = 32,
    cased = 64,
    case_ignored = 128,
};
std::uint8_t properties_of(char32_t point);
inline bool has(char32_t point, CharacterProperty property)
{
    return (properties_of(point) & property) != 0;
}
/// The value of a character that is a `digit`.
int digit_value(char32_t point);

std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string capitalize(std::string_view text);

/// Without the characters of `chars` at its ends; without spaces when `chars` is null.
std::string_view strip(std::string_view text, const std::string_view* chars = nullptr);
std::string_view strip_right(std::string_view text);
std::string_view strip_left(std::string_view text);

/// Bytes of the line break that begins at `at`: "\r\n" is one; 0: none. Python's list is longer than \n and \r.
std::size_t line_break(std::string_view text, std::size_t at);

}  // namespace cadre::text::tpl
