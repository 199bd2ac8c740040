// The features of some texts, each with a number and a weight: the rarer, the heavier (TF-IDF). Texts as vectors over them.
#pragma once

#include "text/route/features.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cadre::text::route {

/// Numbers of features and their values; values of what is left out are 0.
using Sparse = std::vector<std::pair<std::uint32_t, float>>;

class Lexicon {
public:
    explicit Lexicon(std::span<const std::string> texts);

    /// Length 1 where all features are known: what is not known makes the known ones smaller.
    Sparse vector_of(std::string_view text) const;
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        std::uint32_t number = 0;
        float weight = 0;
    };
    std::unordered_map<std::uint64_t, Entry> entries_{};
    float unknown_ = 0;  // the weight of what no text had
};

}  // namespace cadre::text::route
