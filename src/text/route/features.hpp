// What of a text counts when it is compared with others by its words: the words, pairs of neighbours, and pieces of words, so that
// other endings and slips of the pen still match. For all scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cadre::text::route {

enum class FeatureKind : std::uint8_t { word, pair, piece };

struct Feature {
    std::uint64_t key = 0;
    float count = 0;
    FeatureKind kind = FeatureKind::word;
};

/// Of longer texts the beginning is looked at: a request says early what it is about.
inline constexpr std::size_t kMostRequestBytes = 4096;

/// Each feature once, by key. Case, width and accents make no difference.
std::vector<Feature> features_of(std::string_view text);

/// The words as features see them, in order.
std::vector<std::string_view> words_of(std::string_view folded);
/// Lower case, no accents, no unseen characters; apostrophes inside words are gone.
std::string plain_form(std::string_view text);

}  // namespace cadre::text::route
