// Few numbers that make many cases most likely, by Newton's method. They stay near what was expected of them where there are few
// cases that say otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cadre::text::route {

inline constexpr std::size_t kKinds = 4;
using Weights = std::array<double, kKinds>;

/// What speaks for each class, of each kind: kKinds rows of as many floats as there are classes.
struct Evidence {
    std::vector<float> scores{};
    std::size_t classes = 0;

    float at(std::size_t kind, std::size_t of_class) const { return scores[kind * classes + of_class]; }
    float& at(std::size_t kind, std::size_t of_class) { return scores[kind * classes + of_class]; }
};

struct Judged {
    Evidence evidence{};
    std::uint32_t label = 0;
};

inline constexpr std::size_t kNoClass = static_cast<std::size_t>(-1);

/// What speaks for the class, if each kind of evidence has that weight.
double score(const Evidence& evidence, const Weights& weights, std::size_t of_class);
/// The probability of each class: e^score, over their sum.
std::vector<double> probabilities(const Evidence& evidence, const Weights& weights);

/// Weights under which the labels are most likely. None is negative.
Weights fit_weights(std::span<const Judged> cases, const Weights& expected);

struct YesOrNo {
    Weights facts{};
    bool is = false;
    double weight = 1;
};
double likelihood(const Weights& facts, const Weights& weights);
/// Logistic regression.
Weights fit_yes_or_no(std::span<const YesOrNo> cases, const Weights& expected);

}  // namespace cadre::text::route
