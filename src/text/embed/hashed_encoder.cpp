#include "text/embed/hashed_encoder.hpp"

#include "text/embed/kernels.hpp"
#include "text/route/features.hpp"

#include <cmath>
#include <cstdint>

namespace cadre::text::embed {
namespace {

/// Words say more than their pieces, of which there are several times as many.
constexpr float kHashedKindWeights[] = {1.F, 0.5F, 0.4F};
/// At several places, so that two features that meet at one of them are told apart at another.
constexpr int kPlaces = 3;

std::uint64_t mixed(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

std::vector<float> hashed_vector(std::string_view text)
{
    std::vector<float> vector(kHashedSize);
    for (const route::Feature& feature : route::features_of(text)) {
        const float value = kHashedKindWeights[static_cast<std::size_t>(feature.kind)] * (1 + std::log(feature.count));
        std::uint64_t bits = mixed(feature.key);
        for (int place = 0; place < kPlaces; ++place, bits >>= 16)
            vector[bits % kHashedSize] += (bits & 0x8000) ? value : -value;
    }
    const float length = std::sqrt(kernels().dot(vector.data(), vector.data(), kHashedSize));
    if (length > 0)
        for (float& value : vector) value /= length;
    return vector;
}

}  // namespace

std::vector<std::vector<float>> HashedEncoder::encode(std::span<const std::string_view> texts) const
{
    std::vector<std::vector<float>> vectors;
    vectors.reserve(texts.size());
    for (const std::string_view text : texts) vectors.push_back(hashed_vector(text));
    return vectors;
}

}  // namespace cadre::text::embed
