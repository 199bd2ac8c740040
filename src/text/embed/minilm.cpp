#include "text/embed/minilm.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "text/embed/kernels.hpp"
#include "text/embed/mapped_file.hpp"
#include "text/embed/safetensors.hpp"
#include "text/embed/word_piece.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace cadre::text::embed {
namespace {

constexpr std::size_t kSize = kMiniLmSize, kHeads = 12, kHeadSize = kSize / kHeads, kLayers = 6, kInner = 1536;
constexpr std::size_t kWords = 30522, kPositions = 512, kMostTokens = 256;
/// Tokens that go through the layers together: enough that weights are read seldom, few enough for the cache.
constexpr std::size_t kMostRows = 256;

struct Norm {
    const Half* scale = nullptr;
    const Half* shift = nullptr;
};

struct Layer {
    Linear query{}, key{}, value{}, output{}, up{}, down{};
    Norm after_attention{}, after_inner{};
};

MappedFile checked(const std::filesystem::path& folder, const WeightsFile& expected)
{
    const std::filesystem::path path = folder / expected.name;
    MappedFile file(path);
    const std::string wanted = std::string(" of ") + kMiniLmPackage + "; install it again";
    if (file.bytes().size() != expected.bytes)
        throw Error(Code::invalid, path.string() + ": has " + std::to_string(file.bytes().size()) + " bytes, not the " +
                                       std::to_string(expected.bytes) + wanted);
    if (to_hex(sha256(file.bytes())) != expected.sha256)
        throw Error(Code::invalid, path.string() + ": its content is not that" + wanted);
    return file;
}

/// What one pass through the layers works in.
struct Scratch {
    explicit Scratch(std::size_t rows)
        : hidden(rows * kSize),
          query(rows * kSize),
          key(rows * kSize),
          value(rows * kSize),
          mixed(rows * kSize),
          inner(rows * kInner)
    {}
    std::vector<float> hidden, query, key, value, mixed, inner;
    std::array<float, 4 * kInner> weights{};
};

struct Piece {
    std::size_t first = 0;  // its rows
    std::size_t rows = 0;
    std::size_t text = 0;
};

}  // namespace

class MiniLm::Impl {
public:
    explicit Impl(const std::filesystem::path& folder)
        : weights_(checked(folder, kMiniLmWeights)),
          tokenizer_(checked(folder, kMiniLmTokenizer).bytes(), (folder / kMiniLmTokenizer.name).string())
    {
        const Tensors tensors(weights_.bytes(), (folder / kMiniLmWeights.name).string());
        words_ = tensors.halves("embeddings.word_embeddings.weight", {kWords, kSize});
        positions_ = tensors.halves("embeddings.position_embeddings.weight", {kPositions, kSize});
        types_ = tensors.halves("embeddings.token_type_embeddings.weight", {2, kSize});
        norm_ = norm(tensors, "embeddings.LayerNorm");
        for (std::size_t i = 0; i < kLayers; ++i) {
            const std::string at = "encoder.layer." + std::to_string(i) + ".";
            layers_[i] = {.query = linear(tensors, at + "attention.self.query", kSize, kSize),
                          .key = linear(tensors, at + "attention.self.key", kSize, kSize),
                          .value = linear(tensors, at + "attention.self.value", kSize, kSize),
                          .output = linear(tensors, at + "attention.output.dense", kSize, kSize),
                          .up = linear(tensors, at + "intermediate.dense", kSize, kInner),
                          .down = linear(tensors, at + "output.dense", kInner, kSize),
                          .after_attention = norm(tensors, at + "attention.output.LayerNorm"),
                          .after_inner = norm(tensors, at + "output.LayerNorm")};
        }
    }

    std::vector<std::vector<float>> encode(std::span<const std::string_view> texts) const
    {
        std::vector<std::vector<std::uint32_t>> tokens;
        for (const std::string_view text : texts) tokens.push_back(tokenizer_.tokens(text, kMostTokens));
        std::vector<std::vector<float>> vectors(texts.size());
        std::vector<Piece> batch;
        std::size_t rows = 0;
        const auto flush = [&] {
            if (!batch.empty()) pass(batch, rows, tokens, vectors);
            batch.clear();
            rows = 0;
        };
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (rows + tokens[i].size() > kMostRows) flush();
            batch.push_back({rows, tokens[i].size(), i});
            rows += tokens[i].size();
        }
        flush();
        return vectors;
    }

