// How many tokens a text is: exactly where the vocabulary is public and in this program, estimated elsewhere.
#pragma once

#include "text/encoding.hpp"
#include "text/vocabulary.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

/// The tokens of `text`, as tiktoken's encode_ordinary: names of special tokens are text like any other. Any bytes are taken:
/// those that are no UTF-8 become tokens as they are, so decode() gives them back. Time grows with the text, n log n at worst.
std::vector<Token> encode(std::string_view text, const Vocabulary& vocabulary);

/// encode(…).size(), without the list.
std::size_t count_tokens(std::string_view text, const Vocabulary& vocabulary);

/// The reverse of encode(). Throws Error(invalid) for a number that no token has.
std::string decode(std::span<const Token> tokens, const Vocabulary& vocabulary);

/// A rule that needs no vocabulary, the same in every program: a word costs a token for each six ASCII letters or part of them,
/// a number one for each three digits, signs one for each two in a row, other alphabets one for each two and a half letters, and
/// of the characters that take three or four bytes (Chinese, Japanese, Korean, pictures) each one.
std::size_t estimate_tokens(std::string_view text);

struct TokenCount {
    std::size_t tokens = 0;
    bool estimated = false;
};

/// Exact for an encoding that this program has, else estimated.
TokenCount count_tokens(std::string_view text, std::optional<Encoding> encoding);

}  // namespace cadre::text
