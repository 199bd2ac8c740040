#include "memory/ranking.hpp"

#include <algorithm>
#include <utility>

namespace cadre::memory {
namespace {

/// So much of the order is freshness at most: what is old and right comes before what is new and beside the point.
constexpr double kFreshShare = 0.25;
/// What a summary has already told counts half.
constexpr double kSummedUp = 0.5;
/// Of maximal marginal relevance: how much it weighs to fit, against not to repeat.
constexpr double kFit = 0.7;
/// More need not be compared with each other.
constexpr std::size_t kMostCompared = 64;

struct Scored {
    Candidate candidate;
    Said said{};
    double score = 0;
    double repeats = 0;  // how like it is to what was chosen, at most
};

double likeness(const Scored& a, const Scored& b)
{
    const Vector &x = a.candidate.vector, &y = b.candidate.vector;
    if (x.empty() || x.size() != y.size()) return overlap(a.said, b.said);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * y[i];
    return std::max(sum, 0.0);
}

bool is_better(const Scored& a, const Scored& b)
{
    return a.score != b.score ? a.score > b.score : a.candidate.item->id < b.candidate.item->id;
}

}  // namespace

std::vector<Candidate> ranked(std::vector<Candidate> candidates, Time now, const Ranking& ranking)
{
    double best = 0;
    for (const Candidate& one : candidates) best = std::max(best, one.rank);
    std::vector<Scored> open;
    for (Candidate& one : candidates) {
        if (one.relevance < ranking.threshold) continue;
        const double fits = 0.5 * (best > 0 ? one.rank / best : 0) + 0.5 * one.relevance;
        const double fresh = 1 - kFreshShare + kFreshShare * freshness(one.item->updated_at, now);
        const double summed_up = one.item->consolidated_into.empty() ? 1 : kSummedUp;
        open.push_back({.candidate = std::move(one), .score = fits * fresh * summed_up});
    }
    std::ranges::sort(open, is_better);
    if (open.size() > kMostCompared) open.resize(std::max(kMostCompared, ranking.limit));
    for (Scored& one : open)
        if (one.candidate.vector.empty()) one.said = said_in(one.candidate.item->text);

    std::vector<Scored> chosen;
    while (!open.empty() && chosen.size() < ranking.limit) {
        const auto gain = [](const Scored& one) { return kFit * one.score - (1 - kFit) * one.repeats; };
        const auto next = std::ranges::max_element(open, [&](const Scored& a, const Scored& b) {
            return gain(a) != gain(b) ? gain(a) < gain(b) : is_better(b, a);
        });
        chosen.push_back(std::move(*next));
        open.erase(next);
        for (Scored& one : open) one.repeats = std::max(one.repeats, likeness(one, chosen.back()));
    }
    std::ranges::sort(chosen, is_better);
    std::vector<Candidate> told;
    for (Scored& one : chosen) told.push_back(std::move(one.candidate));
    return told;
}

}  // namespace cadre::memory
