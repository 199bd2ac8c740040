// The forms of personal data: each function looks at one place of a text and costs no more than it finds. Parts of find_pii().
#pragma once

#include "base/ascii.hpp"
#include "text/pii.hpp"

namespace cadre::text {

/// Letters and digits of Latin scripts, by bytes: ASCII, and U+00C0 to U+027F, whose bytes are told by their first.
constexpr bool is_latin_lead(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xC3 && byte <= 0xC9;
}

constexpr bool is_plain_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

constexpr bool is_hex(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

/// Whether a word goes on before `at`, or from it on.
bool word_before(std::string_view text, std::size_t at);
bool word_at(std::string_view text, std::size_t at);

/// The address around the `@` at `at`.
std::optional<PiiMatch> email_around(std::string_view text, std::size_t at);
/// The IBAN whose first digit is at `at`.
std::optional<PiiMatch> iban_around(std::string_view text, std::size_t at);
/// The address that a colon or dash at `at` is part of.
std::optional<PiiMatch> hex_address_around(std::string_view text, std::size_t at, std::size_t& run_end);

/// All that is in the run of numbers whose first digit is at `at`: cards, SSNs, addresses of version 4, phones. Returns its end.
std::size_t take_number_run(std::string_view text, std::size_t at, std::vector<PiiMatch>& found);

}  // namespace cadre::text
