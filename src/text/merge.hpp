// Byte pair encoding of one piece of text.
#pragma once

#include "text/vocabulary.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cadre::text {

/// Joins the bytes of a piece to tokens: again and again the two neighbours that are a token of the lowest rank, the leftmost of
/// equals. Keeps its memory from piece to piece; for one thread at a time.
class Merger {
public:
    explicit Merger(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    /// How many tokens `piece` is.
    std::size_t count(std::string_view piece);
    /// Adds them to `out`.
    void append(std::string_view piece, std::vector<Token>& out);

private:
    static constexpr Token kNone = ~Token{0};

    struct Part {
        std::uint32_t begin = 0;
        Token token = 0;
        Token pair = kNone;  // what it would be together with the next one
    };

    void merge(std::string_view piece);
    void merge_short(std::string_view piece);
    void merge_long(std::string_view piece);
    Token pair_of(std::string_view piece, std::size_t begin, std::size_t end) const;

    const Vocabulary& vocabulary_;
    std::vector<Part> parts_{};  // what merge() leaves, and one more where the piece ends

    // of merge_long(): the parts beside each part, and which pairs are to be looked at, by rank and then place
    std::vector<std::uint32_t> next_{};
    std::vector<std::uint32_t> previous_{};
    std::vector<std::uint64_t> queue_{};
};

/// Longer ones are cut, which nobody will notice: it bounds memory and lets places be numbers of 32 bits.
inline constexpr std::size_t kLongestPiece = std::size_t{1} << 30;

}  // namespace cadre::text