private:
    static Linear linear(const Tensors& tensors, const std::string& name, std::size_t inner, std::size_t columns)
    {
        return {tensors.halves(name + ".weight", {columns, inner}), tensors.halves(name + ".bias", {columns}), inner,
                columns};
    }

    static Norm norm(const Tensors& tensors, const std::string& name)
    {
        return {tensors.halves(name + ".weight", {kSize}), tensors.halves(name + ".bias", {kSize})};
    }

    static void normalise(std::span<float> rows, const Norm& norm)
    {
        std::array<float, kSize> scale, shift;
        kernels().widen(scale.data(), norm.scale, kSize);
        kernels().widen(shift.data(), norm.shift, kSize);
        for (std::size_t at = 0; at < rows.size(); at += kSize) {
            float* x = &rows[at];
            const float mean = std::accumulate(x, x + kSize, 0.F) / kSize;
            for (std::size_t i = 0; i < kSize; ++i) x[i] -= mean;
            const float factor = 1 / std::sqrt(kernels().dot(x, x, kSize) / kSize + 1e-12F);
            for (std::size_t i = 0; i < kSize; ++i) x[i] = x[i] * factor * scale[i] + shift[i];
        }
    }

    static void add_and_normalise(std::vector<float>& hidden, const std::vector<float>& added, std::size_t rows,
                                  const Norm& norm)
    {
        for (std::size_t i = 0; i < rows * kSize; ++i) hidden[i] += added[i];
        normalise(std::span(hidden).first(rows * kSize), norm);
    }

    void look_up(Scratch& scratch, const Piece& piece, const std::vector<std::uint32_t>& tokens) const
    {
        std::array<float, kSize> type, position;
        kernels().widen(type.data(), types_, kSize);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            float* x = &scratch.hidden[(piece.first + i) * kSize];
            kernels().widen(x, words_ + tokens[i] * kSize, kSize);
            kernels().widen(position.data(), positions_ + i * kSize, kSize);
            for (std::size_t k = 0; k < kSize; ++k) x[k] += type[k] + position[k];
        }
    }

    /// Each token of one text takes from all tokens of it, as much as its query and their keys agree.
    static void attend(Scratch& scratch, const Piece& piece)
    {
        const float scale = 1 / std::sqrt(static_cast<float>(kHeadSize));
        std::array<float, kMostTokens> shares;
        for (std::size_t head = 0; head < kHeads; ++head)
            for (std::size_t row = piece.first; row < piece.first + piece.rows; ++row) {
                const std::size_t own = row * kSize + head * kHeadSize;
                for (std::size_t i = 0; i < piece.rows; ++i)
                    shares[i] =
                        scale * kernels().dot(&scratch.query[own],
                                              &scratch.key[(piece.first + i) * kSize + head * kHeadSize], kHeadSize);
                kernels().softmax(shares.data(), piece.rows);
                std::fill_n(&scratch.mixed[own], kHeadSize, 0.F);
                for (std::size_t i = 0; i < piece.rows; ++i)
                    kernels().add_scaled(&scratch.mixed[own], shares[i],
                                         &scratch.value[(piece.first + i) * kSize + head * kHeadSize], kHeadSize);
            }
    }

    static std::vector<float> pooled(const Scratch& scratch, const Piece& piece)
    {
        std::vector<float> mean(kSize);
        for (std::size_t i = 0; i < piece.rows; ++i)
            kernels().add_scaled(mean.data(), 1, &scratch.hidden[(piece.first + i) * kSize], kSize);
        const float length = std::sqrt(kernels().dot(mean.data(), mean.data(), kSize));
        for (float& value : mean) value /= length;
        return mean;
    }

    void pass(std::span<const Piece> batch, std::size_t rows, const std::vector<std::vector<std::uint32_t>>& tokens,
              std::vector<std::vector<float>>& vectors) const
    {
        Scratch scratch(rows);
        const auto apply = [&](std::vector<float>& out, const std::vector<float>& x, const Linear& layer) {
            kernels().linear(out.data(), x.data(), rows, layer, scratch.weights.data());
        };
        for (const Piece& piece : batch) look_up(scratch, piece, tokens[piece.text]);
        normalise(scratch.hidden, norm_);
        for (const Layer& layer : layers_) {
            apply(scratch.query, scratch.hidden, layer.query);
            apply(scratch.key, scratch.hidden, layer.key);
            apply(scratch.value, scratch.hidden, layer.value);
            for (const Piece& piece : batch) attend(scratch, piece);
            apply(scratch.query, scratch.mixed, layer.output);
            add_and_normalise(scratch.hidden, scratch.query, rows, layer.after_attention);
            apply(scratch.inner, scratch.hidden, layer.up);
            kernels().gelu(scratch.inner.data(), scratch.inner.size());
            apply(scratch.query, scratch.inner, layer.down);
            add_and_normalise(scratch.hidden, scratch.query, rows, layer.after_inner);
        }
        for (const Piece& piece : batch) vectors[piece.text] = pooled(scratch, piece);
    }

    MappedFile weights_;
    WordPiece tokenizer_;
    const Half* words_ = nullptr;
    const Half* positions_ = nullptr;
    const Half* types_ = nullptr;
    Norm norm_{};
    std::array<Layer, kLayers> layers_{};
};

MiniLm::MiniLm(const std::filesystem::path& folder) : impl_(std::make_unique<const Impl>(folder))
{}
MiniLm::~MiniLm() = default;

std::vector<std::vector<float>> MiniLm::encode(std::span<const std::string_view> texts) const
{
    return impl_->encode(texts);
}

}  // namespace cadre::text::embed
