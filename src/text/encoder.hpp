// Texts as vectors whose cosine says how alike they are in meaning. Whoever has a model of this kind hands it in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

class Encoder {
public:
    virtual ~Encoder() = default;

    /// Which model it is: vectors of different ones say nothing about each other.
    virtual std::string id() const = 0;
    /// One vector of length 1 for each text. From any thread.
    virtual std::vector<std::vector<float>> encode(std::span<const std::string_view> texts) const = 0;
};

}  // namespace cadre::text
