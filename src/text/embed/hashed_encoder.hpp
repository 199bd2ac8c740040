// The encoder that is always there: words and pieces of words, each at places that its hash names. It knows no meanings; texts are
// alike as far as they use the same words.
#pragma once

#include "text/encoder.hpp"

#include <cstddef>

namespace cadre::text::embed {

inline constexpr std::size_t kHashedSize = 256;

/// From any thread.
class HashedEncoder final : public Encoder {
public:
    std::string id() const override { return "words-256-v1"; }
    /// Of long texts the beginning counts (route::kMostRequestBytes). A text without words is all zeros.
    std::vector<std::vector<float>> encode(std::span<const std::string_view> texts) const override;
};

}  // namespace cadre::text::embed
