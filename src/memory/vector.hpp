// A vector as it is kept: a byte for each number and one scale, with the encoder that made it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::memory {

struct KeptVector {
    std::string encoder{};
    double scale = 0;
    std::string data{};  // base64

    bool operator==(const KeptVector&) const = default;
};
const model::Entity& describe(const KeptVector*);

KeptVector kept(std::string encoder, std::span<const float> vector);
/// Of length 1 again; empty for what cannot be read, or for a text without words.
std::vector<float> opened(const KeptVector& vector);

}  // namespace cadre::memory
