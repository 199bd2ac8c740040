#include "text/tokens.hpp"

#include "text/char_class.hpp"
#include "text/merge.hpp"
#include "text/split.hpp"

#include <algorithm>

namespace cadre::text {
namespace {

template <class Take>
void for_each_piece(std::string_view text, Encoding encoding, Take take)
{
    while (!text.empty()) {
        const std::size_t length = std::min(first_piece(text, encoding), kLongestPiece);
        take(text.substr(0, length));
        text.remove_prefix(length);
    }
}

}  // namespace

std::vector<Token> encode(std::string_view text, const Vocabulary& vocabulary)
{
    std::vector<Token> tokens;
    Merger merger(vocabulary);
    for_each_piece(text, vocabulary.encoding(), [&](std::string_view piece) { merger.append(piece, tokens); });
    return tokens;
}

std::size_t count_tokens(std::string_view text, const Vocabulary& vocabulary)
{
    std::size_t count = 0;
    Merger merger(vocabulary);
    for_each_piece(text, vocabulary.encoding(), [&](std::string_view piece) { count += merger.count(piece); });
    return count;
}

std::string decode(std::span<const Token> tokens, const Vocabulary& vocabulary)
{
    std::string text;
    for (const Token token : tokens) text += vocabulary.text_of(token);
    return text;
}

TokenCount count_tokens(std::string_view text, std::optional<Encoding> encoding)
{
    const Vocabulary* vocabulary = encoding ? find_vocabulary(*encoding) : nullptr;
    if (!vocabulary) return {estimate_tokens(text), true};
    return {count_tokens(text, *vocabulary), false};
}

}  // namespace cadre::text
