#include "text/route/fitting.hpp"

#include <algorithm>
#include <cmath>

namespace cadre::text::route {
namespace {

using Square = std::array<Weights, kKinds>;

constexpr int kNewtonSteps = 12;
/// How many cases what was expected counts for.
constexpr double kPriorCases = 4;

/// x of a * x = b by elimination; a is positive definite, because the prior stands on its diagonal.
Weights solve(Square a, Weights b)
{
    for (std::size_t i = 0; i < kKinds; ++i)
        for (std::size_t row = i + 1; row < kKinds; ++row) {
            const double factor = a[row][i] / a[i][i];
            for (std::size_t column = i; column < kKinds; ++column) a[row][column] -= factor * a[i][column];
            b[row] -= factor * b[i];
        }
    Weights x{};
    for (std::size_t i = kKinds; i-- > 0;) {
        x[i] = b[i];
        for (std::size_t column = i + 1; column < kKinds; ++column) x[i] -= a[i][column] * x[column];
        x[i] /= a[i][i];
    }
    return x;
}

double prior_strength(double expected)
{
    return kPriorCases / (0.25 + expected * expected);
}

/// The slope and the curvature at some weights.
struct Shape {
    Weights slope{};
    Square curve{};

    Shape(const Weights& weights, const Weights& expected)
    {
        for (std::size_t i = 0; i < kKinds; ++i) {
            const double strength = prior_strength(expected[i]);
            slope[i] = strength * (weights[i] - expected[i]);
            curve[i][i] = strength;
        }
    }
};

double prior_loss(const Weights& weights, const Weights& expected)
{
    double loss = 0;
    for (std::size_t i = 0; i < kKinds; ++i)
        loss += 0.5 * prior_strength(expected[i]) * (weights[i] - expected[i]) * (weights[i] - expected[i]);
    return loss;
}

/// As far along the step as makes it better.
template <class Loss>
bool move(Weights& weights, const Shape& shape, bool may_be_negative, const Loss& loss)
{
    const Weights step = solve(shape.curve, shape.slope);
    const double before = loss(weights);
    for (double part = 1; part > 1e-3; part /= 2) {
        Weights next = weights;
        for (std::size_t i = 0; i < kKinds; ++i) {
            next[i] -= part * step[i];
            if (!may_be_negative) next[i] = std::max(next[i], 0.0);
        }
        if (loss(next) >= before) continue;
        weights = next;
        return true;
    }
    return false;
}

}  // namespace

double score(const Evidence& evidence, const Weights& weights, std::size_t of_class)
{
    double sum = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) sum += weights[kind] * evidence.at(kind, of_class);
    return sum;
}

std::vector<double> probabilities(const Evidence& evidence, const Weights& weights)
{
    std::vector<double> p(evidence.classes);
    for (std::size_t c = 0; c < p.size(); ++c) p[c] = score(evidence, weights, c);
    const double most = p.empty() ? 0 : *std::ranges::max_element(p);
    double sum = 0;
    for (double& value : p) sum += value = std::exp(value - most);
    for (double& value : p) value /= sum;
    return p;
}

Weights fit_weights(std::span<const Judged> cases, const Weights& expected)
{
    Weights weights = expected;
    for (int step = 0; step < kNewtonSteps; ++step) {
        Shape shape(weights, expected);
        for (const Judged& judged : cases) {
            const auto p = probabilities(judged.evidence, weights);
            Weights mean{};
            Square square{};
            for (std::size_t c = 0; c < p.size(); ++c) {
                if (p[c] < 1e-6) continue;
                for (std::size_t i = 0; i < kKinds; ++i) {
                    const double weighted = p[c] * judged.evidence.at(i, c);
                    mean[i] += weighted;
                    for (std::size_t j = 0; j <= i; ++j) square[i][j] += weighted * judged.evidence.at(j, c);
                }
            }
            for (std::size_t i = 0; i < kKinds; ++i) {
                shape.slope[i] += mean[i] - judged.evidence.at(i, judged.label);
                for (std::size_t j = 0; j <= i; ++j) {
                    shape.curve[i][j] += square[i][j] - mean[i] * mean[j];
                    if (j != i) shape.curve[j][i] = shape.curve[i][j];
                }
            }
        }
        const auto loss = [&](const Weights& tried) {
            double sum = prior_loss(tried, expected);
            for (const Judged& judged : cases)
                sum -= std::log(std::max(probabilities(judged.evidence, tried)[judged.label], 1e-300));
            return sum;
        };
        if (!move(weights, shape, false, loss)) break;
    }
    return weights;
}

double likelihood(const Weights& facts, const Weights& weights)
{
    double sum = 0;
    for (std::size_t i = 0; i < kKinds; ++i) sum += facts[i] * weights[i];
    return 1 / (1 + std::exp(-sum));
}

Weights fit_yes_or_no(std::span<const YesOrNo> cases, const Weights& expected)
{
    Weights weights = expected;
    for (int step = 0; step < kNewtonSteps; ++step) {
        Shape shape(weights, expected);
        for (const YesOrNo& one : cases) {
            const double p = likelihood(one.facts, weights);
            for (std::size_t i = 0; i < kKinds; ++i) {
                shape.slope[i] += one.weight * (p - (one.is ? 1 : 0)) * one.facts[i];
                for (std::size_t j = 0; j < kKinds; ++j)
                    shape.curve[i][j] += one.weight * p * (1 - p) * one.facts[i] * one.facts[j];
            }
        }
        const auto loss = [&](const Weights& tried) {
            double sum = prior_loss(tried, expected);
            for (const YesOrNo& one : cases) {
                const double p = likelihood(one.facts, tried);
                sum -= one.weight * std::log(std::max(one.is ? p : 1 - p, 1e-300));
            }
            return sum;
        };
        if (!move(weights, shape, true, loss)) break;
    }
    return weights;
}

}  // namespace cadre::text::route
