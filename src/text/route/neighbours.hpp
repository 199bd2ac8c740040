// How like a text is to the examples that it is nearest to, for each class.
#pragma once

#include "text/route/lexicon.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cadre::text::route {

/// No example is left out.
inline constexpr int kNoFold = -1;

/// An example of the catalogue. Those of one fold can be left out together, to see how well one does without them.
struct Example {
    std::uint32_t label = 0;
    int fold = kNoFold;  // never left out
    float weight = 1;
};

/// The mean of the three nearest of each class.
class NearestThree {
public:
    explicit NearestThree(std::size_t classes) : best_(classes) {}

    void add(std::uint32_t label, float likeness);
    void write(std::span<float> means) const;

private:
    struct Three {
        float values[3] = {};
        int count = 0;
    };
    std::vector<Three> best_;
};

/// Finds by words which examples share features with a text.
class Postings {
public:
    Postings(std::span<const Sparse> vectors, std::size_t features);

    /// The cosine to each example.
    std::vector<float> likeness(const Sparse& vector) const;

private:
    struct Posting {
        std::uint32_t example;
        float value;
    };
    std::vector<std::uint32_t> starts_{};  // of each feature, and the end
    std::vector<Posting> postings_{};
    std::size_t examples_;
};

}  // namespace cadre::text::route
