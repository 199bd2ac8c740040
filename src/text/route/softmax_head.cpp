#include "text/route/softmax_head.hpp"

#include "text/embed/kernels.hpp"

#include <algorithm>

namespace cadre::text::route {
namespace {

/// An order that mixes classes and is always the same.
std::vector<std::uint32_t> mixed_order(std::size_t count)
{
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
    std::uint64_t state = 0x2545F4914F6CDD1Du;
    for (std::size_t i = count; i > 1; --i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        std::swap(order[i - 1], order[state % i]);
    }
    return order;
}

/// Calls `step(sample, rate)` for each, again and again, with a rate that falls to nothing.
template <class Step>
void descend(std::size_t samples, const Training& training, const Step& step)
{
    const auto order = mixed_order(samples);
    const float all = static_cast<float>(training.rounds) * static_cast<float>(samples);
    float done = 0;
    for (int round = 0; round < training.rounds; ++round)
        for (const std::uint32_t i : order) step(i, training.rate * (1 - done++ / all));
}

constexpr float kSureEnough = 0.002F;  // a step of less is not worth its time

}  // namespace

DenseHead::DenseHead(std::size_t dimensions, std::size_t classes)
    : dimensions_(dimensions), classes_(classes), weights_(dimensions * classes)
{}

void DenseHead::write_scores(const float* vector, std::span<float> scores) const
{
    const auto& kernels = embed::kernels();
    for (std::size_t c = 0; c < classes_; ++c) scores[c] = kernels.dot(&weights_[c * dimensions_], vector, dimensions_);
}

void DenseHead::train(std::span<const Labelled> samples, const Training& training)
{
    const auto& kernels = embed::kernels();
    std::vector<float> gradient(classes_);
    descend(samples.size(), training, [&](std::uint32_t i, float rate) {
        const Labelled& sample = samples[i];
        write_scores(sample.vector, gradient);
        kernels.softmax(gradient.data(), classes_);
        gradient[sample.label] -= 1;
        if (-gradient[sample.label] < kSureEnough) return;
        const float step = -rate * sample.weight;
        for (std::size_t c = 0; c < classes_; ++c)
            if (gradient[c] < 0 || gradient[c] > kSureEnough / 4)
                kernels.add_scaled(&weights_[c * dimensions_], step * gradient[c], sample.vector, dimensions_);
    });
}

SoftmaxHead::SoftmaxHead(std::size_t features, std::size_t classes)
    : classes_(classes), width_((classes + 7) / 8 * 8), weights_(features * width_), offsets_(width_)
{}

void SoftmaxHead::add_scores(const Sparse& vector, std::span<float> scores) const
{
    const auto& kernels = embed::kernels();
    kernels.add_scaled(scores.data(), 1, offsets_.data(), width_);
    for (const auto& [feature, value] : vector)
        kernels.add_scaled(scores.data(), value, &weights_[feature * width_], width_);
}

void SoftmaxHead::train(std::span<const Labelled> samples, const Training& training)
{
    const auto& kernels = embed::kernels();
    std::vector<float> gradient(width_);
    descend(samples.size(), training, [&](std::uint32_t i, float rate) {
        const Labelled& sample = samples[i];
        std::ranges::fill(gradient, 0.F);
        add_scores(*sample.vector, gradient);
        kernels.softmax(gradient.data(), classes_);
        std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(classes_), gradient.end(), 0.F);
        gradient[sample.label] -= 1;
        if (-gradient[sample.label] < kSureEnough) return;
        const float step = -rate * sample.weight;
        kernels.add_scaled(offsets_.data(), step * 0.1F, gradient.data(), width_);
        for (const auto& [feature, value] : *sample.vector)
            kernels.add_scaled(&weights_[feature * width_], step * value, gradient.data(), width_);
    });
}

}  // namespace cadre::text::route
