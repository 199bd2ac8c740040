#include "memory/vector.hpp"

#include "base/base64.hpp"
#include "model/describe.hpp"

#include <algorithm>
#include <cmath>

namespace cadre::memory {

using model::field;

const model::Entity& describe(const KeptVector*)
{
    static const model::Entity entity{"memory_vector",
                                      "A text as numbers.",
                                      {field("encoder", &KeptVector::encoder, "Who made it.", {.required = true}),
                                       field("scale", &KeptVector::scale, "What a step of a byte is worth."),
                                       field("data", &KeptVector::data, "A byte for each number, in base64.")}};
    return entity;
}

KeptVector kept(std::string encoder, std::span<const float> vector)
{
    float most = 0;
    for (const float x : vector) most = std::max(most, std::abs(x));
    const float scale = most / 127;
    std::string bytes;
    bytes.reserve(vector.size());
    for (const float x : vector)
        bytes += static_cast<char>(static_cast<std::int8_t>(scale > 0 ? std::lround(x / scale) : 0));
    return {.encoder = std::move(encoder), .scale = scale, .data = to_base64(bytes)};
}

std::vector<float> opened(const KeptVector& vector)
{
    const auto bytes = from_base64(vector.data);
    if (!bytes) return {};
    std::vector<float> open;
    open.reserve(bytes->size());
    double square = 0;
    for (const char byte : *bytes) {
        const auto x = static_cast<float>(static_cast<std::int8_t>(byte) * vector.scale);
        open.push_back(x);
        square += static_cast<double>(x) * x;
    }
    if (square <= 0) return {};
    const auto length = static_cast<float>(std::sqrt(square));
    for (float& x : open) x /= length;
    return open;
}

}  // namespace cadre::memory
