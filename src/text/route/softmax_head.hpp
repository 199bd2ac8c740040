// Multinomial logistic regression: which of some classes a vector belongs to, learnt from vectors whose class is known.
#pragma once

#include "text/route/lexicon.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cadre::text::route {

struct Labelled {
    const Sparse* vector = nullptr;
    std::uint32_t label = 0;
    float weight = 1;
};

struct Training {
    int rounds = 20;
    float rate = 2;  // of the first step; it falls to nothing
};

/// The same, of vectors in which each number says something: learnt quicker, because most classes are ruled out early.
class DenseHead {
public:
    DenseHead(std::size_t dimensions, std::size_t classes);

    struct Labelled {
        const float* vector = nullptr;
        std::uint32_t label = 0;
        float weight = 1;
    };
    void train(std::span<const Labelled> samples, const Training& training);
    void write_scores(const float* vector, std::span<float> scores) const;

private:
    std::size_t dimensions_;
    std::size_t classes_;
    std::vector<float> weights_{};  // a row for each class
};

/// The same samples make the same head. Often and from any thread once it is trained.
class SoftmaxHead {
public:
    SoftmaxHead(std::size_t features, std::size_t classes);

    void train(std::span<const Labelled> samples, const Training& training);
    /// Adds the score of each class: the logarithm of its odds, up to a constant.
    void add_scores(const Sparse& vector, std::span<float> scores) const;
    /// As many floats as add_scores() needs.
    std::size_t width() const { return width_; }

private:
    std::size_t classes_;
    std::size_t width_;             // of a row, so that kernels need no rest
    std::vector<float> weights_{};  // a row for each feature
    std::vector<float> offsets_{};
};

}  // namespace cadre::text::route
