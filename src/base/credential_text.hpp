// The pieces of text that credentials are made of: where a quotation, an array, a header or a bare value ends.
#pragma once

#include "base/ascii.hpp"

#include <cstddef>
#include <string_view>

namespace cadre {

// These are asked about every character of every text that leaves us, so they are inline.

bool is_one_of(char c, std::string_view characters);
/// Of names and keys: letters, digits, `_`, `-`.
constexpr bool is_word_character(char c)
{
    return is_digit(c) || is_letter(c) || c == '_' || c == '-';
}

/// How many characters at the start of `text` are of this kind.
template <class Is>
std::size_t run_length(std::string_view text, const Is& is)
{
    std::size_t length = 0;
    while (length < text.size() && is(text[length])) ++length;
    return length;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower_case);
bool ends_with_ignoring_case(std::string_view text, std::string_view lower_case);

/// Takes the blanks, or other characters, from the start of `text`; returns whether there were any.
bool skip(std::string_view& text, std::string_view characters = " \t");

/// A quotation mark at the start of `text`, with the backslashes that JSON inside JSON puts before it; else nothing.
std::string_view quote_at(std::string_view text);
/// Characters that belong to the quotation mark after them: b'…', rb"…", $'…', @"…".
std::size_t quote_prefix_length(std::string_view text);
/// Whether the quotation mark before this closed a text, as in `{"ask": "Your password:"}`, rather than opened a value.
bool follows_text(std::string_view text);

// Lengths of values, measured at their start; a value that was cut goes on to the end of the text.

/// After the quotation mark `open`: up to its twin.
std::size_t quoted_length(std::string_view text, std::string_view open);
/// Up to a blank, a quotation mark, or a character that parts values.
std::size_t bare_length(std::string_view text);
/// To the end of the line, or of the quotation that the header stands in.
std::size_t header_length(std::string_view text);
/// From the bracket that `text` begins with to its twin; brackets in quotations do not count.
std::size_t structure_length(std::string_view text);

/// Whether an array or object with something in it begins here; unless that is certain, a bracket may be prose, as in
/// "unexpected token: [ at line 3".
bool begins_structure(std::string_view text, bool certain);
/// Whether its first value is a number: `[1, 2]`, `{"prompt": 5}`.
bool begins_with_number(std::string_view structure);

}  // namespace cadre
